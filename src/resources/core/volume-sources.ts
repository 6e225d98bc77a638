import { child, type FieldError, forbidden, invalid, notSupported, required } from '../../machinery/field-error.ts'
import { dns1123Label } from '../../machinery/names.ts'
import { invalidEach } from '../checks.ts'
import { validateNoBacksteps } from '../pod/validate-paths.ts'
import { validateCsiDriverName } from '../pod/validate-volumes.ts'

/** The kinds of volume a PersistentVolume can be, in the order in which Kubernetes looks at them. */
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
  'azureFile',
  'vsphereVolume',
  'azureDisk',
  'photonPersistentDisk',
  'portworxVolume',
  'scaleIO',
  'local',
  'storageos',
  'csi',
] as const
export type SourceName = (typeof SOURCES)[number]

// biome-ignore lint/suspicious/noExplicitAny: twenty shapes of which each check reads a few fields
type Source = Record<string, any>

const needs =
  (...fields: readonly string[]) =>
  (source: Source, path: string): FieldError[] =>
    fields.flatMap((field) => (source[field] === undefined || source[field] === '' ? [required(child(path, field))] : []))

const HOST_PATH_TYPES = ['', 'BlockDevice', 'CharDevice', 'Directory', 'DirectoryOrCreate', 'File', 'FileOrCreate', 'Socket']

const CHECKS: Readonly<Record<SourceName, (source: Source, path: string) => readonly FieldError[]>> = {
  hostPath: (s, p) => {
    if (!s.path) return [required(child(p, 'path'))]
    const faults = [...validateNoBacksteps(s.path, child(p, 'path'))]
    if (s.type !== undefined && !HOST_PATH_TYPES.includes(s.type)) faults.push(notSupported(child(p, 'type'), s.type, HOST_PATH_TYPES))
    return faults
  },
  gcePersistentDisk: (s, p) => [...needs('pdName')(s, p), ...partition(s, p)],
  awsElasticBlockStore: (s, p) => [...needs('volumeID')(s, p), ...partition(s, p)],
  glusterfs: (s, p) => {
    const faults = needs('endpoints', 'path')(s, p)
    if (s.endpointsNamespace !== undefined)
      faults.push(...invalidEach(child(p, 'endpointsNamespace'), s.endpointsNamespace, dns1123Label(s.endpointsNamespace)))
    return faults
  },
  flocker: (s, p) => {
    if (!s.datasetName && !s.datasetUUID) return [required(p, 'one of datasetName and datasetUUID is required')]
    if (s.datasetName && s.datasetUUID) return [invalid(p, 'resource', 'datasetName and datasetUUID can not be specified simultaneously')]
    return (s.datasetName ?? '').includes('/') ? [invalid(child(p, 'datasetName'), s.datasetName, "must not contain '/'")] : []
  },
  nfs: (s, p) => {
    const faults = needs('server', 'path')(s, p)
    if (s.path && !s.path.startsWith('/')) faults.push(invalid(child(p, 'path'), s.path, 'must be an absolute path'))
    return faults
  },
  rbd: (s, p) => [...(s.monitors?.length ? [] : [required(child(p, 'monitors'))]), ...needs('image')(s, p)],
  quobyte: (s, p) => {
    const faults = s.registry ? [] : [required(child(p, 'registry'), 'must be a host:port pair or multiple pairs separated by commas')]
    return [...faults, ...needs('volume')(s, p)]
  },
  cephfs: (s, p) => (s.monitors?.length ? [] : [required(child(p, 'monitors'))]),
  iscsi: validateIscsi,
  cinder: (s, p) => {
    const faults = needs('volumeID')(s, p)
    if (s.secretRef) faults.push(...needs('name', 'namespace')(s.secretRef, child(p, 'secretRef')))
    return faults
  },
  fc: validateFc,
  azureFile: (s, p) => {
    const faults = needs('secretName', 'shareName')(s, p)
    if (s.secretNamespace === '') faults.push(required(child(p, 'secretNamespace')))
    return faults
  },
  vsphereVolume: needs('volumePath'),
  azureDisk: needs('diskName', 'diskURI'),
  photonPersistentDisk: needs('pdID'),
  portworxVolume: needs('volumeID'),
  scaleIO: needs('gateway', 'system', 'volumeName'),
  local: (s, p) => (s.path ? validateNoBacksteps(s.path, child(p, 'path')) : [required(child(p, 'path'))]),
  storageos: needs('volumeName'),
  csi: validateCsi,
}

function partition(s: Source, p: string): FieldError[] {
  const number = s.partition ?? 0
  return number < 0 || number > 255 ? [invalid(child(p, 'partition'), number, 'must be between 0 and 255, inclusive')] : []
}

const IQN = /^iqn\.\d{4}-\d{2}\.([a-z0-9][a-z0-9-]*\.)*[a-z0-9-]+(:[^,;*&$|\s]+)?$/

function validateIscsi(s: Source, p: string): FieldError[] {
  const faults = needs('targetPortal', 'iqn')(s, p)
  const iqn: string = s.iqn ?? ''
  if (iqn !== '' && !['iqn', 'eui', 'naa'].some((scheme) => iqn.startsWith(scheme)))
    faults.push(invalid(child(p, 'iqn'), iqn, 'must be valid format starting with iqn, eui, or naa'))
  else if (iqn.startsWith('iqn') && !IQN.test(iqn)) faults.push(invalid(child(p, 'iqn'), iqn, 'must be valid format'))
  if ((s.lun ?? 0) < 0 || (s.lun ?? 0) > 255) faults.push(invalid(child(p, 'lun'), s.lun, 'must be between 0 and 255, inclusive'))
  if ((s.chapAuthDiscovery || s.chapAuthSession) && !s.secretRef) faults.push(required(child(p, 'secretRef')))
  if (s.secretRef && !s.secretRef.name) faults.push(required(child(p, 'secretRef', 'name')))
  return faults
}

function validateFc(s: Source, p: string): FieldError[] {
  const targets = s.targetWWNs?.length > 0
  const wwids = s.wwids?.length > 0
  if (!targets && !wwids) return [required(child(p, 'targetWWNs'), 'must specify either targetWWNs or wwids, but not both')]
  if (targets && wwids) return [invalid(child(p, 'targetWWNs'), s.targetWWNs, 'targetWWNs and wwids can not be specified simultaneously')]
  if (!targets) return []
  if (s.lun === undefined) return [required(child(p, 'lun'), 'lun is required if targetWWNs is specified')]
  return s.lun < 0 || s.lun > 255 ? [invalid(child(p, 'lun'), s.lun, 'must be between 0 and 255, inclusive')] : []
}

const CSI_SECRETS = ['controllerPublishSecretRef', 'controllerExpandSecretRef', 'nodePublishSecretRef', 'nodeExpandSecretRef']

function validateCsi(s: Source, p: string): FieldError[] {
  const faults = [...validateCsiDriverName(s.driver ?? '', child(p, 'driver')), ...needs('volumeHandle')(s, p)]
  for (const name of CSI_SECRETS) if (s[name]) faults.push(...needs('name', 'namespace')(s[name], child(p, name)))
  return faults
}

/** Exactly one source, and that one right. */
export function validateVolumeSource(spec: Source, path: string): FieldError[] {
  const present = SOURCES.filter((name) => spec[name] !== undefined)
  if (present.length === 0) return [required(path, 'must specify a volume type')]
  return present.flatMap((name, i) =>
    i > 0 ? [forbidden(child(path, name), 'may not specify more than 1 volume type')] : CHECKS[name](spec[name], child(path, name)),
  )
}
