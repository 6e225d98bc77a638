import type { Clock } from '../../../base/clock.ts'
import { type CallLimits, connectUnix } from '../../../sdk/grpc/connect-unix.ts'
import {
  type ContainerAllocateResponse,
  type ContainerPreferredAllocationRequest,
  DEVICE_PLUGIN,
  type DevicePluginOptions,
  type PluginDevice,
} from '../../../sdk/node-api/device-plugin.ts'

/** The node's connection to a device plugin. Every call may fail with a `GrpcError`, and has a time limit. */
export interface PluginConnection extends Disposable {
  /** The socket's path: the plugin's name in messages. */
  readonly endpoint: string
  options(signal: AbortSignal): Promise<DevicePluginOptions>
  /** Each item has all devices; ends or fails when the plugin goes. */
  devices(signal: AbortSignal): AsyncIterable<readonly PluginDevice[]>
  preferred(request: ContainerPreferredAllocationRequest, signal: AbortSignal): Promise<readonly string[]>
  /** The responses for one container; a correct plugin returns one. */
  allocate(ids: readonly string[], signal: AbortSignal): Promise<readonly ContainerAllocateResponse[]>
  preStart(ids: readonly string[], signal: AbortSignal): Promise<void>
}

/** Time limits of the calls. */
export const TIME_LIMITS = {
  options: 10_000,
  preferred: 10_000,
  allocate: 30_000,
  /** As in the kubelet. */
  preStart: 30_000,
} as const

/** Connects to the plugin behind a unix socket. */
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
