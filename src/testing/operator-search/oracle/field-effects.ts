import { differingPaths } from '../../operator-trial/state.ts'
import type { RestState, SearchHistory } from '../history.ts'
import { type Compared, comparableState } from './comparable-state.ts'
import type { Symptom } from './symptom.ts'

const RULE = 'a field that is set changes something'

/** Paths of other objects, and of the sample's status, with the value that they got. */
export type Effect = ReadonlyMap<string, string>

/** What the fields of a sample change. */
export class FieldEffects {
  readonly #effects = new Map<string, Effect>()
  readonly #compared: Compared

  constructor(compared: Compared) {
    this.#compared = compared
  }

  /** What the second step of an undisturbed workload changed; undefined: it shows nothing, since the input made no sense. */
  of({ rests, refusals, deaths }: SearchHistory): Effect | undefined {
    const [before, after] = [0, 1].map((step) => rests.findLast((r) => r.step === step))
    if (before === undefined || after === undefined || refusals.size > 0 || deaths.length > 0 || after.failing !== undefined)
      return undefined
    const [was, is] = [this.#state(before), this.#state(after)]
    return new Map([...differingPaths(was, is)].map((path) => [path, is.get(path) ?? 'absent']))
  }

  /** Notes what one value of a field has changed. */
  add(field: string, effect: Effect): void {
    this.#effects.set(field, new Map([...(this.#effects.get(field) ?? []), ...effect]))
  }

  /** What the values of a field have changed. */
  effectOf(field: string): Effect {
    return this.#effects.get(field) ?? new Map()
  }

  /** Fields whose values were tried, and changed nothing. */
  get vain(): string[] {
    return [...this.#effects].filter(([, effect]) => effect.size === 0).map(([field]) => field)
  }

  get symptoms(): Symptom[] {
    return this.vain.map((field) => ({ harm: 'wrong', rule: RULE, text: `${field} changes nothing` }))
  }

  #state({ objects }: RestState) {
    const isSample = (kind: string) => this.#compared.samples.has(kind)
    return comparableState(
      objects.map((o) => (isSample(o.kind) ? { ...o, spec: undefined } : o)),
      this.#compared,
    )
  }
}
