import type { Tone } from '../../wire/messages.ts'

/** How an object does. */
export interface ReportedHealth {
  readonly tone: Tone
  /** Why, in one sentence; empty where nothing is to be said. */
  readonly health: string
}
