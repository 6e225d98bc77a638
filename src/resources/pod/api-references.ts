/** Volume sources that do not refer to API objects. */
const FREE_STANDING: ReadonlySet<string> = new Set([
  'awsElasticBlockStore',
  'azureDisk',
  'cephfs',
  'cinder',
  'downwardAPI',
  'emptyDir',
  'fc',
  'flexVolume',
  'flocker',
  'gcePersistentDisk',
  'gitRepo',
  'hostPath',
  'image',
  'iscsi',
  'nfs',
  'photonPersistentDisk',
  'portworxVolume',
  'quobyte',
  'rbd',
  'scaleIO',
  'storageos',
  'vsphereVolume',
])

const REFERRING: Readonly<Record<string, string>> = {
  configMap: 'configmaps (via configmap volumes)',
  secret: 'secrets (via secret volumes)',
  csi: 'csidrivers (via CSI volumes)',
  glusterfs: 'endpoints (via glusterFS volumes)',
  persistentVolumeClaim: 'persistentvolumeclaims',
  ephemeral: 'persistentvolumeclaims (via ephemeral volumes)',
  azureFile: 'secrets (via azureFile volumes)',
}

const PROJECTED: Readonly<Record<string, string>> = {
  configMap: 'configmaps (via projected volumes)',
  secret: 'secrets (via projected volumes)',
  serviceAccountToken: 'serviceaccounts (via projected volumes)',
  clusterTrustBundle: 'clustertrustbundles',
  podCertificate: 'podcertificates',
}

/** Volume sources with a reference to a secret, by the path to its name. */
const SECRETS_OF_VOLUMES: readonly (readonly string[])[] = [
  ['cephfs', 'secretRef'],
  ['cinder', 'secretRef'],
  ['flexVolume', 'secretRef'],
  ['rbd', 'secretRef'],
  ['scaleIO', 'secretRef'],
  ['iscsi', 'secretRef'],
  ['storageos', 'secretRef'],
  ['csi', 'nodePublishSecretRef'],
]

/** The fields of a container that refer to objects. */
interface ReferringContainer {
  readonly envFrom?: readonly { readonly secretRef?: object; readonly configMapRef?: object }[]
  readonly env?: readonly { readonly valueFrom?: { readonly secretKeyRef?: object; readonly configMapKeyRef?: object } }[]
}

type Loose = Readonly<Record<string, unknown>>

/** The fields of a pod's spec, checked or not, that refer to objects. */
interface ReferringSpec {
  readonly serviceAccountName?: string
  readonly imagePullSecrets?: readonly object[]
  readonly resourceClaims?: readonly object[]
  readonly volumes?: readonly object[]
  readonly containers?: readonly ReferringContainer[]
  readonly initContainers?: readonly ReferringContainer[]
}

/**
 * The API objects that a static pod refers to, which is not allowed (`secrets`, `configmaps (via projected volumes)`, …); undefined if
 * there are none. Pure.
 */
export function apiReference(spec: ReferringSpec): string | undefined {
  if (spec.serviceAccountName) return 'serviceaccounts'
  const volumes = volumesOf(spec)
  const containers = containersOf(spec)
  if (namesSecret(spec)) return 'secrets'
  if (namesConfigMap(containers, volumes)) return 'configmaps'
  if ((spec.resourceClaims ?? []).length > 0) return 'resourceclaims'
  for (const volume of volumes) {
    const found = ofVolume(volume)
    if (found !== undefined) return found
  }
  return undefined
}

/** Whether a container, a volume or an image pull of the pod needs a secret. */
export function namesSecret(spec: ReferringSpec): boolean {
  if ((spec.imagePullSecrets ?? []).length > 0) return true
  if (containersOf(spec).some((c) => c.envFrom?.some((f) => f.secretRef) || c.env?.some((e) => e.valueFrom?.secretKeyRef))) return true
  return volumesOf(spec).some(
    (v) => v.secret || v.azureFile || sourcesOf(v).some((s) => s.secret) || SECRETS_OF_VOLUMES.some((path) => at(v, path) !== undefined),
  )
}

const namesConfigMap = (containers: readonly ReferringContainer[], volumes: readonly Loose[]): boolean =>
  containers.some((c) => c.envFrom?.some((f) => f.configMapRef) || c.env?.some((e) => e.valueFrom?.configMapKeyRef)) ||
  volumes.some((v) => v.configMap || sourcesOf(v).some((s) => s.configMap))

function ofVolume(volume: Loose): string | undefined {
  const kind = Object.keys(volume).find((k) => k !== 'name') ?? 'emptyDir'
  if (FREE_STANDING.has(kind)) return undefined
  if (kind !== 'projected') return REFERRING[kind] ?? `volumes of the unknown kind ${kind}`
  for (const source of sourcesOf(volume)) {
    const known = Object.keys(source).find((k) => PROJECTED[k] !== undefined)
    if (known !== undefined) return PROJECTED[known]
  }
  return undefined
}

const volumesOf = ({ volumes = [] }: ReferringSpec) => volumes as readonly Loose[]
const containersOf = ({ initContainers = [], containers = [] }: ReferringSpec) => [...initContainers, ...containers]
const sourcesOf = (volume: Loose): readonly Loose[] => (at(volume, ['projected', 'sources']) ?? []) as readonly Loose[]

const at = (value: Loose, path: readonly string[]): unknown =>
  path.reduce<unknown>((from, name) => (from as Loose | undefined | null)?.[name], value) ?? undefined
