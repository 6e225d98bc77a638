import { semanticEqual } from '../../machinery/equal.ts'
import {
  child,
  duplicate,
  type FieldError,
  index,
  invalid,
  MAX_FAULTS,
  notSupported,
  required,
  tooLong,
} from '../../machinery/field-error.ts'
import { qualifiedName } from '../../machinery/names.ts'
import { sortedKeys } from '../../machinery/sorted-keys.ts'
import { faultsOfEach, faultsThen } from '../../machinery/validation/faults-of-each.ts'
import { validateImmutable, validateImmutableNamed, validateLabelName } from '../../machinery/validation/object-meta.ts'
import { each, invalidEach, repeats } from '../checks.ts'
import { AGE, define } from '../define.ts'
import { validateEnum } from '../enumerations.ts'
import { oldLabelText } from '../pod/old-node-labels.ts'
import type * as core from '../types/core.ts'
import type * as storage from '../types/storage.ts'
import type { Unchecked, UncheckedObject } from '../unchecked.ts'

type StorageClass = UncheckedObject<storage.StorageClass>

const DEFAULT_ANNOTATIONS = ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class']
const RECLAIM_POLICIES = ['Delete', 'Retain']
const MAX_PARAMETERS = 512
const MAX_PARAMETER_BYTES = 256 * 1024

type TopologyTerm = Unchecked<core.TopologySelectorTerm>

export const storageClasses = define<StorageClass>({
  group: 'storage.k8s.io',
  kind: 'StorageClass',
  plural: 'storageclasses',
  singular: 'storageclass',
  shortNames: ['sc'],
  scope: 'Cluster',
  columns: [
    { name: 'Name', format: 'name', describes: 'metadata.name', cell: nameText },
    { name: 'Provisioner', describes: 'provisioner', cell: (o) => o.provisioner ?? '' },
    { name: 'ReclaimPolicy', describes: 'reclaimPolicy', cell: (o) => o.reclaimPolicy ?? 'Delete' },
    { name: 'VolumeBindingMode', describes: 'volumeBindingMode', cell: (o) => o.volumeBindingMode ?? 'Immediate' },
    { name: 'AllowVolumeExpansion', describes: 'allowVolumeExpansion', cell: (o) => o.allowVolumeExpansion ?? false },
    AGE,
  ],
  rules: {
    returnsDeleted: true,
    defaults: (draft) => {
      draft.reclaimPolicy ??= 'Delete'
      draft.volumeBindingMode ??= 'Immediate'
    },
    validateCreate: validate,
    validateUpdate: (object, old) => [...validate(object), ...validateChange(object, old)],
    warnings: (object) => topologyWarnings(object.allowedTopologies),
  },
})

function nameText(object: StorageClass): string {
  const standard = DEFAULT_ANNOTATIONS.some((a) => object.metadata.annotations?.[a] === 'true')
  return `${object.metadata.name ?? ''}${standard ? ' (default)' : ''}`
}

function validate(object: StorageClass): FieldError[] {
  const provisioner: string = object.provisioner ?? ''
  const faults: FieldError[] = []
  if (provisioner === '') faults.push(required('provisioner'))
  else faults.push(...invalidEach('provisioner', provisioner.toLowerCase(), qualifiedName(provisioner.toLowerCase())))
  faults.push(...validateParameters(object.parameters, true, 'parameters'))
  if (object.reclaimPolicy && !RECLAIM_POLICIES.includes(object.reclaimPolicy))
    faults.push(notSupported('reclaimPolicy', object.reclaimPolicy, RECLAIM_POLICIES))
  if (object.volumeBindingMode === undefined) faults.push(required('volumeBindingMode'))
  else faults.push(...validateEnum(object.volumeBindingMode, 'storage_v1.VolumeBindingMode', 'volumeBindingMode'))
  return [...faults, ...validateTopologies(object.allowedTopologies)]
}

/** Opaque parameters of a driver: limited in number and size. */
export function validateParameters(parameters: Record<string, string> | undefined, mayBeEmpty: boolean, path: string): FieldError[] {
  const entries = Object.entries(parameters ?? {})
  const faults: FieldError[] = []
  if (entries.length > MAX_PARAMETERS) return [tooLong('Provisioner Parameters', MAX_PARAMETERS)]
  let bytes = 0
  for (const [name, value] of entries) {
    if (name === '') faults.push(invalid(path, name, 'field can not be empty.'))
    bytes += Buffer.byteLength(name) + Buffer.byteLength(value)
  }
  if (bytes > MAX_PARAMETER_BYTES) faults.push(tooLong(path, MAX_PARAMETER_BYTES))
  if (!mayBeEmpty && entries.length === 0) faults.push(required(path, 'must contain at least one key/value pair'))
  return faults
}

function validateTopologies(terms: readonly TopologyTerm[] | undefined): FieldError[] {
  // Kubernetes starts with as many empty terms as there are terms, so an empty one is a duplicate at once.
  const seen = new Map([['{}', (terms ?? []).length]])
  return each(terms, 'allowedTopologies', (term, path) => {
    const expressions = child(path, 'matchLabelExpressions')
    const byKey: Record<string, string[]> = {}
    const faults = each(term.matchLabelExpressions, expressions, (expression, at) => {
      const name = expression.key ?? ''
      const found = validateExpression(expression, at)
      if (Object.hasOwn(byKey, name)) found.push(duplicate(child(at, 'key'), name))
      byKey[name] = [...new Set(expression.values ?? [])].sort()
      return found
    })
    return faultsThen(faults, (found) => {
      const text = JSON.stringify(sortedKeys(byKey))
      const before = seen.get(text) ?? 0
      seen.set(text, before + 1)
      return [...found, ...Array.from({ length: Math.min(before, MAX_FAULTS) }, () => duplicate(expressions, ''))]
    })
  })
}

function validateExpression(expression: { key?: string; values?: string[] }, path: string): FieldError[] {
  const faults: FieldError[] = []
  const values = expression.values ?? []
  if (values.length === 0) faults.push(required(child(path, 'values')))
  const isRepeated = repeats()
  faults.push(...faultsOfEach(values, (value, i) => (isRepeated(value) ? [duplicate(index(child(path, 'values'), i), value)] : [])))
  return [...faults, ...validateLabelName(expression.key ?? '', child(path, 'key'))]
}

function validateChange(object: StorageClass, old: StorageClass): FieldError[] {
  const faults: FieldError[] = []
  const frozen = (name: 'parameters' | 'reclaimPolicy', why: string) => {
    if (!semanticEqual(object[name], old[name])) faults.push(invalid(name, object[name] ?? null, why))
  }
  frozen('parameters', 'field is immutable')
  faults.push(...validateImmutable(object.provisioner ?? '', old.provisioner ?? '', 'provisioner'))
  frozen('reclaimPolicy', 'field is immutable')
  return [...faults, ...validateImmutableNamed(object.volumeBindingMode, old.volumeBindingMode, 'volumeBindingMode')]
}

function topologyWarnings(terms: readonly TopologyTerm[] | undefined): string[] {
  return (terms ?? []).flatMap((term, i) =>
    (term.matchLabelExpressions ?? []).flatMap((expression, j) => {
      const text = oldLabelText(expression.key)
      return text === undefined ? [] : [`allowedTopologies[${i}].matchLabelExpressions[${j}].key: ${text}`]
    }),
  )
}
