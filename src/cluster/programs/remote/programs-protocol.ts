import type { CommandStreams } from '../../../machinery/streams.ts'
import type { ContainerResources } from '../../../node/runtime/container-spec.ts'
import type { HttpRequest, PortTarget } from '../../../node/runtime/pod-network.ts'
import type { RuntimeErrorCode } from '../../../node/runtime/runtime-error.ts'
import type { OpenedContainer, SimulatedExit } from '../../../node/runtime/simulated/play.ts'

/** What a runner, the process in which programs run, offers to the nodes' side. */
export const PROGRAM_SERVICES = {
  /** Begins to serve a node: `PlacedNode`. */
  node: 'programs-node',
  /** Opens a container: `OpenRequest`. Lasts as long as the container: `ContainerOrder` there, `ContainerNews` back. */
  open: 'programs-open',
  /** Whether a container has a command: `CommandRequest`. */
  find: 'programs-find',
  /** Runs it: `RunRequest`; then the streams of a process. */
  run: 'programs-run',
  /** Joins a main process: `AttachRequest`; then the streams of a process. */
  attach: 'programs-attach',
  placeholder: 'programs-stand-in',
  /** Whether a port is open: `ListenRequest`. */
  listens: 'programs-listens',
  /** A probe of a port: `ProbeRequest`. */
  probe: 'programs-probe',
  /**
   * A connection to a port of a pod: `ForwardRequest`; then a process whose input and output are the connection's, so that its end is more
   * than the end of one direction. Fails with NotFound where no program of the pod listens anywhere.
   */
  forward: 'programs-forward',
  /** A connection from beside the cluster: `DialTarget`. Begins with an empty message. */
  dial: 'programs-dial',
  readFile: 'programs-read-file',
  podChanged: 'programs-pod-changed',
  podGone: 'programs-pod-gone',
  networkGone: 'programs-network-gone',
  volumeGrown: 'programs-volume-grown',
} as const

/** What the nodes' side offers to a runner, besides the calls of clients. */
export const NODE_SERVICES = {
  /** Whether a pod of a node has an address: `AddressRequest`. */
  alive: 'nodes-alive',
  /** Begins what answers an address: `AddressRequest`. */
  wake: 'nodes-wake',
  /** How much programs of a pod have written: `PodSizes`. */
  sizes: 'nodes-sizes',
  /** A connection to the API server's own port. */
  apiServer: 'api-server',
} as const

export interface PlacedNode {
  readonly name: string
  readonly ip: string
  /** What its pods' addresses begin with, for each family: `10.210.0.`, `fd00:10:210::`. */
  readonly podSubnets: readonly string[]
  /** Folders of this machine that are mounted as folders of the node. */
  readonly folders: readonly (readonly [path: string, folder: string])[]
}

/** Containers have a number in their runner. */
export interface ContainerNumber {
  readonly container: number
}

export interface OpenRequest extends ContainerNumber {
  readonly node: string
  readonly opened: Omit<OpenedContainer, 'log' | 'end' | 'entered'>
}

export type ContainerOrder =
  | { readonly do: 'begin' | 'ask' }
  | { readonly do: 'kill'; readonly exitCode: number }
  | { readonly do: 'update'; readonly resources: ContainerResources }

export type LoggedLine = readonly [line: string, atMs: number, unfinished?: 'unfinished']

export type ContainerNews =
  /** The first. */
  | { readonly is: 'opened'; readonly main: boolean }
  /** Instead of it. */
  | { readonly is: 'refused'; readonly code: RuntimeErrorCode | undefined; readonly message: string }
  | { readonly is: 'log'; readonly lines: readonly LoggedLine[] }
  /** The main process, which a script plays, is to end. */
  | { readonly is: 'end'; readonly exitCode: number }
  | { readonly is: 'ended'; readonly exit: SimulatedExit }

export interface CommandRequest extends ContainerNumber {
  readonly words: readonly string[]
  readonly unattended: boolean
}

export interface RunRequest extends CommandRequest {
  readonly wanted: CommandStreams
}

export interface AttachRequest extends ContainerNumber {
  readonly wanted: CommandStreams
}

export interface ListenRequest {
  readonly node: string
  readonly ip: string
  readonly port: number
  readonly all: boolean
}

export type ProbeRequest = ListenRequest &
  (
    | { readonly kind: 'http'; readonly request: HttpRequest }
    | { readonly kind: 'tcp'; readonly target: PortTarget }
    | { readonly kind: 'grpc'; readonly target: PortTarget & { readonly service: string } }
  )

export interface ForwardRequest {
  readonly node: string
  readonly ips: readonly string[]
  readonly port: number
}

export interface DialTarget {
  readonly host: string
  readonly port: number
}

export interface AddressRequest {
  readonly node: string
  readonly ip: string
}

export interface PodRequest {
  readonly node: string
  readonly uid: string
}

export interface FileRequest extends PodRequest {
  readonly volume: string
  readonly path: string
}

export interface PodSizes extends PodRequest {
  readonly layers: readonly (readonly [container: string, bytes: number])[]
  readonly volumes: readonly (readonly [volume: string, bytes: number])[]
}
