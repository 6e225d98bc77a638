/** How full a volume of a pod was when it was measured last. */
export interface VolumeUse {
  readonly atMs: number
  readonly capacityBytes: number
  readonly availableBytes: number
  readonly usedBytes: number
  readonly inodes: number
  readonly inodesFree: number
  readonly inodesUsed: number
}
