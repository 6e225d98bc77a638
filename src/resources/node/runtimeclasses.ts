import { duplicate, type FieldError, index, required } from '../../machinery/field-error.ts'
import { encodeJson } from '../../machinery/json/strict-json.ts'
import { dns1123Label } from '../../machinery/names.ts'
import { faultsOfEach } from '../../machinery/validation/faults-of-each.ts'
import { validateImmutable, validateLabels } from '../../machinery/validation/object-meta.ts'
import { invalidEach, repeats } from '../checks.ts'
import { AGE, define, NAME } from '../define.ts'
import { roundResources } from '../pod/defaults.ts'
import { internalForm } from '../pod/internal-form.ts'
import { oldLabelText } from '../pod/old-node-labels.ts'
import type { Toleration } from '../pod/types.ts'
import { validateContainerResourceName, validateRequirements } from '../pod/validation/validate-resources.ts'
import { validateTolerations } from '../pod/validation/validate-scheduling.ts'
import type * as node from '../types/node.ts'
import type { UncheckedObject } from '../unchecked.ts'

type RuntimeClass = UncheckedObject<node.RuntimeClass>

export const runtimeClasses = define<RuntimeClass>({
  group: 'node.k8s.io',
  kind: 'RuntimeClass',
  plural: 'runtimeclasses',
  singular: 'runtimeclass',
  scope: 'Cluster',
  columns: [NAME, { name: 'Handler', description: '', cell: (o) => o.handler ?? '' }, AGE],
  rules: {
    allowCreateOnUpdate: true,
    allowUnconditionalUpdate: false,
    defaults: (draft) => roundResources(draft.overhead?.podFixed),
    validateCreate: validate,
    validateUpdate: (o, old) => [...validate(o), ...validateImmutable(o.handler ?? '', old.handler ?? '', 'handler')],
    warnings: ({ scheduling }) => Object.keys(scheduling?.nodeSelector ?? {}).flatMap(labelWarnings),
  },
})

function labelWarnings(name: string): string[] {
  const text = oldLabelText(name)
  return text === undefined ? [] : [`scheduling.nodeSelector: ${text}`]
}

const KEYS = ['key', 'operator', 'value', 'effect'] as const

function validate(o: RuntimeClass): FieldError[] {
  const handler: string = o.handler ?? ''
  const faults = handler === '' ? [required('handler')] : invalidEach('handler', handler, dns1123Label(handler))
  if (o.overhead) faults.push(...validateRequirements({ limits: o.overhead.podFixed ?? {} }, validateContainerResourceName, 'overhead'))
  if (!o.scheduling) return faults
  faults.push(...validateLabels(o.scheduling.nodeSelector, 'scheduling.nodeSelector'))
  const tolerations: Toleration[] = o.scheduling.tolerations ?? []
  const path = 'scheduling.tolerations'
  faults.push(...validateTolerations(tolerations, path))
  const isRepeated = repeats()
  return [
    ...faults,
    ...faultsOfEach(tolerations, (toleration, i) =>
      isRepeated(encodeJson(KEYS.map((field) => toleration[field] ?? '')))
        ? [duplicate(index(path, i), internalForm(toleration, 'tolerations'))]
        : [],
    ),
  ]
}
