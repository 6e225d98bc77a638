import type { ConnectCall, Connections, Target } from '../../machinery/api-call.ts'
import type { ByteSource, RemotePorts, RemoteProcess } from '../../machinery/streams.ts'
import { PODS } from '../../resources/refs.ts'

/** Which pod. */
export interface PodTarget {
  readonly namespace: string
  readonly name: string
}

/** Which part of a log is read. */
export interface LogOptions {
  /** Needed when the pod has more than one. */
  readonly container?: string
  /** Continue with new output, until the container ends or the signal is aborted. */
  readonly follow?: boolean
  /** Of the container that ran before. */
  readonly previous?: boolean
  /** Begin each line with the time at which it was printed. Default false. */
  readonly timestamps?: boolean
  /** Only the last so many lines. Default: all. */
  readonly tailLines?: number
  /** Only what was printed in the last so many seconds. Default: all. */
  readonly sinceSeconds?: number
  /** Stop after so many bytes. Default: no limit. */
  readonly limitBytes?: number
  readonly signal?: AbortSignal
}

/** Which streams of a process are joined. */
export interface AttachOptions {
  /** Needed when the pod has more than one. */
  readonly container?: string
  /** Send `stdin`. Default false. */
  readonly stdin?: boolean
  /** A terminal: stderr comes with stdout. Default false. */
  readonly tty?: boolean
  readonly signal?: AbortSignal
}

/** Logs, exec, attach and port-forward, over either transport. */
export interface PodConnections {
  /**
   * What a container has printed, as bytes in order.
   *
   * ```ts
   * for await (const chunk of await client.logs({ namespace: 'default', name: 'web-0' }, { tailLines: 10 })) process.stdout.write(chunk)
   * ```
   */
  logs(pod: PodTarget, options?: LogOptions): Promise<ByteSource>
  /**
   * Runs a command in a container.
   *
   * ```ts
   * await using process = await client.exec({ namespace: 'default', name: 'web-0' }, ['cat', '/etc/hosts'])
   * for await (const chunk of process.stdout) console.log(Buffer.from(chunk).toString())
   * const { exitCode } = await process.exit
   * ```
   */
  exec(pod: PodTarget, command: readonly string[], options?: AttachOptions): Promise<RemoteProcess>
  /** Joins the streams of the container's own process. */
  attach(pod: PodTarget, options?: AttachOptions): Promise<RemoteProcess>
  /** Connections to ports that the pod listens on. */
  portForward(pod: PodTarget, options?: { readonly signal?: AbortSignal }): Promise<RemotePorts>
}

export function podConnections(connect: Connections): PodConnections {
  return {
    logs: (pod, { signal, ...options } = {}) => connect.bytes(callOf(pod, 'log', pairs(options), signal)),
    exec: (pod, command, options = {}) =>
      connect.command(callOf(pod, 'exec', [...command.map((word): Pair => ['command', word]), ...streams(options)], options.signal)),
    attach: (pod, options = {}) => connect.command(callOf(pod, 'attach', streams(options), options.signal)),
    portForward: (pod, options = {}) => connect.ports(callOf(pod, 'portforward', [], options.signal)),
  }
}

type Pair = readonly [name: string, value: string]

function callOf(pod: PodTarget, subresource: string, query: readonly Pair[], signal: AbortSignal | undefined): ConnectCall {
  const target: Target = { ...PODS, namespace: pod.namespace, name: pod.name, subresource }
  return { target, query, ...(signal && { signal }) }
}

const pairs = (options: object): Pair[] =>
  Object.entries(options).flatMap(([name, value]): Pair[] => (value === undefined ? [] : [[name, String(value)]]))

const streams = ({ container, stdin = false, tty = false }: AttachOptions): Pair[] =>
  pairs({ container, stdin, stdout: true, stderr: !tty, tty })
