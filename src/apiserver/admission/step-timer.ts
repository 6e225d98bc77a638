import type { Operation } from './plugin.ts'

/** A step of admission: all plugins that mutate, or all that validate. */
export type StepType = 'admit' | 'validate'

/** Times the steps of admission. */
export interface StepTimer {
  /** Returns the monotonic time. */
  begin(): number
  end(begun: number, type: StepType, operation: Operation, rejected: boolean): void
}
