import { int, type MessageOf, many, message, messageMap, one, text, texts } from '../../machinery/protobuf/plain-message.ts'
import { serverStream, unary } from '../grpc/method.ts'

/** The messages between drivers of dynamic resource allocation (KEP-3063, KEP-4381) and the node, over unix sockets. */
const Claim = message({ namespace: text(1), uid: text(2), name: text(3) })
/** Which claim is meant; the driver reads the rest of it from the API. */
export type ClaimReference = MessageOf<typeof Claim>

const Claims = message({ claims: many(1, Claim) })

const PreparedDevice = message({ requestNames: texts(1), poolName: text(2), deviceName: text(3), cdiDeviceIds: texts(4), shareId: text(5) })
/** A device that is ready. `requestNames` empty: for all requests of the claim. `shareId` (since v1) empty: it is not shared. */
export type PreparedDevice = MessageOf<typeof PreparedDevice>

export const NodePrepareResourcesResponse = message({
  claims: messageMap(1, message({ devices: many(1, PreparedDevice), error: text(2) })),
})
export type NodePrepareResourcesResponse = MessageOf<typeof NodePrepareResourcesResponse>

const NodeUnprepareResourcesResponse = message({ claims: messageMap(1, message({ error: text(1) })) })
export type NodeUnprepareResourcesResponse = MessageOf<typeof NodeUnprepareResourcesResponse>

const draPlugin = (version: 'v1' | 'v1beta1') => {
  const path = (method: string) => `/k8s.io.kubelet.pkg.apis.dra.${version}.DRAPlugin/${method}`
  return {
    prepare: unary(path('NodePrepareResources'), Claims, NodePrepareResourcesResponse),
    unprepare: unary(path('NodeUnprepareResources'), Claims, NodeUnprepareResourcesResponse),
  }
}

/** Served by drivers; the keys are the names that a driver registers. The messages of both versions are the same on the wire. */
export const DRA_PLUGIN = { 'v1.DRAPlugin': draPlugin('v1'), 'v1beta1.DRAPlugin': draPlugin('v1beta1') } as const
export type DraService = keyof typeof DRA_PLUGIN

const Nothing = message<Record<never, never>>({})
const DeviceHealth = message({
  device: one(1, message({ poolName: text(1), deviceName: text(2) })),
  health: int(2),
  lastUpdatedTime: int(3),
  healthCheckTimeoutSeconds: int(4),
  message: text(5),
})
/** How one device is; `health` is an index of {@link HEALTH}. */
export type ReportedHealth = MessageOf<typeof DeviceHealth>

/** The words for the numbers of `HealthStatus`. */
export const HEALTH = ['Unknown', 'Healthy', 'Unhealthy'] as const
export type Health = (typeof HEALTH)[number]

/** Served by drivers that watch their devices (KEP-4680). */
export const DRA_HEALTH = {
  watch: serverStream('/v1alpha1.DRAResourceHealth/NodeWatchResources', Nothing, message({ devices: many(1, DeviceHealth) })),
} as const
/** A driver registers this name if it serves health. */
export const DRA_HEALTH_SERVICE = 'v1alpha1.DRAResourceHealth'
