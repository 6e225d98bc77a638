/** How a volume is used: as a device (`block`) or a file system (`mount`), and by whom. Names are those of the specification. */
export interface CsiVolumeCapability {
  readonly block: object | undefined
  readonly mount: { readonly fsType: string; readonly mountFlags: readonly string[]; readonly volumeMountGroup: string } | undefined
  /** One of `ACCESS_MODE`. */
  readonly accessMode: { readonly mode: number } | undefined
}

/** Where a volume can be reached: values by keys, as labels of nodes. */
export interface CsiTopology {
  readonly segments: ReadonlyMap<string, string>
}

/** A volume that is wanted. */
export interface VolumeToCreate {
  readonly name: string
  /** 0 is no bound. */
  readonly capacityRange: { readonly requiredBytes: number; readonly limitBytes: number } | undefined
  readonly volumeCapabilities: readonly CsiVolumeCapability[]
  /** Of the storage class. */
  readonly parameters: ReadonlyMap<string, string>
  readonly secrets: ReadonlyMap<string, string>
  /** From where it has to be reached, and from where best. */
  readonly accessibilityRequirements: { readonly requisite: readonly CsiTopology[]; readonly preferred: readonly CsiTopology[] } | undefined
}

/** A volume that is there. */
export interface DriverVolume {
  readonly volumeId: string
  readonly capacityBytes: number
  /** What `stage` and `publish` are given. Default: nothing. */
  readonly volumeContext?: ReadonlyMap<string, string>
  /** Default: from everywhere. */
  readonly accessibleTopology?: readonly CsiTopology[]
}

/** For which volumes room is asked. */
export interface CapacityQuery {
  readonly volumeCapabilities: readonly CsiVolumeCapability[]
  readonly parameters: ReadonlyMap<string, string>
  readonly accessibleTopology: CsiTopology | undefined
}

/** What a node reports of itself. */
export interface CsiNodeInfo {
  readonly nodeId: string
  /** Default: no bound. */
  readonly maxVolumesPerNode?: number
  readonly accessibleTopology?: CsiTopology
}

/** A volume that is to be there for a node. */
export interface VolumeToStage {
  readonly volumeId: string
  readonly stagingPath: string
  readonly capability: CsiVolumeCapability
  /** What `attach` has returned. */
  readonly publishContext: ReadonlyMap<string, string>
  readonly volumeContext: ReadonlyMap<string, string>
  readonly secrets: ReadonlyMap<string, string>
}

/** A volume that is to be there for a pod. */
export interface VolumeToPublish extends Omit<VolumeToStage, 'stagingPath'> {
  /** Where it was staged; empty: it was not. */
  readonly stagingPath: string
  /** To be made by the driver: a folder, or a file for a device. Its parent is there. */
  readonly targetPath: string
  readonly readOnly: boolean
}

/** What is to grow. */
export interface VolumeToExpand {
  readonly volumeId: string
  readonly requiredBytes: number
  readonly secrets: ReadonlyMap<string, string>
}

/** Amounts of a volume that is in use. */
export interface VolumeStats {
  readonly bytes: { readonly total: number; readonly used: number; readonly available: number }
  readonly inodes?: { readonly total: number; readonly used: number; readonly available: number }
}

/**
 * The part of a driver that is there once for a cluster. Every method may be called again for what is done already, and then resolves as
 * before.
 */
export interface CsiControllerPart {
  /** Makes a volume; of one name there is one. Rejects with `GrpcError` `AlreadyExists` if that cannot hold what is asked for. */
  create(volume: VolumeToCreate): Promise<DriverVolume>
  /** Resolves for a volume that is not there. */
  delete(volumeId: string): Promise<void>
  /** Whether the volume exists. */
  exists(volumeId: string): Promise<boolean>
  /**
   * Makes the volume reachable for a node; resolves with the publish context for `stage` and `publish`. Default: all nodes reach all
   * volumes.
   */
  attach?(volumeId: string, nodeId: string): Promise<ReadonlyMap<string, string>>
  detach?(volumeId: string, nodeId: string): Promise<void>
  /** Default: volumes do not grow. */
  expand?(volume: VolumeToExpand): Promise<{ readonly capacityBytes: number; readonly byNode: boolean }>
  /** The ids of all volumes. Default: they cannot be listed. */
  list?(): Promise<readonly DriverVolume[]>
  /** How many bytes there are for new volumes at a place, with the parameters of a class. Default: the driver does not say. */
  capacity?(query: CapacityQuery): Promise<number>
}

/** The part of a driver that is there on every node. Every method may be called again for what is done already. */
export interface CsiNodePart {
  info(): Promise<CsiNodeInfo>
  /** Mounts a volume once for all pods of the node. Default: each pod has a mount of its own. */
  stage?(volume: VolumeToStage): Promise<void>
  unstage?(volumeId: string, stagingPath: string): Promise<void>
  publish(volume: VolumeToPublish): Promise<void>
  /** Removes the target path, too. */
  unpublish(volumeId: string, targetPath: string): Promise<void>
  expand?(volume: VolumeToExpand & { readonly path: string }): Promise<void>
  /** Rejects with `GrpcError` `NotFound` where the volume is not at this path. */
  stats?(volumeId: string, path: string): Promise<VolumeStats>
}

/** A CSI driver: what it can do follows from the methods that it has. */
export interface CsiStorageDriver {
  /** A DNS subdomain: `folders.example.com`. */
  readonly name: string
  readonly version: string
  readonly controller?: CsiControllerPart
  readonly node?: CsiNodePart
  /** Nodes reach different volumes: `info` names the topology. Default: false. */
  readonly topology?: boolean
}
