import { semanticEqual } from '../../machinery/equal.ts'
import { child, duplicate, type FieldError, invalid, notSupported, required } from '../../machinery/field-error.ts'
import { dns1123Subdomain, qualifiedName } from '../../machinery/names.ts'
import { type Draft, nextGeneration } from '../../machinery/object.ts'
import type { RulesContext } from '../../machinery/resource/definition.ts'
import { faultsOfEach } from '../../machinery/validation/faults-of-each.ts'
import { validateLabelSelector } from '../../machinery/validation/label-selector.ts'
import { validateImmutable } from '../../machinery/validation/object-meta.ts'
import { each, invalidEach, repeats, validateNonNegative } from '../checks.ts'
import { quantityOf } from '../core/quota-resources.ts'
import { AGE, CREATED_AT, define, NAME } from '../define.ts'
import { fieldSchema, goForm } from '../go-form.ts'
import { validateCsiDriverName } from '../pod/validation/validate-volumes.ts'
import { builtinSchema } from '../schema.ts'
import type * as storage from '../types/storage.ts'
import type { Unchecked, UncheckedObject } from '../unchecked.ts'

type CSIDriver = UncheckedObject<storage.CSIDriver>
type CSINode = UncheckedObject<storage.CSINode>
type CSIStorageCapacity = UncheckedObject<storage.CSIStorageCapacity>
type TokenRequest = Unchecked<storage.TokenRequest>

const FS_GROUP_POLICIES = ['File', 'None', 'ReadWriteOnceWithFSType']
const MODES = ['Persistent', 'Ephemeral']

export const csiDrivers = define<CSIDriver>({
  group: 'storage.k8s.io',
  kind: 'CSIDriver',
  plural: 'csidrivers',
  metadataChecks: 'as-update',
  singular: 'csidriver',
  scope: 'Cluster',
  columns: [
    NAME,
    { name: 'AttachRequired', type: 'boolean', describes: 'spec.attachRequired', cell: (o) => o.spec?.attachRequired ?? true },
    { name: 'PodInfoOnMount', type: 'boolean', describes: 'spec.podInfoOnMount', cell: (o) => o.spec?.podInfoOnMount ?? false },
    { name: 'StorageCapacity', type: 'boolean', describes: 'spec.storageCapacity', cell: (o) => o.spec?.storageCapacity ?? false },
    { name: 'TokenRequests', describes: 'spec.tokenRequests', cell: tokensText },
    { name: 'RequiresRepublish', type: 'boolean', describes: 'spec.requiresRepublish', cell: (o) => o.spec?.requiresRepublish ?? false },
    { name: 'Modes', describes: 'spec.volumeLifecycleModes', cell: (o) => (o.spec?.volumeLifecycleModes ?? []).join(',') || '<none>' },
    AGE,
  ],
  rules: {
    returnsDeleted: true,
    allowUnconditionalUpdate: false,
    prepareForCreate: (draft, context) => dropGatedField(draft, undefined, context),
    prepareForUpdate: (draft, old, context) => {
      dropGatedField(draft, old, context)
      countGeneration(draft, old)
    },
    defaults: (draft) => {
      draft.spec ??= {}
      const spec = draft.spec
      spec.attachRequired ??= true
      spec.podInfoOnMount ??= false
      spec.storageCapacity ??= false
      spec.fsGroupPolicy ??= 'ReadWriteOnceWithFSType'
      if (!spec.volumeLifecycleModes?.length) spec.volumeLifecycleModes = ['Persistent']
      spec.requiresRepublish ??= false
      spec.seLinuxMount ??= false
    },
    validateCreate: validateDriver,
    validateUpdate: (object, old) => [...validateDriver(object), ...validateDriverChange(object, old)],
    warnings: (object, old) =>
      hasLooseTokens(object) && !(old !== undefined && semanticEqual(object.spec?.tokenRequests, old.spec?.tokenRequests))
        ? [
            'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes',
          ]
        : [],
  },
})

const hasTokens = ({ spec }: CSIDriver) => (spec?.tokenRequests ?? []).length > 0
const hasLooseTokens = (object: CSIDriver) => hasTokens(object) && object.spec?.serviceAccountTokenInSecrets === undefined

function tokensText(object: CSIDriver): string {
  if (!hasTokens(object)) return '<unset>'
  return (object.spec?.tokenRequests ?? []).map((r) => r.audience).join(',')
}

const MIN_TOKEN_SECONDS = 600
const MAX_TOKEN_SECONDS = 2 ** 32

function validateDriver(object: CSIDriver): FieldError[] {
  const spec = object.spec ?? {}
  const faults: FieldError[] = []
  for (const name of ['attachRequired', 'podInfoOnMount', 'storageCapacity'] as const)
    if (spec[name] === undefined) faults.push(required(child('spec', name)))
  const policy = spec.fsGroupPolicy
  if (policy !== undefined && !FS_GROUP_POLICIES.includes(policy))
    faults.push(notSupported(child('spec', 'fsGroupPolicy'), policy, FS_GROUP_POLICIES))
  faults.push(...validateTokens(spec.tokenRequests ?? []))
  faults.push(
    ...each(spec.volumeLifecycleModes, child('spec', 'volumeLifecycleModes'), (mode) =>
      MODES.includes(mode) ? [] : [notSupported('spec.volumeLifecycleModes', mode, MODES)],
    ),
  )
  if (spec.seLinuxMount === undefined) faults.push(required(child('spec', 'seLinuxMount')))
  const period = spec.nodeAllocatableUpdatePeriodSeconds
  if (period !== undefined && period < 10)
    faults.push(invalid(child('spec', 'nodeAllocatableUpdatePeriodSeconds'), period, 'must be greater than or equal to 10 seconds'))
  const inSecrets = spec.serviceAccountTokenInSecrets
  if (inSecrets !== undefined && !hasTokens(object))
    faults.push(
      invalid(
        child('spec', 'serviceAccountTokenInSecrets'),
        inSecrets,
        'serviceAccountTokenInSecrets is set but no tokenRequests are specified',
      ),
    )
  return faults
}

function validateTokens(requests: readonly TokenRequest[]): FieldError[] {
  const seen = new Set<string>()
  return each(requests, child('spec', 'tokenRequests'), (request, path) => {
    const faults: FieldError[] = []
    const audience = request.audience ?? ''
    if (seen.has(audience)) faults.push(duplicate(child(path, 'audience'), audience))
    seen.add(audience)
    const seconds = request.expirationSeconds
    if (seconds === undefined) return faults
    const at = child(path, 'expirationSeconds')
    if (seconds < MIN_TOKEN_SECONDS) faults.push(invalid(at, seconds, 'may not specify a duration less than 10 minutes'))
    if (seconds > MAX_TOKEN_SECONDS) faults.push(invalid(at, seconds, 'may not specify a duration larger than 2^32 seconds'))
    return faults
  })
}

/** Removes the field of the feature VolumeLimitScaling while its gate is off, unless the old object uses it already. */
function dropGatedField({ spec }: Draft<CSIDriver>, old: CSIDriver | undefined, { gates }: RulesContext): void {
  if (gates?.has('VolumeLimitScaling') === true || old?.spec?.preventPodSchedulingIfMissing !== undefined) return
  if (spec) delete spec.preventPodSchedulingIfMissing
}

/** A driver has a generation from its first change on. */
function countGeneration(draft: CSIDriver, old: CSIDriver): void {
  const generation = semanticEqual(draft.spec, old.spec) ? (old.metadata.generation ?? 0) : nextGeneration(old.metadata)
  if (generation > 0) draft.metadata.generation = generation
  else delete draft.metadata.generation
}

function validateDriverChange(object: CSIDriver, old: CSIDriver): FieldError[] {
  // Kubernetes misspells the first.
  return (
    [
      ['attachRequired', 'attachedRequired'],
      ['volumeLifecycleModes', 'volumeLifecycleModes'],
    ] as const
  ).flatMap(([name, shown]) => validateImmutable(object.spec?.[name], old.spec?.[name], child('spec', shown)))
}

export const csiNodes = define<CSINode>({
  group: 'storage.k8s.io',
  kind: 'CSINode',
  plural: 'csinodes',
  metadataChecks: 'whole',
  singular: 'csinode',
  scope: 'Cluster',
  columns: [NAME, { name: 'Drivers', type: 'integer', describes: 'spec.drivers', cell: (o) => (o.spec?.drivers ?? []).length }, AGE],
  rules: {
    returnsDeleted: true,
    allowUnconditionalUpdate: false,
    validateCreate: validateNode,
    validateUpdate: (object, old) => [...validateNode(object), ...validateNodeChange(object, old)],
  },
})

function validateNode(object: CSINode): FieldError[] {
  const names = new Set<string>()
  return each(object.spec?.drivers, child('spec', 'drivers'), (driver, path) => {
    const name = driver.name ?? ''
    const faults = [...validateCsiDriverName(name, child(path, 'name')), ...validateNodeId(driver.nodeID ?? '', child(path, 'nodeID'))]
    faults.push(...validateNonNegative(driver.allocatable?.count, child(path, 'allocatable', 'count')))
    const isRepeated = repeats()
    faults.push(
      ...faultsOfEach(driver.topologyKeys, (topologyKey) => {
        const found: FieldError[] = []
        if (topologyKey === '') found.push(required(path))
        if (isRepeated(topologyKey)) found.push(duplicate(path, topologyKey))
        found.push(...invalidEach(path, topologyKey, qualifiedName(topologyKey)))
        return found
      }),
    )
    if (names.has(name)) faults.push(duplicate(child(path, 'name'), name))
    names.add(name)
    return faults
  })
}

const MAX_NODE_ID_BYTES = 256

function validateNodeId(id: string, path: string): FieldError[] {
  if (id === '') return [required(path)]
  return Buffer.byteLength(id) > MAX_NODE_ID_BYTES ? [invalid(path, id, `must be ${MAX_NODE_ID_BYTES} characters or less`)] : []
}

const nodeSchema = builtinSchema('storage.k8s.io', 'v1', 'CSINode')

/** For a driver that stays, only its node's capacity may change. */
function validateNodeChange(object: CSINode, old: CSINode): FieldError[] {
  const faults: FieldError[] = []
  const drivers = object.spec?.drivers ?? []
  for (const before of old.spec?.drivers ?? []) {
    for (const driver of drivers) {
      if (driver.name !== before.name) continue
      const { allocatable: _, ...now } = driver
      const { allocatable: __, ...was } = before
      if (semanticEqual(now, was)) continue
      faults.push(invalid(child('spec', 'drivers'), shownDriver(now), 'field is immutable'))
    }
  }
  return faults
}

/** A driver as Go shows it. */
function shownDriver(driver: unknown): unknown {
  const drivers = fieldSchema(nodeSchema(), 'spec', 'drivers')
  return drivers.type === 'list' ? goForm(driver, drivers.items) : driver
}

export const csiStorageCapacities = define<CSIStorageCapacity>({
  group: 'storage.k8s.io',
  kind: 'CSIStorageCapacity',
  plural: 'csistoragecapacities',
  singular: 'csistoragecapacity',
  columns: [NAME, CREATED_AT],
  rules: {
    allowUnconditionalUpdate: false,
    validateCreate: validateCapacity,
    validateUpdate: (object, old) => [
      ...validateCapacity(object),
      ...validateImmutable(object.nodeTopology, old.nodeTopology, 'nodeTopology'),
      ...validateImmutable(object.storageClassName ?? '', old.storageClassName ?? '', 'storageClassName'),
    ],
  },
})

function validateCapacity(object: CSIStorageCapacity): FieldError[] {
  const name = object.storageClassName ?? ''
  const faults = invalidEach('storageClassName', name, dns1123Subdomain(name))
  if (object.nodeTopology) faults.push(...validateLabelSelector(object.nodeTopology, 'nodeTopology'))
  const amount = quantityOf(object.capacity)
  if (amount.sign() < 0) faults.push(invalid('capacity', amount.toString(), 'must be greater than or equal to 0'))
  return faults
}
