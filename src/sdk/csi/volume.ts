import { int, type MessageOf, message, one, text, textMap, texts } from '../../machinery/protobuf/plain-message.ts'

/** What the services of a CSI driver have in common (csi.v1, container-storage-interface/spec). Secrets are plain maps. */

const BlockVolume = message<Record<never, never>>({})
const MountVolume = message({ fsType: text(1), mountFlags: texts(2), volumeMountGroup: text(3) })
const AccessMode = message({ mode: int(1) })

/** How a volume is used: as a device (`block`) or a file system (`mount`), and by whom. */
export const VolumeCapability = message({ block: one(1, BlockVolume), mount: one(2, MountVolume), accessMode: one(3, AccessMode) })
export type VolumeCapability = MessageOf<typeof VolumeCapability>

/** By whom a volume is used, in numbers of the specification. */
export const ACCESS_MODE = {
  singleNodeWriter: 1,
  singleNodeReaderOnly: 2,
  multiNodeReaderOnly: 3,
  multiNodeSingleWriter: 4,
  multiNodeMultiWriter: 5,
  singleNodeSingleWriter: 6,
  singleNodeMultiWriter: 7,
} as const

/** Where a volume can be reached: values by keys, as labels of nodes. */
export const Topology = message({ segments: textMap(1) })
export type Topology = MessageOf<typeof Topology>

/** Bytes; 0 is no bound. */
export const CapacityRange = message({ requiredBytes: int(1), limitBytes: int(2) })
export type CapacityRange = MessageOf<typeof CapacityRange>

const Rpc = message({ type: int(1) })
/** One thing that a service can do; the numbers are of the service. */
export const ServiceCapability = message({ rpc: one(1, Rpc) })
export type ServiceCapability = MessageOf<typeof ServiceCapability>

/** The numbers of what a service can do. */
export const capabilityTypes = (list: readonly ServiceCapability[]): ReadonlySet<number> => new Set(list.map(({ rpc }) => rpc?.type ?? 0))

export const Empty = message<Record<never, never>>({})
