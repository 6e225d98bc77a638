/** How long the other side may be silent, in milliseconds. */
export interface Patience {
  /** Until a connection stands (TCP and TLS). */
  readonly connectMs: number
  /** A connection with streams is asked for a sign of life this often… */
  readonly pingEveryMs: number
  /** …and given up when none comes within this time. */
  readonly pingAnswerMs: number
}

/** As client-go has it, where it has it. */
export const PATIENCE: Patience = { connectMs: 30_000, pingEveryMs: 30_000, pingAnswerMs: 15_000 }
