import { CONTROLLER_CAPABILITY, CSI_CONTROLLER } from '../../sdk/csi/controller-service.ts'
import { CSI_IDENTITY, PLUGIN_SERVICE } from '../../sdk/csi/identity.ts'
import { capabilityTypes } from '../../sdk/csi/volume.ts'
import type { GrpcConnection } from '../../sdk/grpc/connect-unix.ts'
import type { UnaryMethod } from '../../sdk/grpc/method.ts'

/** The controller service of a CSI driver, and what it can do. */
export interface DriverClient {
  readonly name: string
  /** Numbers of `CONTROLLER_CAPABILITY`. */
  readonly can: ReadonlySet<number>
  /** Not every node reaches every volume. */
  readonly topology: boolean
  /** What distinguishes volumes of this provisioner from those of others with the same driver. */
  readonly identity: string
  /** Rejects with `GrpcError`. */
  call<Q, A>(method: UnaryMethod<Q, A>, request: Q): Promise<A>
}

/** As those of the public sidecars. */
const CALL_LIMIT_MS = 15_000

/** Asks the driver who it is. Rejects with `GrpcError`. */
export async function openDriverClient(connection: GrpcConnection, nowMs: number, signal: AbortSignal): Promise<DriverClient> {
  const call = <Q, A>(method: UnaryMethod<Q, A>, request: Q) => connection.call(method, request, { signal, timeoutMs: CALL_LIMIT_MS })
  const { name } = await call(CSI_IDENTITY.getPluginInfo, {})
  const { capabilities } = await call(CSI_IDENTITY.getPluginCapabilities, {})
  const services = new Set(capabilities.map(({ service }) => service?.type))
  const can = services.has(PLUGIN_SERVICE.controller)
    ? capabilityTypes((await call(CSI_CONTROLLER.capabilities, {})).capabilities)
    : new Set<number>()
  return { name, can, topology: services.has(PLUGIN_SERVICE.accessibilityConstraints), identity: `${nowMs}-${process.pid}-${name}`, call }
}

/** Whether the driver distinguishes the pods of one node from one pod. */
export const singleNodeMultiWriter = ({ can }: DriverClient): boolean => can.has(CONTROLLER_CAPABILITY.singleNodeMultiWriter)
