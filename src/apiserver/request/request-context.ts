import type { UserInfo } from '../../machinery/resource/user.ts'

/** On whose behalf the server works, until when, and where its remarks go. Writes that the server makes itself have one, too. */
export interface RequestContext {
  readonly user: UserInfo
  /** Aborted when the answer is no longer waited for. */
  readonly signal: AbortSignal
  /** Adds a warning to the answer. */
  warn(text: string): void
  /** Adds an audit annotation. `Request`: only where the policy keeps what was sent. */
  annotate(key: string, value: string, level?: 'Request'): void
}
