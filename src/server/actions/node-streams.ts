import type { ByteDuplex, CommandStreams, ProcessStreams } from '../../machinery/streams.ts'
import type { Pod } from '../../resources/types/core.ts'

/** The node's answer where there is nothing to connect to: forwarded as it is. */
export class NodeRefusal extends Error {
  override readonly name = 'NodeRefusal'
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

/**
 * A process in a container, found and not started yet. Resolves when it has ended; rejects when it could not be run. Aborting the signal
 * ends it.
 */
export type RunProcess = (streams: ProcessStreams, signal: AbortSignal) => Promise<{ readonly exitCode: number }>

export interface ProcessRequest {
  readonly pod: Pod
  /** Always the name of a container of the pod. */
  readonly container: string
  readonly streams: CommandStreams
}

/**
 * Connections into containers of a node. Each finds its container (or throws a `NodeRefusal`, or a `StatusError`) before the client's
 * upgrade is answered.
 */
export interface NodeStreams {
  exec(request: ProcessRequest & { readonly command: readonly string[] }): Promise<RunProcess>
  attach(request: ProcessRequest): Promise<RunProcess>
  /** The connections of one client; each ends with the connection, and throws when it could not be made. */
  portForward(pod: Pod): Promise<(port: number, connection: ByteDuplex) => Promise<void>>
}
