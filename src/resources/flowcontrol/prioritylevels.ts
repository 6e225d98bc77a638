import { semanticEqual } from '../../machinery/equal.ts'
import { child, type FieldError, forbidden, invalid, notSupported, required } from '../../machinery/field-error.ts'
import { AGE, define, NAME } from '../define.ts'
import { fieldSchema, goForm } from '../go-form.ts'
import { builtinSchema } from '../schema.ts'
import { wholeMetadataKept } from '../status-meta.ts'
import type * as flowcontrol from '../types/flowcontrol.ts'
import type { Unchecked, UncheckedObject } from '../unchecked.ts'
import { validateTypes } from './flowschemas.ts'

type PriorityLevelConfiguration = UncheckedObject<flowcontrol.PriorityLevelConfiguration>
type Limited = Unchecked<flowcontrol.LimitedPriorityLevelConfiguration>
type Queuing = Unchecked<flowcontrol.QueuingConfiguration>

const schema = builtinSchema('flowcontrol.apiserver.k8s.io', 'v1', 'PriorityLevelConfiguration')
const CATCH_ALL = { type: 'Limited', limited: { nominalConcurrencyShares: 5, lendablePercent: 0, limitResponse: { type: 'Reject' } } }
const MAX_QUEUES = 10_000_000
const MAX_ENTROPY_BITS = 60

export const priorityLevels = define<PriorityLevelConfiguration>({
  group: 'flowcontrol.apiserver.k8s.io',
  kind: 'PriorityLevelConfiguration',
  plural: 'prioritylevelconfigurations',
  metadataChecks: 'whole',
  singular: 'prioritylevelconfiguration',
  scope: 'Cluster',
  columns: [
    NAME,
    { name: 'Type', describes: 'spec.type', cell: (o) => o.spec?.type ?? '' },
    {
      name: 'NominalConcurrencyShares',
      describes: 'spec.limited.nominalConcurrencyShares',
      cell: (o) => o.spec?.limited?.nominalConcurrencyShares ?? '<none>',
    },
    { name: 'Queues', describes: 'spec.limited.limitResponse.queuing.queues', cell: (o) => queuing(o)?.queues ?? '<none>' },
    { name: 'HandSize', describes: 'spec.limited.limitResponse.queuing.handSize', cell: (o) => queuing(o)?.handSize ?? '<none>' },
    {
      name: 'QueueLengthLimit',
      describes: 'spec.limited.limitResponse.queuing.queueLengthLimit',
      cell: (o) => queuing(o)?.queueLengthLimit ?? '<none>',
    },
    AGE,
  ],
  rules: {
    generation: 'spec',
    defaults: (draft) => {
      const spec = draft.spec ?? {}
      if (spec.exempt) {
        spec.exempt.nominalConcurrencyShares ??= 0
        spec.exempt.lendablePercent ??= 0
      }
      if (spec.limited) defaultLimited(spec.limited)
    },
    prepareForCreate: (draft) => {
      draft.status = {}
    },
    validateCreate: validate,
    validateUpdate: validate,
  },
  subresources: {
    status: { kind: 'status', rules: { ...wholeMetadataKept, validateUpdate: (object) => validateTypes(object) } },
  },
})

const queuing = (object: PriorityLevelConfiguration): Queuing | undefined => object.spec?.limited?.limitResponse?.queuing

function defaultLimited(limited: Limited): void {
  limited.nominalConcurrencyShares ??= 30
  limited.lendablePercent ??= 0
  const queues = limited.limitResponse?.queuing
  if (!queues) return
  queues.handSize ||= 8
  queues.queues ||= 64
  queues.queueLengthLimit ||= 50
}

function validate(object: PriorityLevelConfiguration): FieldError[] {
  const name = object.metadata.name ?? ''
  const spec = object.spec ?? {}
  const faults: FieldError[] = []
  const shown = () => goForm(spec, fieldSchema(schema(), 'spec'))
  if (name === 'catch-all' && !semanticEqual(spec, CATCH_ALL))
    faults.push(invalid('spec', shown(), "spec of 'catch-all' must equal the fixed value"))
  if (name === 'exempt' && (spec.type !== 'Exempt' || spec.limited))
    faults.push(invalid('spec', shown(), "spec of 'exempt' except the 'spec.exempt' field must equal the fixed value"))
  return [...validateSpec(name, spec), ...faults, ...validateTypes(object)]
}

function validateSpec(name: string, spec: { type?: string; limited?: Limited; exempt?: Limited }): FieldError[] {
  const faults: FieldError[] = []
  const type = spec.type ?? ''
  if ((name === 'exempt') !== (type === 'Exempt'))
    faults.push(invalid(child('spec', 'type'), type, "must be 'Exempt' if and only if `name` is 'exempt'"))
  if (type === 'Exempt') {
    if (spec.limited) faults.push(forbidden(child('spec', 'limited'), 'must be nil if the type is not Limited'))
    const path = child('spec', 'exempt')
    return [...faults, ...validateShares(spec.exempt ?? {}, path), ...validateLendable(spec.exempt ?? {}, path)]
  }
  if (type === 'Limited') {
    if (spec.exempt) faults.push(forbidden(child('spec', 'exempt'), 'must be nil if the type is Limited'))
    if (!spec.limited) return [...faults, required(child('spec', 'limited'), 'must not be empty when type is Limited')]
    return [...faults, ...validateLimited(spec.limited, child('spec', 'limited'))]
  }
  if (type === '') return [...faults, required(child('spec', 'type'))]
  return [...faults, notSupported(child('spec', 'type'), type, ['Exempt', 'Limited'])]
}

function validateShares({ nominalConcurrencyShares: shares = 0 }: Limited, path: string): FieldError[] {
  return shares < 0 ? [invalid(child(path, 'nominalConcurrencyShares'), shares, 'must be a non-negative integer')] : []
}

function validateLendable({ lendablePercent: lendable = 0 }: Limited, path: string): FieldError[] {
  const fits = lendable >= 0 && lendable <= 100
  return fits ? [] : [invalid(child(path, 'lendablePercent'), lendable, 'must be between 0 and 100, inclusive')]
}

function validateLimited(limited: Limited, path: string): FieldError[] {
  const faults = [
    ...validateShares(limited, path),
    ...validateResponse(limited.limitResponse ?? {}, child(path, 'limitResponse')),
    ...validateLendable(limited, path),
  ]
  const borrowing = limited.borrowingLimitPercent
  if (borrowing !== undefined && borrowing < 0)
    faults.push(invalid(child(path, 'borrowingLimitPercent'), borrowing, 'if specified, must be a non-negative integer'))
  return faults
}

function validateResponse(response: Unchecked<flowcontrol.LimitResponse>, at: string): FieldError[] {
  const faults: FieldError[] = []
  if (response.type === 'Reject') {
    if (response.queuing) faults.push(forbidden(child(at, 'queuing'), 'must be nil if limited.limitResponse.type is not Limited'))
  } else if (response.type === 'Queue') {
    if (response.queuing) faults.push(...validateQueuing(response.queuing, child(at, 'queuing')))
    else faults.push(required(child(at, 'queuing'), 'must not be empty if limited.limitResponse.type is Limited'))
  } else if (!response.type) faults.push(required(child(at, 'type')))
  else faults.push(notSupported(child(at, 'type'), response.type, ['Queue', 'Reject']))
  return faults
}

function validateQueuing(q: Queuing, path: string): FieldError[] {
  const faults: FieldError[] = []
  const { queues = 0, handSize = 0, queueLengthLimit = 0 } = q
  if (queueLengthLimit <= 0) faults.push(invalid(child(path, 'queueLengthLimit'), queueLengthLimit, 'must be positive'))
  if (queues <= 0) faults.push(invalid(child(path, 'queues'), queues, 'must be positive'))
  else if (queues > MAX_QUEUES) faults.push(invalid(child(path, 'queues'), queues, `must not be greater than ${MAX_QUEUES}`))
  const at = child(path, 'handSize')
  if (handSize <= 0) faults.push(invalid(at, handSize, 'must be positive'))
  else if (handSize > queues) faults.push(invalid(at, handSize, `should not be greater than queues (${queues})`))
  else if (Math.ceil(Math.log2(queues) * handSize) > MAX_ENTROPY_BITS)
    faults.push(
      invalid(
        at,
        handSize,
        `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${MAX_ENTROPY_BITS}`,
      ),
    )
  return faults
}
