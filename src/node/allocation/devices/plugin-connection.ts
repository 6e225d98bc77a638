import type { Clock } from '../../../base/clock.ts'
import { type CallLimits, connectUnix } from '../../../sdk/grpc/connect-unix.ts'
import {
  type ContainerAllocateResponse,
  type ContainerPreferredAllocationRequest,
  DEVICE_PLUGIN,
  type DevicePluginOptions,
  type PluginDevice,
} from '../../../sdk/node-api/device-plugin.ts'

/** A device plugin, as the node speaks with it. Everything may fail with a `GrpcError`, and takes no longer than its time limit. */
export interface PluginConnection extends Disposable {
  /** Where it listens: how it is named in messages. */
  readonly endpoint: string
  options(signal: AbortSignal): Promise<DevicePluginOptions>
  /** All devices each time; ends or fails when the plugin goes. */
  devices(signal: AbortSignal): AsyncIterable<readonly PluginDevice[]>
  preferred(request: ContainerPreferredAllocationRequest, signal: AbortSignal): Promise<readonly string[]>
  /** The answers for one container: a plugin that keeps to the protocol gives one. */
  allocate(ids: readonly string[], signal: AbortSignal): Promise<readonly ContainerAllocateResponse[]>
  preStart(ids: readonly string[], signal: AbortSignal): Promise<void>
}

/** How long a plugin may take to answer. */
export const TIME_LIMITS = {
  options: 10_000,
  preferred: 10_000,
  allocate: 30_000,
  /** As the kubelet's. */
  preStart: 30_000,
} as const

/** The plugin behind a unix socket. */
export async function connectPlugin(socketPath: string, clock: Clock): Promise<PluginConnection> {
  const connection = await connectUnix(socketPath, { clock })
  const within = (timeoutMs: number, signal: AbortSignal): CallLimits => ({ timeoutMs, signal })
  return {
    endpoint: socketPath,
    options: (signal) => connection.call(DEVICE_PLUGIN.getDevicePluginOptions, {}, within(TIME_LIMITS.options, signal)),
    async *devices(signal) {
      for await (const { devices } of connection.stream(DEVICE_PLUGIN.listAndWatch, {}, signal)) yield devices
    },
    async preferred(request, signal) {
      const limits = within(TIME_LIMITS.preferred, signal)
      const { containers } = await connection.call(DEVICE_PLUGIN.getPreferredAllocation, { containers: [request] }, limits)
      return containers[0]?.ids ?? []
    },
    async allocate(ids, signal) {
      const limits = within(TIME_LIMITS.allocate, signal)
      return (await connection.call(DEVICE_PLUGIN.allocate, { containers: [{ ids }] }, limits)).containers
    },
    async preStart(ids, signal) {
      await connection.call(DEVICE_PLUGIN.preStartContainer, { ids }, within(TIME_LIMITS.preStart, signal))
    },
    [Symbol.dispose]: () => connection[Symbol.dispose](),
  }
}
