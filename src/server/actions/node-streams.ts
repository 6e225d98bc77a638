import type { ByteDuplex, CommandStreams, ProcessStreams } from '../../machinery/streams.ts'
import type { Pod } from '../../resources/types/core.ts'

/** The node's response if it refuses a connection: forwarded unchanged. */
export class NodeRefusal extends Error {
  override readonly name = 'NodeRefusal'
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

/**
 * Starts a process in a container that was found. Resolves when it has ended; rejects if it could not be run. Aborting the signal kills it.
 */
export type RunProcess = (streams: ProcessStreams, signal: AbortSignal) => Promise<{ readonly exitCode: number }>

export interface ProcessRequest {
  readonly pod: Pod
  /** Always the name of a container of the pod. */
  readonly container: string
  readonly streams: CommandStreams
}

/**
 * Streams into containers of a node. Each finds its container (or throws a `NodeRefusal`, or a `StatusError`) before the client's upgrade
 * is accepted.
 */
export interface NodeStreams {
  exec(request: ProcessRequest & { readonly command: readonly string[] }): Promise<RunProcess>
  attach(request: ProcessRequest): Promise<RunProcess>
  /** The port-forward connections of one client; each ends with its stream, and throws if it could not be opened. */
  portForward(pod: Pod): Promise<(port: number, connection: ByteDuplex) => Promise<void>>
}
