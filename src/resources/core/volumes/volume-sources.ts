import { child, type FieldError, forbidden, invalid, required } from '../../../machinery/field-error.ts'
import { dns1123Label, dns1123Subdomain } from '../../../machinery/names.ts'
import { getOwn } from '../../../machinery/object.ts'
import { faultsOfEach } from '../../../machinery/validation/faults-of-each.ts'
import { invalidEach } from '../../checks.ts'
import { validateNoBacksteps } from '../../pod/validation/validate-paths.ts'
import { STORAGE_CHECKS, validateInitiator } from '../../pod/validation/validate-storage-volumes.ts'
import { validateCsiDriverName, validateHostPath } from '../../pod/validation/validate-volumes.ts'
import type * as core from '../../types/core.ts'
import type { Unchecked } from '../../unchecked.ts'

/** A PersistentVolume's spec, not validated yet; also inline in VolumeAttachments. */
export type VolumeSpec = Unchecked<core.PersistentVolumeSpec>

/** The volume sources of a PersistentVolume, in the order in which Kubernetes checks them. */
export const SOURCES = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'flocker',
  'nfs',
  'rbd',
  'quobyte',
  'cephfs',
  'iscsi',
  'cinder',
  'fc',
  'flexVolume',
  'azureFile',
  'vsphereVolume',
  'photonPersistentDisk',
  'portworxVolume',
  'azureDisk',
  'scaleIO',
  'local',
  'storageos',
  'csi',
] as const
export type SourceName = (typeof SOURCES)[number]

/** Sources that are mounted with options. */
export const TAKE_MOUNT_OPTIONS: ReadonlySet<SourceName> = new Set([
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'nfs',
  'rbd',
  'quobyte',
  'cephfs',
  'iscsi',
  'cinder',
  'azureFile',
  'vsphereVolume',
  'photonPersistentDisk',
  'azureDisk',
])

type Source<N extends SourceName> = NonNullable<VolumeSpec[N]>

const needs =
  (...fields: readonly string[]) =>
  (source: object, path: string): FieldError[] =>
    fields.filter((field) => (getOwn(source, field) ?? '') === '').map((field) => required(child(path, field)))

/** The check of the same source in a pod's volume. */
const shared =
  (field: SourceName) =>
  (source: object, path: string): FieldError[] =>
    STORAGE_CHECKS.get(field)?.({ [field]: source }, path) ?? []

type Checks = { readonly [N in SourceName]: (source: Source<N>, path: string, name: string) => readonly FieldError[] }

const CHECKS: Checks = {
  hostPath: validateHostPath,
  gcePersistentDisk: shared('gcePersistentDisk'),
  awsElasticBlockStore: shared('awsElasticBlockStore'),
  glusterfs: validateGlusterfs,
  flocker: shared('flocker'),
  nfs: shared('nfs'),
  rbd: shared('rbd'),
  quobyte: shared('quobyte'),
  cephfs: shared('cephfs'),
  iscsi: validateIscsi,
  cinder: (s, p) => {
    const faults = needs('volumeID')(s, p)
    if (s.secretRef) faults.push(...needs('name', 'namespace')(s.secretRef, child(p, 'secretRef')))
    return faults
  },
  fc: shared('fc'),
  flexVolume: shared('flexVolume'),
  azureFile: (s, p) => {
    const faults = needs('secretName', 'shareName')(s, p)
    if (s.secretNamespace === '') faults.push(required(child(p, 'secretNamespace')))
    return faults
  },
  vsphereVolume: shared('vsphereVolume'),
  azureDisk: shared('azureDisk'),
  photonPersistentDisk: shared('photonPersistentDisk'),
  portworxVolume: shared('portworxVolume'),
  scaleIO: shared('scaleIO'),
  local: (s, p) => (s.path ? validateNoBacksteps(s.path, child(p, 'path')) : [required(child(p, 'path'))]),
  storageos: (s, p) => {
    const faults = shared('storageos')(s, p)
    if (s.secretRef) faults.push(...needs('namespace')(s.secretRef, child(p, 'secretRef')))
    return faults
  },
  csi: validateCsi,
}

function validateGlusterfs(s: Source<'glusterfs'>, p: string): FieldError[] {
  const faults = shared('glusterfs')(s, p)
  const at = child(p, 'endpointsNamespace')
  const namespace = s.endpointsNamespace
  if (namespace === '') faults.push(invalid(at, namespace, 'if the endpointnamespace is set, it must be a valid namespace name'))
  else if (namespace !== undefined) faults.push(...invalidEach(at, namespace, dns1123Label(namespace)))
  return faults
}

const MAX_PORTAL_NAME = 64
const TOO_LONG_PORTAL =
  'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.'

function validateIscsi(s: Source<'iscsi'>, p: string, name: string): FieldError[] {
  const faults = needs('targetPortal', 'iqn')(s, p)
  const initiator = s.initiatorName
  if (initiator !== undefined && `${name}:${s.targetPortal ?? ''}`.length > MAX_PORTAL_NAME)
    faults.push(invalid(child(p, 'targetportal'), s.targetPortal ?? '', TOO_LONG_PORTAL))
  if (s.iqn) faults.push(...validateInitiator(s.iqn, child(p, 'iqn'), ''))
  if ((s.lun ?? 0) < 0 || (s.lun ?? 0) > 255) faults.push(invalid(child(p, 'lun'), s.lun, 'must be between 0 and 255, inclusive'))
  if ((s.chapAuthDiscovery || s.chapAuthSession) && !s.secretRef) faults.push(required(child(p, 'secretRef')))
  if (s.secretRef && !s.secretRef.name) faults.push(required(child(p, 'secretRef', 'name')))
  return initiator === undefined ? faults : [...faults, ...validateInitiator(initiator, child(p, 'initiatorname'), '')]
}

const CSI_SECRETS = ['controllerPublishSecretRef', 'controllerExpandSecretRef', 'nodePublishSecretRef', 'nodeExpandSecretRef'] as const

function validateCsi(s: Source<'csi'>, p: string): FieldError[] {
  const faults = [...validateCsiDriverName(s.driver ?? '', child(p, 'driver')), ...needs('volumeHandle')(s, p)]
  for (const field of CSI_SECRETS) {
    const secret = s[field]
    if (secret) faults.push(...validateSecretReference(secret, child(p, field)))
  }
  return faults
}

function validateSecretReference({ name, namespace }: { name?: string; namespace?: string }, path: string): FieldError[] {
  return [
    ...(name ? invalidEach(child(path, 'name'), name, dns1123Subdomain(name)) : [required(child(path, 'name'))]),
    ...(namespace ? invalidEach(child(path, 'namespace'), namespace, dns1123Label(namespace)) : [required(child(path, 'namespace'))]),
  ]
}

/** Sources that Kubernetes names differently in paths. */
const INSIDE: Readonly<Record<string, string>> = { gcePersistentDisk: 'persistentDisk' }
const SECOND: Readonly<Record<string, string>> = { cephfs: 'cephFS' }

/** Exactly one valid source; a second one of kind `flexVolume` is accepted, as in Kubernetes. */
export function validateVolumeSource(spec: VolumeSpec, path: string, volumeName = ''): FieldError[] {
  const present = SOURCES.filter((name) => spec[name] !== undefined)
  if (present.length === 0) return [required(path, 'must specify a volume type')]
  return faultsOfEach(present, (name, i) =>
    i > 0 && name !== 'flexVolume'
      ? [forbidden(child(path, SECOND[name] ?? name), 'may not specify more than 1 volume type')]
      : checkSource(name, spec[name], child(path, INSIDE[name] ?? name), volumeName),
  )
}

/** Whether the volume is local: of several sources, the first counts. */
export const isLocal = (spec: VolumeSpec): boolean => SOURCES.find((name) => spec[name] !== undefined) === 'local'

const checkSource = <N extends SourceName>(name: N, source: VolumeSpec[N], path: string, volumeName: string): readonly FieldError[] =>
  source ? CHECKS[name](source, path, volumeName) : []

/** Fills in the defaults of the source that a volume has. */
export function defaultVolumeSource(spec: VolumeSpec): void {
  if (spec.hostPath) spec.hostPath.type ??= ''
  if (spec.rbd) {
    spec.rbd.pool ||= 'rbd'
    spec.rbd.user ||= 'admin'
    spec.rbd.keyring ||= '/etc/ceph/keyring'
  }
  if (spec.iscsi) spec.iscsi.iscsiInterface ||= 'default'
  if (spec.scaleIO) {
    spec.scaleIO.storageMode ||= 'ThinProvisioned'
    spec.scaleIO.fsType ||= 'xfs'
  }
  if (spec.azureDisk) {
    const disk = spec.azureDisk
    disk.cachingMode ??= 'ReadWrite'
    disk.kind ??= 'Shared'
    disk.fsType ??= 'ext4'
    disk.readOnly ??= false
  }
}
