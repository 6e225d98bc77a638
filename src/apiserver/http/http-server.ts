import type { Clock } from '../../base/clock.ts'
import type { Impersonation } from '../identity/impersonation.ts'
import type { PipelineServer } from '../pipeline/step.ts'
import type { BrowserRules } from './browser-rules.ts'
import type { Peers } from './connection/peers.ts'
import type { TimeLimits } from './connection/time-limits.ts'
import type { OpenWatches } from './open-watches.ts'
import type { ZippedSegments } from './response/zipped-segments.ts'

/** Dependencies of the HTTP entrance. */
export interface HttpServer extends PipelineServer {
  readonly impersonation: Impersonation
  /** Undefined: browsers get no headers of their own. */
  readonly browsers: BrowserRules | undefined
  readonly peers: Peers
  readonly segments: ZippedSegments
  readonly watches: OpenWatches
  /** The time limit of every request that is not long-running. */
  readonly limits: TimeLimits
  /** The clock of shorter limits that clients set. */
  readonly clock: Clock
}
