import { callText } from '../../operator-trial/operator-calls.ts'
import { stateOf } from '../../operator-trial/state.ts'
import type { ObjectChange, OperatorCall } from '../history.ts'

/** A write that was refused so often within a step is tried for ever. */
const MANY_REFUSALS = 5

/** Whether a change is more than times and counts: an operator that notes when it last looked is at rest. */
export function isNews({ type, object, before }: ObjectChange): boolean {
  if (type !== 'MODIFIED' || before === undefined) return true
  const [was, is] = [before, object].map((o) => JSON.stringify([...stateOf([o], () => true)]))
  return was !== is
}

/** Refused writes of one step that are tried again and again. */
export class Refusals {
  readonly #count = new Map<string, number>()
  #last: { readonly text: string; readonly afterChanges: number } | undefined

  /** Takes in a response; `changes`: how many had been seen by then. Returns whether it is one that was not seen often. */
  add(call: OperatorCall, changes: number): boolean {
    if (!isRefused(call)) return false
    const text = `${callText(call)} → ${call.code}`
    const count = (this.#count.get(text) ?? 0) + 1
    this.#count.set(text, count)
    if (count >= MANY_REFUSALS) this.#last = { text: `${text}${call.message ? `: ${call.message}` : ''}`, afterChanges: changes }
    return count < MANY_REFUSALS
  }

  /** The write that is refused again and again; `changes`: how many there were before the last news. */
  failing(changes: number): string | undefined {
    return this.#last !== undefined && this.#last.afterChanges >= changes ? this.#last.text : undefined
  }

  clear(): void {
    this.#count.clear()
    this.#last = undefined
  }
}

/** A conflict is an ordinary race, and what is there or gone already is mostly what was wanted. */
const isRefused = ({ writes, code = 0, verb }: OperatorCall) =>
  writes && code >= 400 && code !== 409 && !(verb === 'delete' && code === 404)
