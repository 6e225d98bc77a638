import type { SearchHistory } from '../history.ts'
import { type Compared, comparableState } from './comparable-state.ts'
import type { Symptom } from './symptom.ts'

const RULE = 'a field that is set changes something'

/** Whether the fields of a sample have an effect: on another object, or on the status. */
export class FieldEffects {
  readonly #fields = new Map<string, boolean>()
  readonly #compared: Compared

  constructor(compared: Compared) {
    this.#compared = compared
  }

  /** Takes in an undisturbed workload whose second step changed this field. */
  add(field: string, { rests, refusals, deaths }: SearchHistory): void {
    const [before, after] = [rests.find((r) => r.step === 0), rests.find((r) => r.step === 1)]
    // A value that is refused, or kills the operator, shows nothing about the field.
    if (before === undefined || after === undefined || refusals.has(1) || deaths.length > 0) return
    const state = (rest: typeof before) =>
      JSON.stringify([
        ...comparableState(
          rest.objects.map((o) => this.#withoutSpec(o)),
          this.#compared,
        ),
      ])
    this.#fields.set(field, this.#fields.get(field) === true || state(before) !== state(after))
  }

  get symptoms(): Symptom[] {
    const vain = [...this.#fields].filter(([, hasEffect]) => !hasEffect)
    return vain.map(([field]) => ({ harm: 'wrong', rule: RULE, text: `${field} changes nothing` }))
  }

  #withoutSpec(object: SearchHistory['rests'][number]['objects'][number]) {
    return this.#compared.samples.has(object.kind) ? { ...object, spec: undefined } : object
  }
}
