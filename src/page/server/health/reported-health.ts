import type { Tone } from '../../wire/object-name.ts'

/** How an object does. */
export interface ReportedHealth {
  readonly tone: Tone
  /** Why, in one sentence; empty where nothing is to be said. */
  readonly health: string
}
