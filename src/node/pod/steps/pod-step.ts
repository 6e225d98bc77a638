import type { ResourceList } from '../../../resources/types/core.ts'
import type { Client } from '../../../sdk/client/client.ts'
import type { NodeHost } from '../../host/node-host.ts'
import type { ProbeCounts } from '../../probes/probe-counts.ts'
import type { ProbeSet } from '../../probes/probe-set.ts'
import type { HeldBack, NoRoom } from '../../types/admit-handler.ts'
import type { Pod } from '../../types/pod.ts'
import type { StarterDeps } from '../containers/container-starter.ts'
import type { PodState } from '../pod-state.ts'
import type { ReportAs, ReporterDeps } from '../report/pod-reporter.ts'

export interface PodDeps extends StarterDeps, ReporterDeps {
  readonly client: Client
  /** The machine under the node. */
  readonly host: NodeHost
  /** Told of every probe. */
  readonly probeCounts?: ProbeCounts | undefined
  /** What the node has for pods. */
  readonly allocatable: () => ResourceList
  /** Why the node cannot give this pod what its spec asks for by now; undefined when it can. */
  readonly noRoom: (pod: Pod, given: Pod) => NoRoom | undefined
  /** What is done before a sandbox is made; what holds the pod back. */
  readonly beforeSandbox: (pod: Pod, signal: AbortSignal) => Promise<HeldBack | undefined>
  /** What is done when everything has stopped, before that is told; while it rejects, the end is not told. */
  readonly afterStop: (pod: Pod, signal: AbortSignal) => Promise<void>
  /** Nothing of the pod is left, and its object is about to go: what it held is free before anybody can hear of that. */
  readonly ended: (uid: string) => void
}

/** What every step of a pod's life works with: it reads and changes the state, and nothing else remembers. */
export interface PodStep {
  readonly deps: PodDeps
  readonly state: PodState
  readonly probes: ProbeSet
  /** Asks the runtime anew. */
  look(signal: AbortSignal): Promise<void>
  /** Tells the API the status that follows from the last look. */
  report(as?: ReportAs): Promise<void>
}
