import { CelMap, type Key, type Value } from '../values.ts'

/** A JSON object as a CEL map, converted lazily. */
export class JsonMap extends CelMap {
  readonly #json: Readonly<Record<string, unknown>>
  readonly #convert: (json: unknown, name: string) => Value
  /** The JSON name of a key, for objects whose fields have escaped names. */
  readonly #nameOf: ((key: string) => string) | undefined
  readonly #keyOf: ((name: string) => string | undefined) | undefined
  #known: Map<string, Value> | undefined
  #size: number | undefined

  constructor(
    json: Readonly<Record<string, unknown>>,
    convert: (json: unknown, name: string) => Value,
    names?: { readonly nameOf: (key: string) => string; readonly keyOf: (name: string) => string | undefined },
  ) {
    super()
    this.#json = json
    this.#convert = convert
    this.#nameOf = names?.nameOf
    this.#keyOf = names?.keyOf
  }

  override get size(): number {
    this.#size ??= this.keys().length
    return this.#size
  }

  override get(key: Value): Value | undefined {
    if (typeof key !== 'string') return undefined
    const name = this.#nameOf === undefined ? key : this.#nameOf(key)
    if (!Object.hasOwn(this.#json, name)) return undefined
    const json = this.#json[name]
    if (json === undefined) return undefined
    if (json === null || typeof json !== 'object') return this.#convert(json, name)
    this.#known ??= new Map()
    let value = this.#known.get(name)
    if (value === undefined) {
      value = this.#convert(json, name)
      this.#known.set(name, value)
    }
    return value
  }

  override has(key: Value): boolean {
    if (typeof key !== 'string') return false
    const name = this.#nameOf === undefined ? key : this.#nameOf(key)
    return Object.hasOwn(this.#json, name) && this.#json[name] !== undefined
  }

  override keys(): Key[] {
    const names = Object.keys(this.#json)
    const keyOf = this.#keyOf
    return keyOf === undefined ? names : names.flatMap((n) => keyOf(n) ?? [])
  }

  override *entries(): Iterable<readonly [Key, Value]> {
    for (const key of this.keys()) yield [key, this.get(key) ?? null]
  }

  override with(key: Key, value: Value): CelMap {
    return CelMap.of([...this.entries(), [key, value]])
  }
}
