import { child, type FieldError, invalid, key, notSupportedText, required } from '../../../machinery/field-error.ts'
import { dns1123Label, inRange } from '../../../machinery/names.ts'
import { validateEnum } from '../../enumerations.ts'
import type { AzureDisk, IscsiVolume, Volume } from '../types.ts'
import { validateLocalDescendingPath } from './validate-paths.ts'

export type VolumeCheck = (volume: Volume, path: string) => FieldError[]

const need = (value: unknown, path: string): FieldError[] => (value ? [] : [required(path)])

// Storage volumes in a pod's spec. Most are implemented by CSI drivers today; the rules remain.
const CHECKS: readonly (readonly [keyof Volume, VolumeCheck])[] = [
  [
    'gitRepo',
    (v, at) => [
      ...need(v.gitRepo?.repository, child(at, 'repository')),
      ...validateLocalDescendingPath(v.gitRepo?.directory ?? '', child(at, 'directory')),
    ],
  ],
  [
    'gcePersistentDisk',
    (v, at) => [...need(v.gcePersistentDisk?.pdName, child(at, 'pdName')), ...partition(v.gcePersistentDisk?.partition, at)],
  ],
  [
    'awsElasticBlockStore',
    (v, at) => [...need(v.awsElasticBlockStore?.volumeID, child(at, 'volumeID')), ...partition(v.awsElasticBlockStore?.partition, at)],
  ],
  ['nfs', (v, at) => validateNfs(v.nfs ?? {}, at)],
  ['iscsi', (v, at) => validateIscsi(v.iscsi ?? {}, at)],
  ['glusterfs', (v, at) => validateGlusterfs(v.glusterfs ?? {}, at)],
  ['flocker', (v, at) => validateFlocker(v.flocker ?? {}, at)],
  ['rbd', (v, at) => [...someMonitors(v.rbd?.monitors, at), ...need(v.rbd?.image, child(at, 'image'))]],
  [
    'cinder',
    (v, at) => [
      ...need(v.cinder?.volumeID, child(at, 'volumeID')),
      ...(v.cinder?.secretRef ? need(v.cinder.secretRef.name, child(at, 'secretRef', 'name')) : []),
    ],
  ],
  ['cephfs', (v, at) => someMonitors(v.cephfs?.monitors, at)],
  ['quobyte', (v, at) => validateQuobyte(v.quobyte ?? {}, at)],
  [
    'azureFile',
    (v, at) => [...need(v.azureFile?.secretName, child(at, 'secretName')), ...need(v.azureFile?.shareName, child(at, 'shareName'))],
  ],
  ['vsphereVolume', (v, at) => need(v.vsphereVolume?.volumePath, child(at, 'volumePath'))],
  ['photonPersistentDisk', (v, at) => need(v.photonPersistentDisk?.pdID, child(at, 'pdID'))],
  ['portworxVolume', (v, at) => need(v.portworxVolume?.volumeID, child(at, 'volumeID'))],
  ['azureDisk', (v, at) => validateAzureDisk(v.azureDisk ?? {}, at)],
  ['storageos', (v, at) => validateStorageOs(v.storageos ?? {}, at)],
  ['fc', (v, at) => validateFc(v.fc ?? {}, at)],
  ['flexVolume', (v, at) => validateFlex(v.flexVolume ?? {}, at)],
  ['scaleIO', (v, at) => (['gateway', 'system', 'volumeName'] as const).flatMap((field) => need(v.scaleIO?.[field], child(at, field)))],
]

/** The checks of storage sources by their field; PersistentVolumes share most of them. */
export const STORAGE_CHECKS: ReadonlyMap<string, VolumeCheck> = new Map(CHECKS)

const PARTITIONS = 'must be between 1 and 255, inclusive'

const partition = (value: number | undefined, path: string): FieldError[] =>
  value !== undefined && (value < 0 || value > 255) ? [PARTITIONS].map((text) => invalid(child(path, 'partition'), value, text)) : []

const someMonitors = (monitors: readonly string[] | undefined, path: string): FieldError[] =>
  (monitors ?? []).length === 0 ? [required(child(path, 'monitors'))] : []

function validateNfs(nfs: { server?: string; path?: string }, path: string): FieldError[] {
  const faults = [...need(nfs.server, child(path, 'server')), ...need(nfs.path, child(path, 'path'))]
  if (!(nfs.path ?? '').startsWith('/')) faults.push(invalid(child(path, 'path'), nfs.path ?? '', 'must be an absolute path'))
  return faults
}

const IQN = /^iqn\.\d{4}-\d{2}\.([A-Za-z0-9\-.]+)(:[^,;*&$|\s]+)$/
const EUI = /^eui\.[A-Fa-f0-9]{16}$/
const NAA = /^naa\.[A-Fa-f0-9]{32}$/

function validateIscsi(iscsi: IscsiVolume, path: string): FieldError[] {
  const faults = need(iscsi.targetPortal, child(path, 'targetPortal'))
  faults.push(...validateIqn(iscsi.iqn ?? '', child(path, 'iqn')))
  const lun = iscsi.lun ?? 0
  if (lun < 0 || lun > 255) faults.push(...inRange(lun, 0, 255).map((text) => invalid(child(path, 'lun'), lun, text)))
  if ((iscsi.chapAuthDiscovery || iscsi.chapAuthSession) && !iscsi.secretRef) faults.push(required(child(path, 'secretRef')))
  if (iscsi.initiatorName !== undefined) {
    faults.push(...validateInitiator(iscsi.initiatorName, child(path, 'initiatorname'), ' starting with iqn, eui, or naa'))
  }
  return faults
}

function validateIqn(iqn: string, path: string): FieldError[] {
  return iqn === '' ? [required(path)] : validateInitiator(iqn, path, ' starting with iqn, eui, or naa')
}

/** The name of an iSCSI initiator, in one of three formats; `unknown` is added if it has none of them. */
export function validateInitiator(name: string, path: string, unknown: string): FieldError[] {
  const format = name.startsWith('iqn') ? IQN : name.startsWith('eui') ? EUI : name.startsWith('naa') ? NAA : undefined
  if (!format) return [invalid(path, name, `must be valid format${unknown}`)]
  return format.test(name) ? [] : [invalid(path, name, 'must be valid format')]
}

function validateGlusterfs(source: { endpoints?: string; path?: string }, path: string): FieldError[] {
  return [...need(source.endpoints, child(path, 'endpoints')), ...need(source.path, child(path, 'path'))]
}

function validateFlocker(source: { datasetName?: string; datasetUUID?: string }, path: string): FieldError[] {
  const faults: FieldError[] = []
  if (!source.datasetName && !source.datasetUUID) faults.push(required(path, 'one of datasetName and datasetUUID is required'))
  if (source.datasetName && source.datasetUUID)
    faults.push(invalid(path, 'resource', 'datasetName and datasetUUID can not be specified simultaneously'))
  if (source.datasetName?.includes('/')) faults.push(invalid(child(path, 'datasetName'), source.datasetName, "must not contain '/'"))
  return faults
}

const HOST_PORT = /^([^:[\]]*|\[[^[\]]*\]):[^:[\]]*$/

function validateQuobyte(source: { registry?: string; volume?: string; tenant?: string }, path: string): FieldError[] {
  const faults: FieldError[] = []
  const at = child(path, 'registry')
  if (!source.registry) faults.push(required(at, 'must be a host:port pair or multiple pairs separated by commas'))
  else if ((source.tenant ?? '').length >= 65)
    faults.push(required(child(path, 'tenant'), 'must be a UUID and may not exceed a length of 64 characters'))
  else
    for (const pair of source.registry.split(','))
      if (!HOST_PORT.test(pair)) faults.push(invalid(at, source.registry, 'must be a host:port pair or multiple pairs separated by commas'))
  return [...faults, ...need(source.volume, child(path, 'volume'))]
}

function validateAzureDisk(disk: AzureDisk, path: string): FieldError[] {
  const faults = [...need(disk.diskName, child(path, 'diskName')), ...need(disk.diskURI, child(path, 'diskURI'))]
  faults.push(...validateEnum(disk.cachingMode, 'core_v1.AzureDataDiskCachingMode', child(path, 'cachingMode')))
  faults.push(...validateEnum(disk.kind, 'core_v1.AzureDataDiskKind', child(path, 'kind')))
  const managed = disk.diskURI?.startsWith('/subscriptions/')
  if (disk.kind === 'Managed' && !managed)
    faults.push(
      notSupportedText(child(path, 'diskURI'), disk.diskURI ?? '', [
        '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}',
      ]),
    )
  if (disk.kind !== undefined && disk.kind !== 'Managed' && !disk.diskURI?.startsWith('https://'))
    faults.push(
      notSupportedText(child(path, 'diskURI'), disk.diskURI ?? '', [
        'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd',
      ]),
    )
  return faults
}

function validateStorageOs(source: NonNullable<Volume['storageos']>, path: string): FieldError[] {
  const faults = need(source.volumeName, child(path, 'volumeName'))
  for (const field of ['volumeName', 'volumeNamespace'] as const) {
    const value = source[field]
    if (value) for (const text of dns1123Label(value)) faults.push(invalid(child(path, field), value, text))
  }
  if (source.secretRef && !source.secretRef.name) faults.push(required(child(path, 'secretRef', 'name')))
  return faults
}

const RESERVED = ['.kubernetes.io', '.k8s.io']

function validateFlex(source: NonNullable<Volume['flexVolume']>, path: string): FieldError[] {
  const faults = need(source.driver, child(path, 'driver'))
  for (const option of Object.keys(source.options ?? {})) {
    const space = `.${(option.split('/', 1)[0] ?? '').toLowerCase()}`
    if (RESERVED.some((end) => space.endsWith(end)))
      faults.push(invalid(key(child(path, 'options'), option), option, 'kubernetes.io and k8s.io namespaces are reserved'))
  }
  return faults
}

function validateFc(fc: NonNullable<Volume['fc']>, path: string): FieldError[] {
  const faults: FieldError[] = []
  const names = fc.targetWWNs ?? []
  const ids = fc.wwids ?? []
  if (names.length === 0 && ids.length === 0)
    faults.push(required(child(path, 'targetWWNs'), 'must specify either targetWWNs or wwids, but not both'))
  if (names.length > 0 && ids.length > 0)
    faults.push(invalid(child(path, 'targetWWNs'), names, 'targetWWNs and wwids can not be specified simultaneously'))
  if (names.length > 0) {
    if (fc.lun === undefined) faults.push(required(child(path, 'lun'), 'lun is required if targetWWNs is specified'))
    else if (fc.lun < 0 || fc.lun > 255) faults.push(...inRange(fc.lun, 0, 255).map((text) => invalid(child(path, 'lun'), fc.lun, text)))
  }
  return faults
}
