import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'
import type { Node } from '../resources/types/core.ts'
import type { Client } from '../sdk/client/client.ts'
import type { EventGate } from '../sdk/controller/event-gate.ts'
import type { EventRecorder } from '../sdk/controller/event-recorder.ts'
import type { NodeFeed } from './feed.ts'
import type { NodeHost } from './host/node-host.ts'
import type { MetricSource } from './metrics/metric-source.ts'
import type { StatusTraffic } from './pod/report/status-traffic.ts'
import type { ProbeCounts } from './probes/probe-counts.ts'
import type { PodNetwork } from './runtime/pod-network.ts'
import type { Runtime } from './runtime/runtime.ts'
import type { StaticPodFeed } from './static-pods/static-pod-feed.ts'
import type { NodeStatusSource } from './status/node-object.ts'
import type { AdmitHandler } from './types/admit-handler.ts'
import type { AgentPart } from './types/agent-part.ts'
import type { ImageAccess } from './types/image-access.ts'

/** The dependencies of a node agent. */
export interface NodeAgentDeps {
  /** Authenticates as `system:node:<name>`. */
  readonly client: Client
  readonly feed: NodeFeed
  readonly clock: Clock
  readonly log: Logger
  readonly runtime: Runtime
  /** How probes and hooks reach the ports of pods. */
  readonly network: PodNetwork
  /** The host of the node. Default: one without a description. */
  readonly host?: NodeHost
  /** Admission handlers that run, in this order, before the check whether a pod fits. */
  readonly admission?: readonly AdmitHandler[]
  /** Components that run along with the pod workers. */
  readonly parts?: readonly AgentPart[]
  /** Additional sources of the Node's status. */
  readonly sources?: readonly NodeStatusSource[]
  /** Metrics in addition to the agent's own. */
  readonly metrics?: readonly MetricSource[]
  /** Who may pull and use images. Default: every pod, without a login. */
  readonly images?: ImageAccess
  /** The manifests of static pods. Default: none. */
  readonly staticPods?: StaticPodFeed
  /** Counts every probe. */
  readonly probeCounts?: ProbeCounts
  /** Bounds the events in flight of all agents of one process. */
  readonly gate?: EventGate
  /** Bounds the status updates in flight of all agents of one process. */
  readonly traffic?: StatusTraffic
}

/** What the pods of a node need of its agent, in addition to the agent's dependencies. */
export interface NodePodsDeps extends NodeAgentDeps {
  readonly nodeName: string
  /** The address of the node. */
  readonly hostIps: readonly string[]
  readonly events: EventRecorder
  /** The Node object; undefined until it is known. */
  readonly node: () => Node | undefined
}
