import type { Clock } from '../../../../base/clock.ts'
import { connectUnix } from '../../../../sdk/grpc/connect-unix.ts'
import {
  type ClaimReference,
  DRA_HEALTH,
  DRA_PLUGIN,
  type DraService,
  type NodePrepareResourcesResponse,
  type NodeUnprepareResourcesResponse,
  type ToldHealth,
} from '../../../../sdk/node-api/dra-plugin.ts'

/** A driver, as the node speaks with it. Everything may fail with a `GrpcError`, and takes no longer than its time limit. */
export interface DriverConnection extends Disposable {
  /** Where it listens: how it is named in messages. */
  readonly endpoint: string
  readonly service: DraService
  prepare(claims: readonly ClaimReference[], signal: AbortSignal): Promise<NodePrepareResourcesResponse>
  unprepare(claims: readonly ClaimReference[], signal: AbortSignal): Promise<NodeUnprepareResourcesResponse>
  /** How its devices are, each time that changes; fails with Unimplemented where it does not know. */
  health(signal: AbortSignal): AsyncIterable<readonly ToldHealth[]>
  /** Tells whether its process is there, and each change of that. It goes on trying to reach it until the signal is aborted. */
  watch(tell: (connected: boolean) => void, signal: AbortSignal): void
}

/** How long a driver may take for one call, as the kubelet's. */
export const CALL_LIMIT_MS = 45_000

/** The driver behind a unix socket. */
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
    watch: (tell, signal) => connection.watch(tell, signal),
    [Symbol.dispose]: () => connection[Symbol.dispose](),
  }
}
