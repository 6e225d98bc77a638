/** Why a node was turned down. `unresolvable`: removing other pods would not help. */
export interface Verdict {
  readonly code: 'unschedulable' | 'unresolvable'
  readonly plugin: string
  readonly reasons: readonly string[]
}

/** A verdict; make it once, outside loops. */
export const unschedulable = (plugin: string, ...reasons: string[]): Verdict => Object.freeze({ code: 'unschedulable', plugin, reasons })
export const unresolvable = (plugin: string, ...reasons: string[]): Verdict => Object.freeze({ code: 'unresolvable', plugin, reasons })

/** Verdicts by their numbers. Append-only: a holder of the list can always read older columns. */
export type VerdictList = readonly (Verdict | undefined)[]

/** Verdicts by small numbers, so that a column of them is a typed array. 0 is "fits". */
export class VerdictBook {
  #verdicts: (Verdict | undefined)[] = [undefined]
  readonly #ids = new Map<string, number>()
  #known = new WeakMap<Verdict, number>()

  /** Reasons contain what pods request, so their number is unbounded. */
  get size(): number {
    return this.#verdicts.length
  }

  get list(): VerdictList {
    return this.#verdicts
  }

  /** Begins a new list of numbers; columns made before keep their meaning with the list of their time. */
  clear(): void {
    this.#verdicts = [undefined]
    this.#ids.clear()
    this.#known = new WeakMap()
  }

  id(verdict: Verdict | undefined): number {
    if (verdict === undefined) return 0
    const seen = this.#known.get(verdict)
    if (seen !== undefined) return seen
    const key = JSON.stringify([verdict.plugin, verdict.code, verdict.reasons])
    let id = this.#ids.get(key)
    if (id === undefined) {
      id = this.#verdicts.push(verdict) - 1
      this.#ids.set(key, id)
    }
    this.#known.set(verdict, id)
    return id
  }

  of(id: number): Verdict | undefined {
    return this.#verdicts[id]
  }
}
