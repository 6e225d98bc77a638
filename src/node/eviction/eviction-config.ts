import { parseGoDuration } from '../../machinery/go/go-duration.ts'
import { readThresholds, type Threshold } from './thresholds.ts'

/** The kubelet's default hard thresholds. */
export const DEFAULT_HARD: Readonly<Record<string, string>> = {
  'imagefs.available': '15%',
  'imagefs.inodesFree': '5%',
  'memory.available': '100Mi',
  'nodefs.available': '10%',
  'nodefs.inodesFree': '5%',
}

export interface EvictionConfig {
  /** Thresholds were configured explicitly. */
  readonly given: boolean
  readonly thresholds: readonly Threshold[]
  /** How long a node condition persists after it was last observed. */
  readonly transitionMs: number
  /** The longest grace period of a pod that is evicted for a soft threshold. */
  readonly maxGraceSeconds: number
  /** Whether limits of local storage are enforced. */
  readonly storageLimits: boolean
}

/** The eviction fields of a KubeletConfiguration; an absent one has the kubelet's default. */
export interface WrittenEviction {
  readonly evictionHard?: Readonly<Record<string, string>>
  readonly evictionSoft?: Readonly<Record<string, string>>
  readonly evictionSoftGracePeriod?: Readonly<Record<string, string>>
  readonly evictionMinimumReclaim?: Readonly<Record<string, string>>
  readonly evictionPressureTransitionPeriod?: string
  readonly evictionMaxPodGracePeriod?: number
  readonly enforceNodeAllocatable?: readonly string[]
  readonly localStorageCapacityIsolation?: boolean
}

const DEFAULT_TRANSITION_MS = 300_000

/** @throws {ThresholdError} */
export function completeEviction(written: WrittenEviction): EvictionConfig {
  const { evictionSoft = {}, evictionSoftGracePeriod = {}, evictionMinimumReclaim = {}, enforceNodeAllocatable = ['pods'] } = written
  const thresholds = readThresholds({
    evictionHard: written.evictionHard ?? DEFAULT_HARD,
    evictionSoft,
    evictionSoftGracePeriod,
    evictionMinimumReclaim,
    enforcesPods: enforceNodeAllocatable.includes('pods'),
  })
  return {
    given: written.evictionHard !== undefined || Object.keys(evictionSoft).length > 0,
    thresholds,
    transitionMs: parseGoDuration(written.evictionPressureTransitionPeriod ?? '') || DEFAULT_TRANSITION_MS,
    maxGraceSeconds: written.evictionMaxPodGracePeriod ?? 0,
    storageLimits: written.localStorageCapacityIsolation !== false,
  }
}
