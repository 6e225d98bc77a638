import { equalJson } from '../machinery/equal.ts'
import type { KubeObject } from '../machinery/object.ts'

/** The parts of the API's objects that decide where a pod goes. Names are Kubernetes' own. */
export type ResourceList = Readonly<Record<string, string | number>>

export interface ResourceRequirements {
  requests?: ResourceList
  limits?: ResourceList
}

export interface ContainerPort {
  containerPort: number
  hostPort?: number
  hostIP?: string
  protocol?: string
}

export interface Container {
  name: string
  image?: string
  resources?: ResourceRequirements
  ports?: readonly ContainerPort[]
  restartPolicy?: string
  restartPolicyRules?: readonly { readonly action: string }[]
}

export interface LabelSelectorRequirement {
  key: string
  operator: string
  values?: readonly string[]
}

export interface LabelSelector {
  matchLabels?: Readonly<Record<string, string>>
  matchExpressions?: readonly LabelSelectorRequirement[]
}

export interface NodeSelectorTerm {
  matchExpressions?: readonly LabelSelectorRequirement[]
  matchFields?: readonly LabelSelectorRequirement[]
}

export interface NodeSelector {
  nodeSelectorTerms?: readonly NodeSelectorTerm[]
}

export interface NodeAffinity {
  requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector
  preferredDuringSchedulingIgnoredDuringExecution?: readonly { weight: number; preference: NodeSelectorTerm }[]
}

export interface PodAffinityTerm {
  labelSelector?: LabelSelector
  namespaces?: readonly string[]
  namespaceSelector?: LabelSelector
  topologyKey: string
  matchLabelKeys?: readonly string[]
  mismatchLabelKeys?: readonly string[]
}

export interface WeightedPodAffinityTerm {
  weight: number
  podAffinityTerm: PodAffinityTerm
}

export interface PodAffinity {
  requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[]
  preferredDuringSchedulingIgnoredDuringExecution?: readonly WeightedPodAffinityTerm[]
}

export interface Toleration {
  key?: string
  operator?: string
  value?: string
  effect?: string
}

export interface Taint {
  key: string
  value?: string
  effect: string
}

export interface TopologySpreadConstraint {
  maxSkew: number
  topologyKey: string
  whenUnsatisfiable: string
  labelSelector?: LabelSelector
  minDomains?: number
  nodeAffinityPolicy?: string
  nodeTaintsPolicy?: string
  matchLabelKeys?: readonly string[]
}

export interface Volume {
  name: string
  persistentVolumeClaim?: { claimName: string }
  ephemeral?: object
  csi?: { driver: string }
  image?: { reference?: string }
}

export interface PodSpec {
  nodeName?: string
  schedulerName?: string
  containers: readonly Container[]
  initContainers?: readonly Container[]
  overhead?: ResourceList
  resources?: ResourceRequirements
  nodeSelector?: Readonly<Record<string, string>>
  affinity?: { nodeAffinity?: NodeAffinity; podAffinity?: PodAffinity; podAntiAffinity?: PodAffinity }
  tolerations?: readonly Toleration[]
  topologySpreadConstraints?: readonly TopologySpreadConstraint[]
  priority?: number
  priorityClassName?: string
  preemptionPolicy?: string
  schedulingGates?: readonly { name: string }[]
  volumes?: readonly Volume[]
  terminationGracePeriodSeconds?: number
  hostNetwork?: boolean
  hostUsers?: boolean
  resourceClaims?: readonly { name: string; resourceClaimName?: string; resourceClaimTemplateName?: string }[]
}

export interface PodCondition {
  type: string
  status: string
  reason?: string
  message?: string
  lastTransitionTime?: string
  lastProbeTime?: string | null
  observedGeneration?: number
}

export interface Pod extends KubeObject {
  spec: PodSpec
  status?: {
    phase?: string
    nominatedNodeName?: string
    conditions?: readonly PodCondition[]
    containerStatuses?: readonly ContainerStatus[]
    initContainerStatuses?: readonly ContainerStatus[]
    startTime?: string
    resourceClaimStatuses?: readonly { name: string; resourceClaimName?: string }[]
  }
}

export interface ContainerStatus {
  name: string
  allocatedResources?: ResourceList
  resources?: ResourceRequirements
}

export interface Node extends KubeObject {
  spec?: { unschedulable?: boolean; taints?: readonly Taint[] }
  status?: {
    allocatable?: ResourceList
    capacity?: ResourceList
    declaredFeatures?: readonly string[]
    images?: readonly { names?: readonly string[]; sizeBytes?: number }[]
    conditions?: readonly { type: string; status: string }[]
  }
}

/** `spec.schedulerName`, or the default's name. */
export const schedulerNameOf = (pod: Readonly<Pod>): string => pod.spec.schedulerName ?? 'default-scheduler'

export const priorityOf = (pod: Readonly<Pod>): number => pod.spec.priority ?? 0

/** Whether two states of a waiting pod ask for the same: all but the status, which says only which claims were made for it. */
export function asksTheSame(a: Readonly<Pod>, b: Readonly<Pod>): boolean {
  const { metadata: of } = a
  const { metadata: and } = b
  return (
    equalJson(of.labels, and.labels) &&
    equalJson(of.annotations, and.annotations) &&
    equalJson(of.ownerReferences, and.ownerReferences) &&
    equalJson(a.spec, b.spec) &&
    equalJson(a.status?.resourceClaimStatuses, b.status?.resourceClaimStatuses)
  )
}

/** A pod that has run to its end, and holds nothing any more. */
export const isFinished = (pod: Readonly<Pod>): boolean => pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed'

export interface PersistentVolumeClaim extends KubeObject {
  spec: {
    accessModes?: readonly string[]
    storageClassName?: string
    volumeName?: string
    volumeMode?: string
    selector?: LabelSelector
    resources?: ResourceRequirements
  }
  status?: { phase?: string }
}

export interface PersistentVolume extends KubeObject {
  spec: {
    capacity?: ResourceList
    accessModes?: readonly string[]
    storageClassName?: string
    volumeMode?: string
    claimRef?: { namespace?: string; name?: string; uid?: string }
    nodeAffinity?: { required?: NodeSelector }
    csi?: { driver: string; volumeHandle: string }
  }
  status?: { phase?: string }
}

export interface StorageClass extends KubeObject {
  provisioner: string
  volumeBindingMode?: string
  allowedTopologies?: readonly { matchLabelExpressions?: readonly { key: string; values: readonly string[] }[] }[]
}
