import { bool, int, type MessageOf, many, message, one, text, textMap } from '../../machinery/protobuf/plain-message.ts'
import { unary } from '../grpc/method.ts'
import { CapacityRange, Empty, ServiceCapability, Topology, VolumeCapability } from './volume.ts'

export const NodeStageVolumeRequest = message({
  volumeId: text(1),
  publishContext: textMap(2),
  stagingTargetPath: text(3),
  volumeCapability: one(4, VolumeCapability),
  secrets: textMap(5),
  volumeContext: textMap(6),
})

const NodeUnstageVolumeRequest = message({ volumeId: text(1), stagingTargetPath: text(2) })

export const NodePublishVolumeRequest = message({
  volumeId: text(1),
  publishContext: textMap(2),
  stagingTargetPath: text(3),
  targetPath: text(4),
  volumeCapability: one(5, VolumeCapability),
  readonly: bool(6),
  secrets: textMap(7),
  volumeContext: textMap(8),
})

const NodeUnpublishVolumeRequest = message({ volumeId: text(1), targetPath: text(2) })

export const NodeGetVolumeStatsRequest = message({ volumeId: text(1), volumePath: text(2), stagingTargetPath: text(3) })
const VolumeUsage = message({ available: int(1), total: int(2), used: int(3), unit: int(4) })
const VolumeCondition = message({ abnormal: bool(1), message: text(2) })
const NodeGetVolumeStatsResponse = message({ usage: many(1, VolumeUsage), volumeCondition: one(2, VolumeCondition) })

export const NodeExpandVolumeRequest = message({
  volumeId: text(1),
  volumePath: text(2),
  capacityRange: one(3, CapacityRange),
  stagingTargetPath: text(4),
  volumeCapability: one(5, VolumeCapability),
  secrets: textMap(6),
})
const NodeExpandVolumeResponse = message({ capacityBytes: int(1) })

const NodeCapabilities = message({ capabilities: many(1, ServiceCapability) })

export const NodeInfo = message({ nodeId: text(1), maxVolumesPerNode: int(2), accessibleTopology: one(3, Topology) })
export type NodeInfo = MessageOf<typeof NodeInfo>

/** What a driver's node service can do. */
export const NODE_CAPABILITY = {
  stageUnstageVolume: 1,
  getVolumeStats: 2,
  expandVolume: 3,
  volumeCondition: 4,
  singleNodeMultiWriter: 5,
  volumeMountGroup: 6,
} as const

/** Of an amount in the usage of a volume. */
export const USAGE_UNIT = { bytes: 1, inodes: 2 } as const

/** `csi.v1.Node`: served on every node, called by the node agent. */
export const CSI_NODE = {
  stage: unary('/csi.v1.Node/NodeStageVolume', NodeStageVolumeRequest, Empty),
  unstage: unary('/csi.v1.Node/NodeUnstageVolume', NodeUnstageVolumeRequest, Empty),
  publish: unary('/csi.v1.Node/NodePublishVolume', NodePublishVolumeRequest, Empty),
  unpublish: unary('/csi.v1.Node/NodeUnpublishVolume', NodeUnpublishVolumeRequest, Empty),
  stats: unary('/csi.v1.Node/NodeGetVolumeStats', NodeGetVolumeStatsRequest, NodeGetVolumeStatsResponse),
  expand: unary('/csi.v1.Node/NodeExpandVolume', NodeExpandVolumeRequest, NodeExpandVolumeResponse),
  capabilities: unary('/csi.v1.Node/NodeGetCapabilities', Empty, NodeCapabilities),
  info: unary('/csi.v1.Node/NodeGetInfo', Empty, NodeInfo),
} as const
