import {
  child,
  duplicate,
  type FieldError,
  forbidden,
  goQuote,
  index,
  invalid,
  notSupported,
  required,
} from '../../../machinery/field-error.ts'
import { dns1123Label, dns1123Subdomain } from '../../../machinery/names.ts'
import { tryParseQuantity } from '../../../machinery/quantity.ts'
import type { Volume } from '../types.ts'
import { validateEphemeralClaim } from './validate-ephemeral-claim.ts'
import { validateNoBacksteps } from './validate-paths.ts'
import { validateProjected } from './validate-projected.ts'
import { validatePullPolicy } from './validate-pull-policy.ts'
import { STORAGE_CHECKS } from './validate-storage-volumes.ts'
import { validateDownwardFiles, validateFiles, validateMode } from './validate-volume-files.ts'

const HOST_PATH_TYPES = ['', 'BlockDevice', 'CharDevice', 'Directory', 'DirectoryOrCreate', 'File', 'FileOrCreate', 'Socket']
const longestDriverName = 63

/** Validates the volumes of a spec: names, and one source each. Containers can mount valid ones. `podName` is undefined in a template. */
export function validateVolumes(
  volumes: readonly Volume[] | undefined,
  podName: string | undefined,
  path: string,
): { faults: FieldError[]; usable: ReadonlyMap<string, Volume> } {
  const names = new Set<string>()
  const usable = new Map<string, Volume>()
  const faults: FieldError[] = []
  for (const [i, volume] of (volumes ?? []).entries()) {
    const at = index(path, i)
    const name = volume.name ?? ''
    const own = validateSource(volume, at, podName)
    if (name === '') own.push(required(child(at, 'name')))
    else {
      const texts = dns1123Label(name)
      for (const text of texts) own.push(invalid(child(at, 'name'), name, text))
      if (texts.length === 0 && names.has(name)) own.push(duplicate(child(at, 'name'), name))
    }
    if (own.length === 0) {
      names.add(name)
      usable.set(name, volume)
    }
    faults.push(...own)
  }
  return { faults, usable }
}

/** `isPod`: the volume is one of a pod, not of a template. */
type SourceCheck = (volume: Volume, path: string, isPod: boolean) => FieldError[]

const OWN: readonly (readonly [keyof Volume, SourceCheck])[] = [
  ['emptyDir', (v, at) => validateEmptyDir(v.emptyDir?.sizeLimit, at)],
  ['hostPath', (v, at) => validateHostPath(v.hostPath ?? {}, at)],
  ['secret', (v, at) => validateFiles(v.secret?.secretName, 'secretName', v.secret ?? {}, at)],
  ['configMap', (v, at) => validateFiles(v.configMap?.name, 'name', v.configMap ?? {}, at)],
  ['persistentVolumeClaim', (v, at) => (v.persistentVolumeClaim?.claimName ? [] : [required(child(at, 'claimName'))])],
  [
    'downwardAPI',
    (v, at) => [...validateMode(v.downwardAPI?.defaultMode, child(at, 'defaultMode')), ...validateDownwardFiles(v.downwardAPI?.items, at)],
  ],
  ['projected', (v, at) => validateProjected(v.projected ?? {}, at)],
  ['csi', (v, at) => validateCsi(v.csi ?? {}, at)],
  ['image', (v, at, isPod) => validateImage(v.image ?? {}, at, isPod)],
  ['ephemeral', (v, at) => validateEphemeralClaim(v.ephemeral?.volumeClaimTemplate, child(at, 'volumeClaimTemplate'))],
]
const CHECKS: ReadonlyMap<string, SourceCheck> = new Map<string, SourceCheck>([...STORAGE_CHECKS, ...OWN])

/** In the order in which Kubernetes checks them: the first one counts. */
const SOURCES: readonly (keyof Volume)[] = [
  'emptyDir',
  'hostPath',
  'gitRepo',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'secret',
  'nfs',
  'iscsi',
  'glusterfs',
  'flocker',
  'persistentVolumeClaim',
  'rbd',
  'cinder',
  'cephfs',
  'quobyte',
  'downwardAPI',
  'fc',
  'flexVolume',
  'configMap',
  'azureFile',
  'vsphereVolume',
  'photonPersistentDisk',
  'portworxVolume',
  'azureDisk',
  'storageos',
  'projected',
  'scaleIO',
  'csi',
  'ephemeral',
  'image',
]
/** Fields that Kubernetes names differently, for a second source and inside of one. */
const OTHER_NAMES: Readonly<Record<string, string>> = { cephfs: 'cephFS', downwardAPI: 'downwarAPI' }
const longestPortalName = 64

function validateSource(volume: Volume, path: string, podName: string | undefined): FieldError[] {
  const [first, ...more] = SOURCES.filter((field) => volume[field] !== undefined)
  if (first === undefined) return [required(path, 'must specify a volume type')]
  const faults = [
    ...(CHECKS.get(first)?.(volume, child(path, first === 'gcePersistentDisk' ? 'persistentDisk' : first), podName !== undefined) ?? []),
  ]
  for (const field of more) faults.push(forbidden(child(path, OTHER_NAMES[field] ?? field), 'may not specify more than 1 volume type'))
  const { name = '', iscsi } = volume
  if (iscsi?.initiatorName !== undefined && `${name}:${iscsi.targetPortal ?? ''}`.length > longestPortalName)
    faults.push(invalid(child(path, 'name'), name, TOO_LONG_PORTAL))
  const claim = `${podName ?? ''}-${name}`
  if (first === 'ephemeral' && podName && name)
    for (const text of dns1123Subdomain(claim)) faults.push(invalid(child(path, 'name'), name, `PVC name ${goQuote(claim)}: ${text}`))
  return faults
}

const TOO_LONG_PORTAL =
  'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.'

function validateEmptyDir(sizeLimit: string | undefined, path: string): FieldError[] {
  const size = sizeLimit === undefined ? undefined : tryParseQuantity(sizeLimit)
  return size && size.sign() < 0 ? [forbidden(child(path, 'sizeLimit'), 'SizeLimit field must be a valid resource quantity')] : []
}

/** A path on the node, and its required type. */
export function validateHostPath(source: { path?: string; type?: string }, path: string): FieldError[] {
  if (!source.path) return [required(child(path, 'path'))]
  const faults = validateNoBacksteps(source.path, child(path, 'path'))
  if (source.type !== undefined && !HOST_PATH_TYPES.includes(source.type))
    faults.push(notSupported(child(path, 'type'), source.type, HOST_PATH_TYPES))
  return faults
}

function validateCsi(csi: NonNullable<Volume['csi']>, path: string): FieldError[] {
  const faults = validateCsiDriverName(csi.driver ?? '', child(path, 'driver'))
  if (csi.nodePublishSecretRef) {
    const at = child(path, 'nodePublishSecretRef')
    if (!csi.nodePublishSecretRef.name) faults.push(required(child(at, 'name')))
    else
      for (const text of dns1123Subdomain(csi.nodePublishSecretRef.name))
        faults.push(invalid(child(path, 'name'), csi.nodePublishSecretRef.name, text))
  }
  return faults
}

/** A CSI driver's name: a subdomain in any case, with a maximum length. */
export function validateCsiDriverName(name: string, path: string): FieldError[] {
  const faults: FieldError[] = []
  if (name === '') faults.push(required(path))
  if (Buffer.byteLength(name) > longestDriverName)
    faults.push({ type: 'FieldValueTooLong', field: path, message: `Too long: may not be more than ${longestDriverName} bytes` })
  for (const text of dns1123Subdomain(name.toLowerCase())) faults.push(invalid(path, name, text))
  return name === '' ? faults.slice(0, 1) : faults
}

/** Controllers may add the reference to a template. */
function validateImage(image: { reference?: string; pullPolicy?: string }, path: string, isPod: boolean): FieldError[] {
  const faults: FieldError[] = []
  if (isPod && !image.reference) faults.push(required(child(path, 'reference')))
  return [...faults, ...validatePullPolicy(image.pullPolicy, child(path, 'pullPolicy'))]
}
