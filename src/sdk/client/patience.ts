/** How long the other side may be silent, in milliseconds. */
export interface Patience {
  /** Time limit to open a connection (TCP and TLS). */
  readonly connectMs: number
  /** Interval of pings on a connection with open streams… */
  readonly pingEveryMs: number
  /** …and given up when none comes within this time. */
  readonly pingResponseMs: number
}

/** As client-go has it, where it has it. */
export const PATIENCE: Patience = { connectMs: 30_000, pingEveryMs: 30_000, pingResponseMs: 15_000 }
