import type { UserInfo } from '../../machinery/resource/user.ts'
import type { Trail } from './trail.ts'

/** The user, lifetime and remarks of a request. The server's own writes have one, too. */
export interface RequestContext {
  readonly user: UserInfo
  /** Aborted when the response is no longer needed. */
  readonly signal: AbortSignal
  /** Where its facts are recorded; absent for the server's own writes. */
  readonly trail?: Trail | undefined
  /** Adds a warning to the response. */
  warn(text: string): void
  /** Adds an audit annotation. `Request`: only if the policy keeps request bodies. */
  annotate(key: string, value: string, level?: 'Request'): void
}
