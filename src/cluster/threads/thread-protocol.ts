import type { ClusterKeys } from '../certificates.ts'
import type { ClusterOptions } from '../cluster-options.ts'
import type { PodRangePlan } from '../nodes/pod-ranges.ts'
import type { ClientPart } from '../placement.ts'
import type { RunnerLimits } from './runner-limits.ts'

/** What a thread with parts of a cluster is started with. It is cloned: there are no functions in it. */
export interface PartWorkerData {
  readonly parts: readonly ClientPart[]
  /** The folder of the compile cache; undefined: it is not on. */
  readonly compileCache: string | undefined
  /** As `startCluster` got them. */
  readonly options: ClusterOptions
  readonly keys: ClusterKeys
  readonly podRanges: PodRangePlan | undefined
  /** As `InnerClusterDeps` has them. */
  readonly programLimits: RunnerLimits | undefined
  /** The folder of the nodes' devices; undefined: they have none. */
  readonly deviceFolder: string | undefined
  /** The port of the service `kubernetes`. */
  readonly serverPort: number
}

/** What the API server's thread offers to a thread with parts, besides the calls of clients. */
export const MAIN_SERVICES = {
  /** A line for the log. */
  log: 'log',
  /** A part has failed: a `RemoteDeath`. */
  died: 'died',
  /** A connection to the API server's own port. */
  apiServer: 'api-server',
} as const

/** What each thread with parts offers to the API server's thread. */
export const PART_SERVICES = {
  /** Answers at once: the thread's event loop turns. */
  alive: 'alive',
  /** Ends all parts; answers when they have ended. */
  stop: 'stop',
} as const

/** One failure of a part, as `PartDeath`. */
export interface RemoteDeath {
  readonly part: ClientPart
  readonly message: string
  readonly stack?: string
  readonly restartMs?: number
}
