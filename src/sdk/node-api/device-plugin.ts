import { bool, int, type MessageOf, many, message, one, text, textMap, texts } from '../../machinery/protobuf/plain-message.ts'
import { serverStream, unary } from '../grpc/method.ts'

/** `v1beta1` of the kubelet's device plugin API, over unix sockets. */
export const DEVICE_PLUGIN_VERSION = 'v1beta1'
/** In the folder of device plugins: where plugins register. */
export const REGISTRATION_SOCKET = 'kubelet.sock'

export const Empty = message<Record<never, never>>({})

export const DevicePluginOptions = message({ preStartRequired: bool(1), getPreferredAllocationAvailable: bool(2) })
export type DevicePluginOptions = MessageOf<typeof DevicePluginOptions>

export const RegisterRequest = message({
  version: text(1),
  endpoint: text(2),
  resourceName: text(3),
  options: one(4, DevicePluginOptions),
})
export type RegisterRequest = MessageOf<typeof RegisterRequest>

export const TopologyInfo = message({ nodes: many(1, message({ id: int(1) })) })
export type TopologyInfo = MessageOf<typeof TopologyInfo>

export const PluginDevice = message({ id: text(1), health: text(2), topology: one(3, TopologyInfo) })
/** A device as its plugin reports it; `health` is `Healthy`, or anything else. */
export type PluginDevice = MessageOf<typeof PluginDevice>

export const ListAndWatchResponse = message({ devices: many(1, PluginDevice) })

const ContainerPreferredAllocationRequest = message({ availableIds: texts(1), mustIncludeIds: texts(2), size: int(3) })
export type ContainerPreferredAllocationRequest = MessageOf<typeof ContainerPreferredAllocationRequest>
export const PreferredAllocationRequest = message({ containers: many(1, ContainerPreferredAllocationRequest) })
export const PreferredAllocationResponse = message({ containers: many(1, message({ ids: texts(1) })) })

export const AllocateRequest = message({ containers: many(1, message({ ids: texts(1) })) })

export const ContainerAllocateResponse = message({
  envs: textMap(1),
  mounts: many(2, message({ containerPath: text(1), hostPath: text(2), readOnly: bool(3) })),
  devices: many(3, message({ containerPath: text(1), hostPath: text(2), permissions: text(3) })),
  annotations: textMap(4),
  cdiDevices: many(5, message({ name: text(1) })),
})
/** What a container gets with its devices. */
export type ContainerAllocateResponse = MessageOf<typeof ContainerAllocateResponse>

export const AllocateResponse = message({ containers: many(1, ContainerAllocateResponse) })
export type AllocateResponse = MessageOf<typeof AllocateResponse>

export const PreStartContainerRequest = message({ ids: texts(1) })

/** Served by the node. */
export const REGISTRATION = { register: unary('/v1beta1.Registration/Register', RegisterRequest, Empty) } as const

/** Served by plugins. */
export const DEVICE_PLUGIN = {
  getDevicePluginOptions: unary('/v1beta1.DevicePlugin/GetDevicePluginOptions', Empty, DevicePluginOptions),
  listAndWatch: serverStream('/v1beta1.DevicePlugin/ListAndWatch', Empty, ListAndWatchResponse),
  getPreferredAllocation: unary('/v1beta1.DevicePlugin/GetPreferredAllocation', PreferredAllocationRequest, PreferredAllocationResponse),
  allocate: unary('/v1beta1.DevicePlugin/Allocate', AllocateRequest, AllocateResponse),
  preStartContainer: unary('/v1beta1.DevicePlugin/PreStartContainer', PreStartContainerRequest, Empty),
} as const
