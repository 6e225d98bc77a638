import type { KubeObject } from '../../machinery/object.ts'
import type { TrailTarget } from './request-trail.ts'

/** One open watch: `bowsprit.dev/v1 WatchReport`, under the name of its request's trail. Never stored. */
export interface WatchReport extends KubeObject {
  readonly user: string
  readonly userAgent?: string
  readonly target: TrailTarget
  readonly labelSelector?: string
  readonly fieldSelector?: string
  /** When it began: RFC 3339. */
  readonly since: string
  /** Sent so far. */
  readonly events: number
  /** How often its reader has opened the same watch in the last ten minutes, this time included. */
  readonly openings: number
  /** How many of those ended with 410. */
  readonly expired?: number
  /** When the last event or bookmark was sent, and its revision; absent: none was. */
  readonly lastAt?: string
  readonly lastRevision?: string
  /** `current`: it has everything; `behind`: events wait for it; `lagging`: so many that it reads the history to catch up. */
  readonly state: 'current' | 'behind' | 'lagging'
  /** Events that wait for it; absent while it lags. */
  readonly pending?: number
}
