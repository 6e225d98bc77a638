import type { Condition } from '../../../resources/types/meta.ts'
import { list } from './foreign-fields.ts'

/** What is known of an object now, before it is a condition. */
export interface Fact {
  readonly type: string
  readonly status: boolean
  readonly reason: string
  readonly message: string
}

export const fact = (type: string, status: boolean, reason: string, message: string): Fact => ({ type, status, reason, message })

/** The facts as conditions; one whose status has not changed keeps its time. `before`: what the object has, of whatever shape. */
export function conditionsOf(
  facts: readonly Fact[],
  before: unknown,
  { generation, now }: { readonly generation: number; readonly now: string },
) {
  const old = list(before)
  return facts.map(({ type, status, reason, message }): Condition => {
    const text = status ? 'True' : 'False'
    const same = old.find((condition) => condition.type === type && condition.status === text)
    const lastTransitionTime = typeof same?.lastTransitionTime === 'string' ? same.lastTransitionTime : now
    return { type, status: text, reason, message, observedGeneration: generation, lastTransitionTime }
  })
}
