import { timestamp } from '../../base/clock.ts'
import { KUBERNETES_VERSION } from '../../base/version.ts'
import type { ContainerImage, Node, NodeCondition, NodeStatus, ResourceList } from '../../resources/types/core.ts'
import type { Image } from '../runtime/runtime.ts'

/** The machine that a node reports: read from the host, or described. Amounts are quantities. */
export interface Machine {
  readonly cpu: string
  readonly memory: string
  readonly ephemeralStorage: string
  readonly pods: string
  /** By resource name (`hugepages-2Mi`). Default: the machine has none, of the two usual sizes. */
  readonly hugePages?: Readonly<Record<string, string>>
  readonly architecture: string
  readonly operatingSystem: string
  readonly kernelVersion: string
  readonly osImage: string
}

/** What a simulated node says when nothing is described. */
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

export interface NodeIdentity {
  readonly name: string
  readonly ip: string
  readonly machine: Machine
  /** Where its kubelet listens; its usual port when absent. */
  readonly kubeletPort?: number
  readonly runtime: { readonly name: string; readonly version: string }
  readonly ids: { readonly machineId: string; readonly bootId: string }
  /** The addresses of its pods, where they are set aside for it (`10.210.0.0/24`); one network of each family. */
  readonly podCidrs?: readonly string[]
  /** The machine was there before this agent: called with what its Node says of it. Without, another boot of it is told. */
  readonly takeUp?: (ids: { readonly machineId: string; readonly bootId: string }) => void
}

/** Who has something to say in a node's status beside the machine itself: devices, cores set aside, … */
export interface NodeStatusSource {
  /** Amounts by resource name; they stand in place of what others advertise under the same names. */
  capacity(): Readonly<Record<string, string>>
  /** Where less can be given out than there is. */
  allocatable?(): Readonly<Record<string, string>>
  /** The conditions of the node that say what it is short of: `MemoryPressure`, `DiskPressure`, `PIDPressure`. */
  pressures?(): ReadonlySet<string>
  /** Why the node cannot run pods. */
  notReady?(): string | undefined
  /** Names of the attached volumes that pods of the node use; undefined: that is not known yet. */
  volumesInUse?(): readonly string[] | undefined
  /** The Node that an agent takes over, before it says anything of it. */
  takeOver?(node: Node): Promise<void>
  /** Calls `tell` whenever the answers above have changed, until the signal is aborted. */
  watch?(tell: () => void, signal: AbortSignal): void
}

/** A status names so many images, the largest ones. */
const MOST_IMAGES = 50

/** The images that a node has, as its status names them. Pure. */
export const nodeImages = (images: readonly Image[]): readonly ContainerImage[] =>
  images
    .toSorted((a, b) => b.sizeBytes - a.sizeBytes || (a.name < b.name ? -1 : 1))
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
      },
      annotations: { 'node.alpha.kubernetes.io/ttl': '0', 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' },
    },
    spec:
      node.podCidrs === undefined ? {} : { ...(node.podCidrs[0] !== undefined && { podCIDR: node.podCidrs[0] }), podCIDRs: node.podCidrs },
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
 * The status at `nowMs`, given what stands in the API. What others advertised in `capacity` is kept and copied to `allocatable`; what
 * they took away from `capacity` leaves `allocatable`.
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
      { type: 'InternalIP', address: node.ip },
      { type: 'Hostname', address: node.name },
    ],
    daemonEndpoints: { kubeletEndpoint: { Port: node.kubeletPort ?? 10250 } },
    features: { supplementalGroupsPolicy: true },
    declaredFeatures: DECLARED_FEATURES,
    runtimeHandlers: [{ name: '', features: { recursiveReadOnlyMounts: false, userNamespaces: false } }],
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

/** What a kubelet of this release declares, so that the server lets pods use it (KEP-5328). */
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

/** The events about changes of a condition: when it holds no more, and when it holds. */
const CONDITION_EVENTS: Readonly<Record<string, readonly [string, string]>> = {
  MemoryPressure: ['NodeHasSufficientMemory', 'NodeHasInsufficientMemory'],
  DiskPressure: ['NodeHasNoDiskPressure', 'NodeHasDiskPressure'],
  PIDPressure: ['NodeHasSufficientPID', 'NodeHasInsufficientPID'],
  Ready: ['NodeNotReady', 'NodeReady'],
}

/** Which events a kubelet leaves about conditions that are other ones than before; of what was not known before, all. */
export function conditionEvents(before: NodeStatus | undefined, after: NodeStatus | undefined): readonly string[] {
  return (after?.conditions ?? []).flatMap(({ type, status }) => {
    const events = CONDITION_EVENTS[type]
    if (events === undefined || before?.conditions?.find((c) => c.type === type)?.status === status) return []
    return [events[status === 'True' ? 1 : 0]]
  })
}
