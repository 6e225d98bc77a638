/** Events of one resource that do not reach the operator for a while. */
export interface EventHold {
  /** Resolves when they may pass. */
  readonly over: Promise<void>
  /** They arrive late and in order; or the watch expires, and the operator lists again: it never sees what was in between. */
  readonly ending: 'late' | 'relist'
}
