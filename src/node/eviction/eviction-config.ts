import { parseGoDuration } from '../../machinery/go/go-duration.ts'
import { readThresholds, type Threshold } from './thresholds.ts'

/** The hard thresholds of a kubelet that is told none. */
export const DEFAULT_HARD: Readonly<Record<string, string>> = {
  'imagefs.available': '15%',
  'imagefs.inodesFree': '5%',
  'memory.available': '100Mi',
  'nodefs.available': '10%',
  'nodefs.inodesFree': '5%',
}

export interface EvictionConfig {
  /** Somebody has said thresholds of his own. */
  readonly given: boolean
  readonly thresholds: readonly Threshold[]
  /** How long a condition of the node stays after it was last seen. */
  readonly transitionMs: number
  /** How long a pod has at most that goes for a soft threshold. */
  readonly maxGraceSeconds: number
  /** Whether limits of local storage are watched. */
  readonly storageLimits: boolean
}

/** What a KubeletConfiguration says of eviction; what it does not say is the kubelet's default. */
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
