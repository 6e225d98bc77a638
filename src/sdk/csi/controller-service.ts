import { bool, int, type MessageOf, many, message, one, text, textMap } from '../../machinery/protobuf/plain-message.ts'
import { unary } from '../grpc/method.ts'
import { CapacityRange, Empty, ServiceCapability, Topology, VolumeCapability } from './volume.ts'

const SnapshotSource = message({ snapshotId: text(1) })
const VolumeSource = message({ volumeId: text(1) })
const VolumeContentSource = message({ snapshot: one(1, SnapshotSource), volume: one(2, VolumeSource) })

/** Where a volume has to be reached from, and would be best. */
const TopologyRequirement = message({ requisite: many(1, Topology), preferred: many(2, Topology) })
export type TopologyRequirement = MessageOf<typeof TopologyRequirement>

export const CreateVolumeRequest = message({
  name: text(1),
  capacityRange: one(2, CapacityRange),
  volumeCapabilities: many(3, VolumeCapability),
  parameters: textMap(4),
  secrets: textMap(5),
  volumeContentSource: one(6, VolumeContentSource),
  accessibilityRequirements: one(7, TopologyRequirement),
})
export type CreateVolumeRequest = MessageOf<typeof CreateVolumeRequest>

export const CreatedVolume = message({
  capacityBytes: int(1),
  volumeId: text(2),
  volumeContext: textMap(3),
  contentSource: one(4, VolumeContentSource),
  accessibleTopology: many(5, Topology),
})
export type CreatedVolume = MessageOf<typeof CreatedVolume>
const CreateVolumeResponse = message({ volume: one(1, CreatedVolume) })

const DeleteVolumeRequest = message({ volumeId: text(1), secrets: textMap(2) })

export const ControllerPublishVolumeRequest = message({
  volumeId: text(1),
  nodeId: text(2),
  volumeCapability: one(3, VolumeCapability),
  readonly: bool(4),
  secrets: textMap(5),
  volumeContext: textMap(6),
})
const ControllerPublishVolumeResponse = message({ publishContext: textMap(1) })
const ControllerUnpublishVolumeRequest = message({ volumeId: text(1), nodeId: text(2), secrets: textMap(3) })

const ValidateVolumeCapabilitiesRequest = message({
  volumeId: text(1),
  volumeContext: textMap(2),
  volumeCapabilities: many(3, VolumeCapability),
  parameters: textMap(4),
  secrets: textMap(5),
})
const Confirmed = message({ volumeContext: textMap(1), volumeCapabilities: many(2, VolumeCapability), parameters: textMap(3) })
const ValidateVolumeCapabilitiesResponse = message({ confirmed: one(1, Confirmed), message: text(2) })

const ListVolumesRequest = message({ maxEntries: int(1), startingToken: text(2) })
const ListedVolume = message({ volume: one(1, CreatedVolume) })
const ListVolumesResponse = message({ entries: many(1, ListedVolume), nextToken: text(2) })

export const GetCapacityRequest = message({
  volumeCapabilities: many(1, VolumeCapability),
  parameters: textMap(2),
  accessibleTopology: one(3, Topology),
})
export type GetCapacityRequest = MessageOf<typeof GetCapacityRequest>
/** A number that may be left out. */
const Int64Value = message({ value: int(1) })
const GetCapacityResponse = message({
  availableCapacity: int(1),
  maximumVolumeSize: one(2, Int64Value),
  minimumVolumeSize: one(3, Int64Value),
})

const ControllerCapabilities = message({ capabilities: many(1, ServiceCapability) })

export const ControllerExpandVolumeRequest = message({
  volumeId: text(1),
  capacityRange: one(2, CapacityRange),
  secrets: textMap(3),
  volumeCapability: one(4, VolumeCapability),
})
const ControllerExpandVolumeResponse = message({ capacityBytes: int(1), nodeExpansionRequired: bool(2) })

/** What a driver's controller service can do. */
export const CONTROLLER_CAPABILITY = {
  createDeleteVolume: 1,
  publishUnpublishVolume: 2,
  listVolumes: 3,
  getCapacity: 4,
  publishReadonly: 8,
  expandVolume: 9,
  singleNodeMultiWriter: 13,
} as const

/** `csi.v1.Controller`: served once for the cluster, called by those who make, attach and resize volumes. */
export const CSI_CONTROLLER = {
  create: unary('/csi.v1.Controller/CreateVolume', CreateVolumeRequest, CreateVolumeResponse),
  delete: unary('/csi.v1.Controller/DeleteVolume', DeleteVolumeRequest, Empty),
  publish: unary('/csi.v1.Controller/ControllerPublishVolume', ControllerPublishVolumeRequest, ControllerPublishVolumeResponse),
  unpublish: unary('/csi.v1.Controller/ControllerUnpublishVolume', ControllerUnpublishVolumeRequest, Empty),
  validate: unary('/csi.v1.Controller/ValidateVolumeCapabilities', ValidateVolumeCapabilitiesRequest, ValidateVolumeCapabilitiesResponse),
  list: unary('/csi.v1.Controller/ListVolumes', ListVolumesRequest, ListVolumesResponse),
  capacity: unary('/csi.v1.Controller/GetCapacity', GetCapacityRequest, GetCapacityResponse),
  capabilities: unary('/csi.v1.Controller/ControllerGetCapabilities', Empty, ControllerCapabilities),
  expand: unary('/csi.v1.Controller/ControllerExpandVolume', ControllerExpandVolumeRequest, ControllerExpandVolumeResponse),
} as const
