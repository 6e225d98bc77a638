import type { NumberTexts } from '../json/json-parser.ts'
import type { Json } from '../object.ts'

/** Finds numbers beyond float64, which Go refuses where it decodes a value of any type. */
export class BeyondFloat {
  /** The first such number of each list and object. */
  readonly #first = new Map<object, string>()

  constructor(numbers: NumberTexts) {
    for (const [container, texts] of numbers) {
      const text = [...texts.values()].find((one) => !Number.isFinite(Number(one)))
      if (text !== undefined) this.#first.set(container, text)
    }
  }

  /** The text of such a number in a list or an object; undefined: it has none. */
  in(value: Json): string | undefined {
    if (this.#first.size === 0 || value === null || typeof value !== 'object') return undefined
    const own = this.#first.get(value)
    if (own !== undefined) return own
    for (const item of Object.values(value)) {
      const found = this.in(item ?? null)
      if (found !== undefined) return found
    }
    return undefined
  }
}
