/** When a thread is ended. */
export interface ThreadLimits {
  /** A thread whose event loop has not turned for so long is ended. */
  readonly stuckMs: number
  /** The time that its parts have to stop. */
  readonly stopMs: number
  /** A thread whose objects need more is ended. */
  readonly heapMb: number
}
