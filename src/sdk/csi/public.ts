/** `bowsprit/csi-driver`: a storage driver (CSI), for a kubelet or for Bowsprit's real nodes. */
export { type GrpcCode, GrpcError } from '../grpc/grpc-error.ts'
export type {
  CapacityQuery,
  CsiControllerPart,
  CsiNodeInfo,
  CsiNodePart,
  CsiStorageDriver,
  CsiTopology,
  CsiVolumeCapability,
  DriverVolume,
  VolumeStats,
  VolumeToCreate,
  VolumeToExpand,
  VolumeToPublish,
  VolumeToStage,
} from './csi-driver.ts'
export { type ServeCsiDriverOptions, serveCsiDriver } from './serve-csi-driver.ts'
export { ACCESS_MODE } from './volume.ts'
