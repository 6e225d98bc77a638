/** How full a file system is, and how much of it something takes. */
export interface DiskUse {
  readonly capacityBytes: number
  readonly availableBytes: number
  readonly usedBytes: number
  readonly inodes: number
  readonly inodesFree: number
  readonly inodesUsed: number
}

/** How full a volume of a pod was when it was measured last. */
export interface VolumeUse extends DiskUse {
  readonly atMs: number
}
