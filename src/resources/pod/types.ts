import type { LabelSelector } from '../../machinery/validation/label-selector.ts'

/** A pod's desired state, as far as rules read it. Every field may be absent: objects come as clients wrote them. */
export interface PodSpec {
  volumes?: Volume[]
  initContainers?: Container[]
  containers?: Container[]
  ephemeralContainers?: EphemeralContainer[]
  restartPolicy?: string
  terminationGracePeriodSeconds?: number
  activeDeadlineSeconds?: number
  dnsPolicy?: string
  nodeSelector?: Record<string, string>
  serviceAccountName?: string
  serviceAccount?: string
  automountServiceAccountToken?: boolean
  nodeName?: string
  hostNetwork?: boolean
  hostPID?: boolean
  hostIPC?: boolean
  shareProcessNamespace?: boolean
  securityContext?: PodSecurityContext
  imagePullSecrets?: { name?: string }[]
  hostname?: string
  subdomain?: string
  affinity?: Affinity
  schedulerName?: string
  tolerations?: Toleration[]
  hostAliases?: { ip?: string; hostnames?: string[] }[]
  priorityClassName?: string
  priority?: number
  dnsConfig?: PodDnsConfig
  readinessGates?: { conditionType?: string }[]
  runtimeClassName?: string
  enableServiceLinks?: boolean
  preemptionPolicy?: string
  overhead?: ResourceList
  topologySpreadConstraints?: TopologySpreadConstraint[]
  setHostnameAsFQDN?: boolean
  os?: { name?: string }
  hostUsers?: boolean
  schedulingGates?: { name?: string }[]
  resourceClaims?: PodResourceClaim[]
  resources?: ResourceRequirements
  hostnameOverride?: string
}

/** The template of the pods that a controller makes. */
export interface PodTemplateSpec {
  metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> }
  spec?: PodSpec
}

export type ResourceList = Record<string, string>

export interface ResourceRequirements {
  limits?: ResourceList
  requests?: ResourceList
  claims?: { name?: string; request?: string }[]
}

export interface Container {
  name?: string
  image?: string
  command?: string[]
  args?: string[]
  workingDir?: string
  ports?: ContainerPort[]
  envFrom?: EnvFromSource[]
  env?: EnvVar[]
  resources?: ResourceRequirements
  resizePolicy?: { resourceName?: string; restartPolicy?: string }[]
  restartPolicy?: string
  restartPolicyRules?: { action?: string; exitCodes?: { operator?: string; values?: number[] } }[]
  volumeMounts?: VolumeMount[]
  volumeDevices?: { name?: string; devicePath?: string }[]
  livenessProbe?: Probe
  readinessProbe?: Probe
  startupProbe?: Probe
  lifecycle?: { postStart?: Handler; preStop?: Handler; stopSignal?: string }
  terminationMessagePath?: string
  terminationMessagePolicy?: string
  imagePullPolicy?: string
  securityContext?: SecurityContext
}

export interface EphemeralContainer extends Container {
  targetContainerName?: string
}

export interface ContainerPort {
  name?: string
  hostPort?: number
  containerPort?: number
  protocol?: string
  hostIP?: string
}

export interface EnvFromSource {
  prefix?: string
  configMapRef?: { name?: string; optional?: boolean }
  secretRef?: { name?: string; optional?: boolean }
}

export interface EnvVar {
  name?: string
  value?: string
  valueFrom?: EnvVarSource
}

export interface EnvVarSource {
  fieldRef?: FieldRef
  resourceFieldRef?: ResourceFieldRef
  configMapKeyRef?: KeyRef
  secretKeyRef?: KeyRef
  fileKeyRef?: { volumeName?: string; path?: string; key?: string; optional?: boolean }
}

export interface FieldRef {
  apiVersion?: string
  fieldPath?: string
}

export interface ResourceFieldRef {
  containerName?: string
  resource?: string
  divisor?: string
}

export interface KeyRef {
  name?: string
  key?: string
  optional?: boolean
}

export interface VolumeMount {
  name?: string
  readOnly?: boolean
  recursiveReadOnly?: string
  mountPath?: string
  subPath?: string
  mountPropagation?: string
  subPathExpr?: string
}

export interface Handler {
  exec?: { command?: string[] }
  httpGet?: { path?: string; port?: number | string; host?: string; scheme?: string; httpHeaders?: { name?: string; value?: string }[] }
  tcpSocket?: { port?: number | string; host?: string }
  grpc?: { port?: number; service?: string }
  sleep?: { seconds?: number }
}

export interface Probe extends Handler {
  initialDelaySeconds?: number
  timeoutSeconds?: number
  periodSeconds?: number
  successThreshold?: number
  failureThreshold?: number
  terminationGracePeriodSeconds?: number
}

export interface SeccompProfile {
  type?: string
  localhostProfile?: string
}

export interface WindowsOptions {
  gmsaCredentialSpecName?: string
  gmsaCredentialSpec?: string
  runAsUserName?: string
  hostProcess?: boolean
}

export interface SecurityContext {
  capabilities?: { add?: string[]; drop?: string[] }
  privileged?: boolean
  seLinuxOptions?: object
  windowsOptions?: WindowsOptions
  runAsUser?: number
  runAsGroup?: number
  runAsNonRoot?: boolean
  readOnlyRootFilesystem?: boolean
  allowPrivilegeEscalation?: boolean
  procMount?: string
  seccompProfile?: SeccompProfile
  appArmorProfile?: SeccompProfile
}

export interface PodSecurityContext {
  seLinuxOptions?: object
  windowsOptions?: WindowsOptions
  runAsUser?: number
  runAsGroup?: number
  runAsNonRoot?: boolean
  supplementalGroups?: number[]
  supplementalGroupsPolicy?: string
  fsGroup?: number
  sysctls?: { name?: string; value?: string }[]
  fsGroupChangePolicy?: string
  seccompProfile?: SeccompProfile
  appArmorProfile?: SeccompProfile
  seLinuxChangePolicy?: string
}

export interface Toleration {
  key?: string
  operator?: string
  value?: string
  effect?: string
  tolerationSeconds?: number
}

export interface PodDnsConfig {
  nameservers?: string[]
  searches?: string[]
  options?: { name?: string; value?: string }[]
}

export interface TopologySpreadConstraint {
  maxSkew?: number
  topologyKey?: string
  whenUnsatisfiable?: string
  labelSelector?: LabelSelector
  minDomains?: number
  nodeAffinityPolicy?: string
  nodeTaintsPolicy?: string
  matchLabelKeys?: string[]
}

export interface PodResourceClaim {
  name?: string
  resourceClaimName?: string
  resourceClaimTemplateName?: string
}

export interface Affinity {
  nodeAffinity?: {
    requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector
    preferredDuringSchedulingIgnoredDuringExecution?: { weight?: number; preference?: NodeSelectorTerm }[]
  }
  podAffinity?: PodAffinity
  podAntiAffinity?: PodAffinity
}

export interface NodeSelector {
  nodeSelectorTerms?: NodeSelectorTerm[]
}

export interface NodeSelectorTerm {
  matchExpressions?: NodeSelectorRequirement[]
  matchFields?: NodeSelectorRequirement[]
}

export interface NodeSelectorRequirement {
  key?: string
  operator?: string
  values?: string[]
}

export interface PodAffinity {
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[]
  preferredDuringSchedulingIgnoredDuringExecution?: { weight?: number; podAffinityTerm?: PodAffinityTerm }[]
}

export interface PodAffinityTerm {
  labelSelector?: LabelSelector
  namespaces?: string[]
  topologyKey?: string
  namespaceSelector?: LabelSelector
  matchLabelKeys?: string[]
  mismatchLabelKeys?: string[]
}

/** A volume and its one source. Sources that only need a few fields checked are left open. */
export interface Volume {
  name?: string
  emptyDir?: { medium?: string; sizeLimit?: string }
  hostPath?: { path?: string; type?: string }
  gitRepo?: { repository?: string; directory?: string }
  gcePersistentDisk?: { pdName?: string; partition?: number }
  awsElasticBlockStore?: { volumeID?: string; partition?: number }
  secret?: { secretName?: string; items?: KeyToPath[]; defaultMode?: number }
  nfs?: { server?: string; path?: string }
  iscsi?: IscsiVolume
  glusterfs?: { endpoints?: string; path?: string }
  flexVolume?: { driver?: string; options?: Record<string, string> }
  cinder?: { volumeID?: string; secretRef?: { name?: string } }
  cephfs?: { monitors?: string[] }
  flocker?: { datasetName?: string; datasetUUID?: string }
  fc?: { targetWWNs?: string[]; lun?: number; wwids?: string[] }
  configMap?: { name?: string; items?: KeyToPath[]; defaultMode?: number }
  azureFile?: { secretName?: string; shareName?: string }
  vsphereVolume?: { volumePath?: string }
  quobyte?: { registry?: string; volume?: string; tenant?: string }
  azureDisk?: AzureDisk
  photonPersistentDisk?: { pdID?: string }
  portworxVolume?: { volumeID?: string }
  scaleIO?: { gateway?: string; system?: string; volumeName?: string; storageMode?: string; fsType?: string }
  storageos?: { volumeName?: string; volumeNamespace?: string; secretRef?: { name?: string } }
  rbd?: { monitors?: string[]; image?: string; pool?: string; user?: string; keyring?: string }
  persistentVolumeClaim?: { claimName?: string; readOnly?: boolean }
  downwardAPI?: { items?: DownwardFile[]; defaultMode?: number }
  projected?: { sources?: ProjectedSource[]; defaultMode?: number }
  csi?: { driver?: string; nodePublishSecretRef?: { name?: string }; readOnly?: boolean }
  ephemeral?: { volumeClaimTemplate?: { metadata?: object; spec?: object } }
  image?: { reference?: string; pullPolicy?: string }
}

export interface KeyToPath {
  key?: string
  path?: string
  mode?: number
}

export interface DownwardFile {
  path?: string
  fieldRef?: FieldRef
  resourceFieldRef?: ResourceFieldRef
  mode?: number
}

export interface ProjectedSource {
  secret?: { name?: string; items?: KeyToPath[] }
  configMap?: { name?: string; items?: KeyToPath[] }
  downwardAPI?: { items?: DownwardFile[] }
  serviceAccountToken?: { audience?: string; expirationSeconds?: number; path?: string }
  clusterTrustBundle?: { name?: string; signerName?: string; labelSelector?: LabelSelector; path?: string; optional?: boolean }
  podCertificate?: PodCertificate
}

export interface PodCertificate {
  signerName?: string
  keyType?: string
  maxExpirationSeconds?: number
  credentialBundlePath?: string
  keyPath?: string
  certificateChainPath?: string
  userAnnotations?: Record<string, string>
}

export interface IscsiVolume {
  targetPortal?: string
  iqn?: string
  lun?: number
  iscsiInterface?: string
  chapAuthDiscovery?: boolean
  chapAuthSession?: boolean
  secretRef?: { name?: string }
  initiatorName?: string
}

export interface AzureDisk {
  diskName?: string
  diskURI?: string
  cachingMode?: string
  fsType?: string
  readOnly?: boolean
  kind?: string
}

/** What checks of a pod spec must know besides it. */
export interface PodRules {
  /** Containers may ask for privilege (a kube-apiserver flag). */
  readonly allowPrivileged: boolean
}
