import type { ResourceList } from '../../../resources/types/core.ts'
import type { Client } from '../../../sdk/client/client.ts'
import type { NodeHost } from '../../host/node-host.ts'
import type { ProbeCounts } from '../../probes/probe-counts.ts'
import type { ProbeSet } from '../../probes/probe-set.ts'
import type { ContainerResources, SandboxSpec } from '../../runtime/container-spec.ts'
import type { ContainerStatus } from '../../runtime/runtime.ts'
import type { HeldBack, ResizePodRequest, ResizeRefusal } from '../../types/admit-handler.ts'
import type { Container, Pod } from '../../types/pod.ts'
import type { StarterDeps } from '../containers/container-starter.ts'
import type { PodState } from '../pod-state.ts'
import type { ReportAs, ReporterDeps } from '../report/pod-reporter.ts'

/** The kubelet lists containers every second, and syncs the pods of those that have started or ended since. */
export const RELIST_MS = 1000

export interface PodDeps extends StarterDeps, ReporterDeps {
  readonly client: Client
  /** The node's machine. */
  readonly host: NodeHost
  /** Counts every probe. */
  readonly probeCounts?: ProbeCounts | undefined
  /** The node's allocatable resources. */
  readonly allocatable: () => ResourceList
  /** Why the node cannot resize this pod to the requests of its spec; undefined if it can. */
  readonly resizeRefusal: (pod: Pod, given: Pod) => ResizeRefusal | undefined
  /** What the machine adds to a sandbox. */
  readonly completeSandbox: (pod: Pod, spec: SandboxSpec) => Promise<SandboxSpec>
  /** Completes new amounts of a running container. */
  readonly completeResources: (pod: Pod, container: Container, resources: ContainerResources) => ContainerResources
  /** Makes room for new amounts of the pod's containers, or takes away what they have no more. */
  readonly resizePod: (request: ResizePodRequest, signal: AbortSignal) => Promise<void>
  /** Why running containers cannot be held to less memory now. */
  readonly memoryFault: (pod: Pod, limits: ReadonlyMap<string, number>, signal: AbortSignal) => Promise<string | undefined>
  /** Ended attempts of containers were removed from the runtime; these are left. */
  readonly afterPrune: (pod: Pod, left: readonly ContainerStatus[]) => Promise<void>
  /** Takes away what the node keeps of a pod whose object is about to go. */
  readonly clear: (pod: Pod) => Promise<void>
  /** Runs before a sandbox is created; returns why the pod has to wait. */
  readonly beforeSandbox: (pod: Pod, signal: AbortSignal) => Promise<HeldBack | undefined>
  /** Runs when everything has stopped, before the end is reported; while it rejects, the end is not reported. */
  readonly afterStop: (pod: Pod, signal: AbortSignal) => Promise<void>
  /** Called before the object is deleted, so that the pod's resources are free before others learn of the deletion. */
  readonly ended: (uid: string) => void
}

/** The dependencies and the state that all steps of a pod's life share. */
export interface PodStep {
  readonly deps: PodDeps
  readonly state: PodState
  readonly probes: ProbeSet
  /** Reads the pod's containers from the runtime again. */
  look(signal: AbortSignal): Promise<void>
  /** Writes the status that follows from the last look to the API. */
  report(as?: ReportAs): Promise<void>
}
