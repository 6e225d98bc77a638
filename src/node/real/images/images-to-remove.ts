import type { ImageLimits } from '../../configuration/kubelet-configuration.ts'
import type { Image } from '../../runtime/runtime.ts'

/** An image as the node has seen it. */
export interface SeenImage {
  readonly image: Image
  /** 0: it was there before the agent. */
  readonly firstSeenMs: number
  /** When a container was last seen with it. */
  readonly usedAtMs: number
  /** A container has it now. */
  readonly used: boolean
}

export interface RemovalInput {
  readonly images: readonly SeenImage[]
  readonly limits: ImageLimits
  /** Of the file system that images are on. */
  readonly disk: { readonly capacityBytes: number; readonly availableBytes: number }
  /** Nothing is removed by its age in the first time of an agent, which has not seen yet what is used. */
  readonly startedMs: number
  readonly nowMs: number
}

export interface Removal {
  /** In this order, until `wantedBytes` are free; those that are too old come first, and always. */
  readonly images: readonly Image[]
  /** 0: the file system is not too full. */
  readonly wantedBytes: number
  /** What these images take. */
  readonly freedBytes: number
}

/** Which images nothing needs: the one that was used longest ago goes first, as in the kubelet. Pure. */
export function imagesToRemove({ images, limits, disk, startedMs, nowMs }: RemovalInput): Removal {
  const unused = images.filter(({ image, used }) => !used && image.pinned !== true).toSorted(byLastUse)
  const { maximumAgeMs } = limits
  const mayBeTooOld = maximumAgeMs > 0 && nowMs - startedMs > maximumAgeMs
  const tooOld = mayBeTooOld ? unused.filter(({ usedAtMs }) => nowMs - usedAtMs > maximumAgeMs) : []
  const chosen = tooOld.map(({ image }) => image)
  const wantedBytes = bytesToFree(limits, disk)
  let freedBytes = sizeOf(chosen)
  for (const seen of unused) {
    if (freedBytes >= wantedBytes) break
    if (tooOld.includes(seen) || nowMs - seen.firstSeenMs < limits.minimumAgeMs || seen.usedAtMs >= nowMs) continue
    chosen.push(seen.image)
    freedBytes += seen.image.sizeBytes
  }
  return { images: chosen, wantedBytes, freedBytes }
}

const sizeOf = (images: readonly Image[]) => images.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)

const byLastUse = (a: SeenImage, b: SeenImage) => a.usedAtMs - b.usedAtMs || a.firstSeenMs - b.firstSeenMs

function bytesToFree({ highPercent, lowPercent }: ImageLimits, { capacityBytes, availableBytes }: RemovalInput['disk']): number {
  if (capacityBytes === 0 || highPercent === 100) return 0
  const usedPercent = 100 - Math.floor((availableBytes * 100) / capacityBytes)
  return usedPercent < highPercent ? 0 : Math.max(0, Math.floor((capacityBytes * (100 - lowPercent)) / 100) - availableBytes)
}
