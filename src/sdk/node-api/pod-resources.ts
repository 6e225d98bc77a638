import { int, ints, type MessageOf, many, message, one, text, texts } from '../../machinery/protobuf/plain-message.ts'
import { unary } from '../grpc/method.ts'
import { TopologyInfo } from './device-plugin.ts'

/** `podresources/v1` and `v1alpha1`: the devices, CPUs and memory of each container, on a socket of their own. */
const ContainerDevices = message({ resourceName: text(1), deviceIds: texts(2), topology: one(3, TopologyInfo) })
export type ContainerDevices = MessageOf<typeof ContainerDevices>
const ContainerMemory = message({ memoryType: text(1), size: int(2), topology: one(3, TopologyInfo) })
export type ContainerMemory = MessageOf<typeof ContainerMemory>

const ClaimResource = message({
  cdiDevices: many(1, message({ name: text(1) })),
  driverName: text(2),
  poolName: text(3),
  deviceName: text(4),
  shareId: text(5),
})
const DynamicResource = message({ claimName: text(2), claimNamespace: text(3), claimResources: many(4, ClaimResource) })
export type DynamicResource = MessageOf<typeof DynamicResource>

const ContainerResources = message({
  name: text(1),
  devices: many(2, ContainerDevices),
  cpuIds: ints(3),
  memory: many(4, ContainerMemory),
  dynamicResources: many(5, DynamicResource),
})
export type ContainerResources = MessageOf<typeof ContainerResources>

const PodResources = message({ name: text(1), namespace: text(2), containers: many(3, ContainerResources) })
export type PodResources = MessageOf<typeof PodResources>

const Nothing = message<Record<never, never>>({})
const AllocatableResources = message({ devices: many(1, ContainerDevices), cpuIds: ints(2), memory: many(3, ContainerMemory) })
export type AllocatableResources = MessageOf<typeof AllocatableResources>

/** Served by the node. */
export const POD_RESOURCES = {
  list: unary('/v1.PodResourcesLister/List', Nothing, message({ podResources: many(1, PodResources) })),
  getAllocatableResources: unary('/v1.PodResourcesLister/GetAllocatableResources', Nothing, AllocatableResources),
  get: unary(
    '/v1.PodResourcesLister/Get',
    message({ podName: text(1), podNamespace: text(2) }),
    message({ podResources: one(1, PodResources) }),
  ),
} as const

const AlphaContainer = message({ name: text(1), devices: many(2, message({ resourceName: text(1), deviceIds: texts(2) })) })
const AlphaPod = message({ name: text(1), namespace: text(2), containers: many(3, AlphaContainer) })

/** Served by the node, for clients of old. */
export const POD_RESOURCES_ALPHA = {
  list: unary('/v1alpha1.PodResourcesLister/List', Nothing, message({ podResources: many(1, AlphaPod) })),
} as const
