import type { Clock } from '../../../../base/clock.ts'
import { connectUnix } from '../../../../sdk/grpc/connect-unix.ts'
import {
  type ClaimReference,
  DRA_HEALTH,
  DRA_PLUGIN,
  type DraService,
  type NodePrepareResourcesResponse,
  type NodeUnprepareResourcesResponse,
  type ReportedHealth,
} from '../../../../sdk/node-api/dra-plugin.ts'

/** The node's connection to a driver. Every call may fail with a `GrpcError`, and has a time limit. */
export interface DriverConnection extends Disposable {
  /** The socket's path: the driver's name in messages. */
  readonly endpoint: string
  readonly service: DraService
  prepare(claims: readonly ClaimReference[], signal: AbortSignal): Promise<NodePrepareResourcesResponse>
  unprepare(claims: readonly ClaimReference[], signal: AbortSignal): Promise<NodeUnprepareResourcesResponse>
  /** Health reports, as they come; fails with Unimplemented if the driver has none. */
  health(signal: AbortSignal): AsyncIterable<readonly ReportedHealth[]>
  /** Calls back with whether the driver can be reached, now and at each change. Retries until the signal is aborted. */
  watch(notify: (connected: boolean) => void, signal: AbortSignal): void
}

/** The time limit of one call, as the kubelet's. */
export const CALL_LIMIT_MS = 45_000

/** Connects to the driver behind a unix socket. */
export async function connectDriver(socketPath: string, service: DraService, clock: Clock): Promise<DriverConnection> {
  const connection = await connectUnix(socketPath, { clock })
  const { prepare, unprepare } = DRA_PLUGIN[service]
  const within = (signal: AbortSignal) => ({ timeoutMs: CALL_LIMIT_MS, signal })
  return {
    endpoint: socketPath,
    service,
    prepare: (claims, signal) => connection.call(prepare, { claims }, within(signal)),
    unprepare: (claims, signal) => connection.call(unprepare, { claims }, within(signal)),
    async *health(signal) {
      for await (const { devices } of connection.stream(DRA_HEALTH.watch, {}, signal)) yield devices
    },
    watch: (notify, signal) => connection.watch(notify, signal),
    [Symbol.dispose]: () => connection[Symbol.dispose](),
  }
}
