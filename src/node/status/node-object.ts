import { byText } from '../../base/by-text.ts'
import { timestamp } from '../../base/clock.ts'
import { KUBERNETES_VERSION } from '../../base/version.ts'
import type { ContainerImage, Node, NodeCondition, NodeStatus, ResourceList, Taint } from '../../resources/types/core.ts'
import type { Image, RuntimeHandler, RuntimeStatus } from '../runtime/runtime.ts'

/** The machine that a node reports: read from the host, or described. Amounts are quantities. */
export interface Machine {
  readonly cpu: string
  readonly memory: string
  readonly ephemeralStorage: string
  readonly pods: string
  /** By resource name (`hugepages-2Mi`). Default: zero, of the two usual sizes. */
  readonly hugePages?: Readonly<Record<string, string>>
  /** Extended resources that no device plugin reports. */
  readonly resources?: Readonly<Record<string, string>>
  readonly architecture: string
  readonly operatingSystem: string
  readonly kernelVersion: string
  readonly osImage: string
}

/** The machine of a simulated node without a description. */
export const DEFAULT_MACHINE: Machine = {
  cpu: '8',
  memory: '16Gi',
  ephemeralStorage: '100Gi',
  pods: '110',
  architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
  operatingSystem: 'linux',
  kernelVersion: '6.12.0',
  osImage: 'Bowsprit simulated node',
}

/** The container runtime of a node, and what its handlers can do if it says so. */
interface NodeRuntime extends Pick<RuntimeStatus, 'handlers'> {
  readonly name: string
  readonly version: string
  readonly supplementalGroupsPolicy?: boolean | undefined
}

export interface NodeIdentity {
  readonly name: string
  readonly ip: string
  /** Its addresses of other families. */
  readonly otherIps?: readonly string[]
  readonly machine: Machine
  /** As the kubelet's `--node-labels` and `--register-with-taints`: of a Node that it creates. */
  readonly labels?: Readonly<Record<string, string>>
  readonly taints?: readonly Taint[]
  /** The port of its kubelet; default: the usual one. */
  readonly kubeletPort?: number
  readonly runtime: NodeRuntime
  readonly ids: { readonly machineId: string; readonly bootId: string }
  /** Its pod CIDRs, if they are assigned (`10.210.0.0/24`); one per address family. */
  readonly podCidrs?: readonly string[]
  /** Called with the ids of the existing Node, if the machine ran before this agent. Without it, a new boot id is reported. */
  readonly takeUp?: (ids: { readonly machineId: string; readonly bootId: string }) => void
}

/** A source of the node's status in addition to the machine: devices, allocated CPUs, … */
export interface NodeStatusSource {
  /** Amounts by resource name; they replace what others advertise under the same names. */
  capacity(): Readonly<Record<string, string>>
  /** Amounts that are smaller than the capacity. */
  allocatable?(): Readonly<Record<string, string>>
  /** The pressure conditions that are true: `MemoryPressure`, `DiskPressure`, `PIDPressure`. */
  pressures?(): ReadonlySet<string>
  /** Why the node cannot run pods. */
  notReady?(): string | undefined
  /** Names of the attached volumes that pods of the node use; undefined: not known yet. */
  volumesInUse?(): readonly string[] | undefined
  /** Called with the existing Node before its status is written. */
  takeOver?(node: Node): Promise<void>
  /** Calls `tell` whenever these values have changed, until the signal is aborted. */
  watch?(notify: () => void, signal: AbortSignal): void
}

/** The most images in a status; the largest are listed. */
const MOST_IMAGES = 50

/** The images of a node as in its status. Pure. */
export const nodeImages = (images: readonly Image[]): readonly ContainerImage[] =>
  images
    .toSorted((a, b) => b.sizeBytes - a.sizeBytes || byText(a.name, b.name))
    .slice(0, MOST_IMAGES)
    .map(({ name, id, sizeBytes }) => ({ names: id === name ? [name] : [id, name], sizeBytes }))

/** The Node as an agent registers it. */
export function newNode(node: NodeIdentity, nowMs: number, sources: readonly NodeStatusSource[] = []): Node {
  const { machine } = node
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: node.name,
      labels: {
        'beta.kubernetes.io/arch': machine.architecture,
        'beta.kubernetes.io/os': machine.operatingSystem,
        'kubernetes.io/arch': machine.architecture,
        'kubernetes.io/hostname': node.name,
        'kubernetes.io/os': machine.operatingSystem,
        ...node.labels,
      },
      annotations: { 'node.alpha.kubernetes.io/ttl': '0', 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' },
    },
    spec: {
      ...(node.podCidrs?.[0] !== undefined && { podCIDR: node.podCidrs[0] }),
      ...(node.podCidrs && { podCIDRs: node.podCidrs }),
      ...(node.taints && { taints: node.taints }),
    },
    status: nodeStatus(node, undefined, { nowMs, sources }),
  }
}

export interface NodeStatusInput {
  readonly nowMs: number
  readonly sources?: readonly NodeStatusSource[]
  /** Why the node cannot run pods. */
  readonly notReady?: string | undefined
}

/**
 * The status at `nowMs`, based on the one in the API. Resources that others advertise in `capacity` are kept and copied to `allocatable`;
 * those that they removed from `capacity` leave `allocatable`.
 */
export function nodeStatus(
  node: NodeIdentity,
  standing: NodeStatus | undefined,
  { nowMs, sources = [], notReady }: NodeStatusInput,
): NodeStatus & Required<Pick<NodeStatus, 'capacity' | 'allocatable' | 'conditions'>> {
  const { machine } = node
  const own = {
    cpu: machine.cpu,
    'ephemeral-storage': machine.ephemeralStorage,
    ...(machine.hugePages ?? { 'hugepages-1Gi': '0', 'hugepages-2Mi': '0' }),
    memory: machine.memory,
    pods: machine.pods,
    ...machine.resources,
    ...Object.assign({}, ...sources.map((s) => s.capacity())),
  }
  const capacity: ResourceList = { ...standing?.capacity, ...own }
  return {
    capacity,
    allocatable: { ...capacity, ...Object.assign({}, ...sources.map((s) => s.allocatable?.() ?? {})) },
    conditions: conditionsOf(notReady, new Set(sources.flatMap((s) => [...(s.pressures?.() ?? [])]))).map((c) => ({
      ...c,
      lastHeartbeatTime: timestamp(nowMs),
      lastTransitionTime: transitionTime(standing, c, nowMs),
    })),
    addresses: [
      ...[node.ip, ...(node.otherIps ?? [])].map((address) => ({ type: 'InternalIP', address })),
      { type: 'Hostname', address: node.name },
    ],
    daemonEndpoints: { kubeletEndpoint: { Port: node.kubeletPort ?? 10250 } },
    features: { supplementalGroupsPolicy: node.runtime.supplementalGroupsPolicy ?? true },
    declaredFeatures: DECLARED_FEATURES,
    runtimeHandlers: (node.runtime.handlers ?? PLAIN_HANDLERS).map(({ name, ...features }) => ({ name, features })),
    nodeInfo: {
      machineID: node.ids.machineId,
      systemUUID: node.ids.machineId,
      bootID: node.ids.bootId,
      kernelVersion: machine.kernelVersion,
      osImage: machine.osImage,
      containerRuntimeVersion: `${node.runtime.name}://${node.runtime.version}`,
      kubeletVersion: KUBERNETES_VERSION,
      kubeProxyVersion: '',
      operatingSystem: machine.operatingSystem,
      architecture: machine.architecture,
    },
  }
}

/** The handlers of a runtime that does not say what they can do. */
const PLAIN_HANDLERS: readonly RuntimeHandler[] = [{ name: '', recursiveReadOnlyMounts: false, userNamespaces: false }]

/** The features that a kubelet of this release declares, so that the server lets pods use them (KEP-5328). */
const DECLARED_FEATURES = [
  'ExtendWebSocketsToKubelet',
  'InPlacePodLevelResourcesVerticalScaling',
  'InPlacePodVerticalScalingInitContainers',
  'RestartAllContainersOnContainerExits',
] as const

const CONDITIONS: readonly NodeCondition[] = [
  { type: 'MemoryPressure', status: 'False', reason: 'KubeletHasSufficientMemory', message: 'kubelet has sufficient memory available' },
  { type: 'DiskPressure', status: 'False', reason: 'KubeletHasNoDiskPressure', message: 'kubelet has no disk pressure' },
  { type: 'PIDPressure', status: 'False', reason: 'KubeletHasSufficientPID', message: 'kubelet has sufficient PID available' },
  { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' },
]

const PRESSED: readonly NodeCondition[] = [
  {
    type: 'MemoryPressure',
    status: 'True',
    reason: 'KubeletHasInsufficientMemory',
    message: 'kubelet has insufficient memory available',
  },
  { type: 'DiskPressure', status: 'True', reason: 'KubeletHasDiskPressure', message: 'kubelet has disk pressure' },
  { type: 'PIDPressure', status: 'True', reason: 'KubeletHasInsufficientPID', message: 'kubelet has insufficient PID available' },
]

const conditionsOf = (notReady: string | undefined, pressures: ReadonlySet<string>): readonly NodeCondition[] =>
  CONDITIONS.map((c) => {
    if (c.type !== 'Ready') return (pressures.has(c.type) && PRESSED.find((p) => p.type === c.type)) || c
    return notReady === undefined ? c : { type: 'Ready', status: 'False', reason: 'KubeletNotReady', message: notReady }
  })

function transitionTime(standing: NodeStatus | undefined, condition: NodeCondition, nowMs: number): string {
  const before = standing?.conditions?.find((c) => c.type === condition.type)
  return before?.status === condition.status && before.lastTransitionTime ? before.lastTransitionTime : timestamp(nowMs)
}

/** The events of a condition: when it turns false, and when it turns true. */
const CONDITION_EVENTS: Readonly<Record<string, readonly [string, string]>> = {
  MemoryPressure: ['NodeHasSufficientMemory', 'NodeHasInsufficientMemory'],
  DiskPressure: ['NodeHasNoDiskPressure', 'NodeHasDiskPressure'],
  PIDPressure: ['NodeHasSufficientPID', 'NodeHasInsufficientPID'],
  Ready: ['NodeNotReady', 'NodeReady'],
}

/** The events of changed conditions; for conditions without a previous status, all. */
export function conditionEvents(before: NodeStatus | undefined, after: NodeStatus | undefined): readonly string[] {
  return (after?.conditions ?? []).flatMap(({ type, status }) => {
    const events = CONDITION_EVENTS[type]
    if (events === undefined || before?.conditions?.find((c) => c.type === type)?.status === status) return []
    return [events[status === 'True' ? 1 : 0]]
  })
}
