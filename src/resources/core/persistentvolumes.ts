import path from 'node:path/posix'
import { timestamp } from '../../base/clock.ts'
import { semanticEqual } from '../../machinery/equal.ts'
import { child, type FieldError, forbidden, invalid, key, notSupported, required } from '../../machinery/field-error.ts'
import { getOwn, setOwn } from '../../machinery/object.ts'
import { cloneDecoded, givenEmpty } from '../../machinery/schema/given-empty.ts'
import type { StructSchema } from '../../machinery/schema/schema.ts'
import { faultsOfEach } from '../../machinery/validation/faults-of-each.ts'
import { validateImmutableNamed } from '../../machinery/validation/object-meta.ts'
import { AGE, define, NAME } from '../define.ts'
import { validateEnum } from '../enumerations.ts'
import { fieldSchema, goFieldName, goForm, inGoOrder } from '../go-form.ts'
import { roundResources } from '../pod/defaults.ts'
import { nodeSelectorWarnings } from '../pod/old-node-labels.ts'
import type { NodeSelector } from '../pod/types.ts'
import { validateNodeSelector } from '../pod/validation/validate-affinity.ts'
import { validateAccessModes, validateClassName } from '../pod/validation/validate-claim-spec.ts'
import { builtinSchema } from '../schema.ts'
import type * as core from '../types/core.ts'
import type { UncheckedObject } from '../unchecked.ts'
import { jsonDifference } from '../unified-diff.ts'
import { classNameOf } from './claim-annotations.ts'
import { accessModesText, classWarning, phaseText } from './persistentvolumeclaims.ts'
import { quantityOf, validatePositiveAmount } from './quota-resources.ts'
import {
  defaultVolumeSource,
  isLocal,
  SOURCES,
  TAKE_MOUNT_OPTIONS,
  type VolumeSpec,
  validateVolumeSource,
} from './volumes/volume-sources.ts'

type PersistentVolume = UncheckedObject<core.PersistentVolume>

const schema = builtinSchema('', 'v1', 'PersistentVolume')

export const persistentVolumes = define<PersistentVolume>({
  group: '',
  kind: 'PersistentVolume',
  plural: 'persistentvolumes',
  singular: 'persistentvolume',
  shortNames: ['pv'],
  scope: 'Cluster',
  metadataChecks: 'twice-whole',
  columns: [
    NAME,
    { name: 'Capacity', describes: 'spec.capacity', cell: (o) => o.spec?.capacity?.storage ?? '0' },
    { name: 'Access Modes', describes: 'spec.accessModes', cell: (o) => accessModesText(o.spec?.accessModes) },
    {
      name: 'Reclaim Policy',
      describes: 'spec.persistentVolumeReclaimPolicy',
      cell: (o) => o.spec?.persistentVolumeReclaimPolicy ?? '',
    },
    { name: 'Status', describes: 'status.phase', cell: phaseText },
    { name: 'Claim', describes: 'spec.claimRef', cell: (o) => claimText(o.spec?.claimRef) },
    { name: 'StorageClass', description: 'StorageClass of the pv', cell: classNameOf },
    {
      name: 'VolumeAttributesClass',
      description: 'VolumeAttributesClass of the pv',
      cell: (o) => o.spec?.volumeAttributesClassName ?? '<unset>',
    },
    { name: 'Reason', describes: 'status.reason', cell: (o) => o.status?.reason ?? '' },
    AGE,
    { name: 'VolumeMode', priority: 1, describes: 'spec.volumeMode', cell: (o) => o.spec?.volumeMode ?? '<unset>' },
  ],
  rules: {
    returnsDeleted: true,
    defaults: defaultVolume,
    prepareForCreate: (draft, context) => {
      draft.status = { phase: 'Pending', lastPhaseTransitionTime: timestamp(context.now) }
    },
    validateCreate: (volume) => [...validateVolumeSpec(volume.spec ?? {}, 'spec', volume.metadata.name), ...validateMountOptions(volume)],
    validateUpdate: (volume, old) => {
      const faults = validateVolumeSpec(volume.spec ?? {}, 'spec', volume.metadata.name)
      return [...faults, ...validateMountOptions(volume), ...faults, ...validateChange(volume, old)]
    },
    warnings,
  },
  subresources: {
    status: {
      kind: 'status',
      rules: {
        prepareForUpdate: (draft, old, context) => {
          draft.status ??= {}
          const { status } = draft
          const before = old.status ?? {}
          const stale = (status.lastPhaseTransitionTime ?? null) === (before.lastPhaseTransitionTime ?? null)
          if (status.lastPhaseTransitionTime === undefined || (status.phase !== before.phase && stale))
            status.lastPhaseTransitionTime = timestamp(context.now)
        },
        validateUpdate: () => [],
        warnings: () => [],
      },
    },
  },
})

const claimText = (ref: { namespace?: string; name?: string } | undefined) => (ref ? `${ref.namespace ?? ''}/${ref.name ?? ''}` : '')

function defaultVolume(draft: PersistentVolume): void {
  draft.spec ??= {}
  const { spec } = draft
  spec.persistentVolumeReclaimPolicy ||= 'Retain'
  spec.volumeMode ??= 'Filesystem'
  roundResources(spec.capacity)
  defaultVolumeSource(spec)
  draft.status ??= {}
  draft.status.phase ||= 'Pending'
}

/** Only some sources take the annotation. */
function validateMountOptions({ metadata, spec = {} }: PersistentVolume): FieldError[] {
  if (metadata.annotations?.[MOUNT_OPTIONS] === undefined) return []
  const known = SOURCES.some((source) => spec[source] !== undefined && TAKE_MOUNT_OPTIONS.has(source))
  return known ? [] : [forbidden(child('metadata', 'annotations', MOUNT_OPTIONS), 'may not specify mount options for this volume type')]
}

/** A PersistentVolume's spec; also inline in VolumeAttachments, where fewer fields are allowed. */
export function validateVolumeSpec(spec: VolumeSpec, at: string, name = ''): FieldError[] {
  const faults: FieldError[] = []
  if (!spec.accessModes?.length) faults.push(required(child(at, 'accessModes')))
  faults.push(
    ...validateAccessModes(spec.accessModes ?? [], child(at, 'accessModes')),
    ...validateCapacity(spec.capacity, givenEmpty(spec, 'capacity'), child(at, 'capacity')),
  )
  const policy = spec.persistentVolumeReclaimPolicy
  const policyPath = child(at, 'persistentVolumeReclaimPolicy')
  if (policy) faults.push(...validateEnum(policy, 'core_v1.PersistentVolumeReclaimPolicy', policyPath))
  faults.push(...validateNodeAffinity(spec.nodeAffinity, child(at, 'nodeAffinity')))
  faults.push(...validateVolumeSource(spec, at, name))
  if (isLocal(spec) && !spec.nodeAffinity) faults.push(required(child(at, 'nodeAffinity'), 'Local volume requires node affinity'))
  if (spec.hostPath?.path && path.normalize(spec.hostPath.path) === '/' && policy === 'Recycle')
    faults.push(forbidden(policyPath, "may not be 'recycle' for a hostPath mount of '/'"))
  if (spec.storageClassName) faults.push(...validateClassName(spec.storageClassName, child(at, 'storageClassName')))
  faults.push(...validateEnum(spec.volumeMode, 'core_v1.PersistentVolumeMode', child(at, 'volumeMode')))
  const attributes = spec.volumeAttributesClassName
  const attributesPath = child(at, 'volumeAttributesClassName')
  if (attributes === '') faults.push(required(attributesPath, 'an empty string is disallowed'))
  else if (attributes !== undefined) faults.push(...validateClassName(attributes, attributesPath))
  if (attributes !== undefined && !spec.csi)
    faults.push(required(child(at, 'csi'), 'has to be specified when using volumeAttributesClassName'))
  return faults
}

function validateCapacity(capacity: Record<string, string> | undefined, empty: unknown, at: string): FieldError[] {
  const names = Object.keys(capacity ?? {})
  const faults: FieldError[] = []
  if (names.length === 0) faults.push(required(at))
  if (names.length !== 1 || names[0] !== 'storage')
    faults.push(notSupported(at, capacity ? inOrder(capacity) : (empty ?? null), ['storage']))
  return [
    ...faults,
    ...faultsOfEach(names, (name) => {
      const found: FieldError[] = []
      const amount = quantityOf(capacity?.[name])
      if (amount.sign() > 0) return found
      if (amount.value() < 0) found.push(invalid(key(at, name), amount.value(), 'must be a valid resource quantity'))
      found.push(...validatePositiveAmount(capacity?.[name], key(at, name)))
      return found
    }),
  ]
}

const inOrder = (capacity: Record<string, string>) =>
  Object.fromEntries(
    Object.keys(capacity)
      .sort()
      .map((name) => [name, capacity[name]]),
  )

function validateNodeAffinity(affinity: { required?: NodeSelector } | undefined, at: string): FieldError[] {
  if (!affinity) return []
  if (!affinity.required) return [required(child(at, 'required'), 'must specify required node constraints')]
  return [...validateNodeSelector(affinity.required, child(at, 'required'))]
}

function validateChange(volume: PersistentVolume, old: PersistentVolume): FieldError[] {
  const faults: FieldError[] = []
  const now = sourceOf(volume.spec ?? {})
  const before = sourceOf(old.spec ?? {})
  if (before.csi && now.csi && before.csi.controllerExpandSecretRef === undefined) delete now.csi.controllerExpandSecretRef
  if (!semanticEqual(now, before)) {
    const text = 'spec.persistentvolumesource is immutable after creation'
    faults.push(forbidden('spec.persistentvolumesource', `${text}\n${jsonDifference(before, now, sourceForm)}`))
  }
  faults.push(...validateImmutableNamed(volume.spec?.volumeMode, old.spec?.volumeMode, 'volumeMode'))
  if (old.spec?.nodeAffinity !== undefined) faults.push(...validateAffinityKept(volume.spec?.nodeAffinity, old.spec.nodeAffinity))
  return faults
}

function sourceOf(spec: VolumeSpec): VolumeSpec {
  const out: VolumeSpec = {}
  for (const name of SOURCES) if (spec[name] !== undefined) setOwn(out, name, cloneDecoded(spec[name]))
  return out
}

/** The volume sources, all of them, in the order of Go's struct. */
function sourceForm(source: VolumeSpec): Record<string, unknown> {
  const spec = fieldSchema(schema(), 'spec') as StructSchema
  const out: Record<string, unknown> = {}
  for (const [name, field] of spec.fields) {
    if (field.inlineOf === 'PersistentVolumeSource') out[goFieldName(name)] = goForm(getOwn(source, name), field.schema, true)
  }
  return inGoOrder(spec, out)
}

const RENAMED_LABELS = new Map([
  ['beta.kubernetes.io/arch', 'kubernetes.io/arch'],
  ['beta.kubernetes.io/os', 'kubernetes.io/os'],
  ['beta.kubernetes.io/instance-type', 'node.kubernetes.io/instance-type'],
  ['failure-domain.beta.kubernetes.io/zone', 'topology.kubernetes.io/zone'],
  ['failure-domain.beta.kubernetes.io/region', 'topology.kubernetes.io/region'],
])

/** Node affinity is immutable, except that deprecated labels may be replaced by their successors. */
function validateAffinityKept(now: unknown, before: unknown): FieldError[] {
  if (semanticEqual(now, before)) return []
  const renamed = JSON.parse(JSON.stringify(before), (name, value) => (name === 'key' ? (RENAMED_LABELS.get(value) ?? value) : value))
  if (semanticEqual(now, renamed)) return []
  const shown = goForm(now, fieldSchema(schema(), 'spec', 'nodeAffinity'), true)
  return [invalid('nodeAffinity', shown, 'field is immutable, except for updating from beta label to GA')]
}

const GONE: Readonly<Record<string, string>> = {
  photonPersistentDisk: 'spec.photonPersistentDisk: deprecated in v1.11, non-functional in v1.16+',
  scaleIO: 'spec.scaleIO: deprecated in v1.16, non-functional in v1.22+',
  storageos: 'spec.storageOS: deprecated in v1.22, non-functional in v1.25+',
  glusterfs: 'spec.glusterfs: deprecated in v1.25, non-functional in v1.26+',
  cephfs: 'spec.cephfs: deprecated in v1.28, non-functional in v1.31+',
  rbd: 'spec.rbd: deprecated in v1.28, non-functional in v1.31+',
}

/** The annotation that had the options before the spec had them. */
const MOUNT_OPTIONS = 'volume.beta.kubernetes.io/mount-options'

function warnings(volume: PersistentVolume): string[] {
  const out = classWarning(volume)
  if (volume.metadata.annotations?.[MOUNT_OPTIONS] !== undefined)
    out.push(`${key('metadata.annotations', MOUNT_OPTIONS)}: deprecated since v1.31; use "mountOptions" attribute instead`)
  const { spec = {} } = volume
  if (spec.persistentVolumeReclaimPolicy === 'Recycle')
    out.push(
      'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.',
    )
  out.push(...nodeSelectorWarnings(spec.nodeAffinity?.required?.nodeSelectorTerms, 'spec.nodeAffinity.required'))
  for (const [name, text] of Object.entries(GONE)) if (getOwn(spec, name) !== undefined) out.push(text)
  return out
}
