import type { CommandStreams } from '../../machinery/streams.ts'
import type { Pod } from '../../resources/types/core.ts'
import type { NodePlacing } from '../nodes/node-places.ts'

/** What the nodes' thread offers to the API server's: `NodeReach`. */
export const NODE_SERVICES = {
  /** Messages are pieces of a log; the first is empty. */
  log: 'node-log',
  /** Whether a process or a pod's ports can be reached: `StreamRequest`; answered by a `Found`. */
  find: 'node-find',
  /** Runs a command, or joins a main process: `CommandRequest`; then the streams of a process. */
  command: 'node-command',
  /** A connection of a port-forward: `PortRequest`; then a process whose input and output are the connection's. */
  port: 'node-port',
  /** A connection to a kubelet, in the name of the API server: `{ node }`. It begins with an empty message, or ends. */
  kubelet: 'node-kubelet',
  /** A connection of the pods' proxy: `PortRequest`. It begins in the same way. */
  podPort: 'node-pod-port',
  /** A connection to an address of the pods' network: `{ host, port }`. It begins in the same way. */
  dial: 'node-dial',
  topologyReport: 'node-topology-report',
} as const

/** What the API server's thread offers to the nodes' thread, besides the calls of clients. */
export const NODE_NEEDS = {
  /** Open while nodes run. Messages are `Presence`. */
  present: 'nodes-present',
  /** What pods use: `{ pods }`. */
  figures: 'nodes-figures',
  /** A message each time that changes: whether a workload sets its memory usage. */
  described: 'nodes-described',
} as const

/** A node that can be reached from now on, or not any more. */
export interface Presence {
  readonly node: string
  readonly here: boolean
  /** Where it is in the network, with `here`. */
  readonly place?: NodePlacing
}

export type StreamRequest =
  | {
      readonly kind: 'exec'
      readonly pod: Pod
      readonly container: string
      readonly streams: CommandStreams
      readonly command: readonly string[]
    }
  | { readonly kind: 'attach'; readonly pod: Pod; readonly container: string; readonly streams: CommandStreams }
  | { readonly kind: 'ports'; readonly pod: Pod }

export type CommandRequest = Exclude<StreamRequest, { readonly kind: 'ports' }>

/** `refused`: a `NodeRefusal`. */
export interface Found {
  readonly refused?: { readonly code: number; readonly message: string }
}

export interface PortRequest {
  readonly pod: Pod
  readonly port: number
}
