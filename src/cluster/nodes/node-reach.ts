import type { Duplex } from 'node:stream'
import type { Later } from '../../base/steps.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { StatusError } from '../../machinery/status-error.ts'
import type { PodLogQuery } from '../../node/pod/open-log.ts'
import type { Pod } from '../../resources/types/core.ts'
import type { NodeStreams } from '../../server/actions/node-streams.ts'
import type { InsideNetwork } from '../../server/services/resolve-service.ts'

/** What the API server reaches of the simulated nodes, whatever thread they run in. */
export interface NodeReach {
  /** Whether this is one of these nodes, also while it is cut off. */
  owns(nodeName: string): boolean
  /** Whether the agent of this node runs, and is not cut off. */
  has(nodeName: string): boolean
  /**
   * The log of a container of a pod.
   * @throws {StatusError} when there is none
   */
  logs(request: PodLogRequest, signal: AbortSignal): Promise<AsyncIterable<string>>
  /** exec, attach and port-forward. */
  readonly streams: NodeStreams
  /** A connection to the kubelet of a node, in the name of the API server; undefined: it is none of these nodes. */
  kubelet(nodeName: string): Promise<Duplex | undefined>
  /** A connection to a port of a pod; undefined: its node is none of these. */
  podPort(pod: Pod, port: number): Promise<Duplex | undefined>
  /** The network of their pods. */
  readonly inside: InsideNetwork
  /** Undefined: the pod's node is none of these, or has not started. */
  topologyReport(pod: Pod): Later<KubeObject | undefined>
}

export interface PodLogRequest {
  readonly pod: Pod
  readonly container: string
  readonly query: PodLogQuery
}

export const unreachable = (message: string): StatusError => new StatusError({ code: 503, reason: 'ServiceUnavailable', message })
