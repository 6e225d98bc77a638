import type { ProcessImage } from '../../../node/programs/processes/process-image.ts'
import type { RunnerLimits } from '../../threads/runner-limits.ts'
import type { DialTarget } from './programs-protocol.ts'

/** Programs of images: the module or the list of modules that has them, or those that are processes of this machine. */
export type ImagesSource = string | Readonly<Record<string, ProcessImage>>

/** What a runner is started with, as JSON. */
export interface RunnerData {
  /** The process that starts it: when that has gone, it ends. */
  readonly parent: number
  readonly images: ImagesSource
  readonly serviceCidr: string
  /** Where pods reach the API server. */
  readonly server: { readonly address: string; readonly port: DialTarget['port'] }
  readonly limits: RunnerLimits
}

/** The descriptors with which a runner is started, beside the standard ones. */
export const RUNNER_FILES = { link: 3, guard: 4 } as const

/**
 * What a runner and its guard share: 32-bit integers. `entered`: the number of the container whose program went on last; `beats` grows as
 * long as the event loop turns.
 */
export const SHARED = { entered: 0, beats: 1, count: 2 } as const

/** How often the event loop shows that it turns, and how often the guard looks. */
export const BEAT_MS = 100

/** A line of the guard's reports: `alive` when its containers have changed, the others once, before the runner is ended. */
export interface GuardReport {
  readonly is: 'alive' | 'stuck' | 'full'
  /** The container whose program went on last. */
  readonly entered: number
  /** The one that made the memory grow most; see `MemoryGrowth`. */
  readonly grown: number
}
