import { setOwn } from '../object.ts'

const OBJECT = Symbol('object')
const ARRAY = Symbol('array')
const END = Symbol('end')

/**
 * A JSON value as it was, however it changes later: the list of its parts in the order of a walk. Of a small object it is made and
 * compared five times as fast as its JSON text. Members that are undefined are absent.
 */
export class ValueSnapshot {
  readonly #parts: unknown[] = []
  #at = 0

  private constructor() {}

  /** Undefined: the value has more than so many parts (values, names, ends). */
  static of(value: unknown, most: number): ValueSnapshot | undefined {
    const snapshot = new ValueSnapshot()
    return snapshot.#add(value, most) ? snapshot : undefined
  }

  /** Whether a value is the same now, also in the order of its members. */
  equals(value: unknown): boolean {
    this.#at = 0
    return this.#follows(value)
  }

  /** The value, anew. */
  value(): unknown {
    this.#at = 0
    return this.#read()
  }

  /** False: there are too many parts. */
  #add(value: unknown, most: number): boolean {
    const parts = this.#parts
    if (typeof value !== 'object' || value === null) return parts.push(value) <= most
    if (Array.isArray(value)) {
      parts.push(ARRAY)
      for (const item of value) if (!this.#add(item, most)) return false
      return parts.push(END) <= most
    }
    parts.push(OBJECT)
    for (const name in value) {
      const member = (value as Record<string, unknown>)[name]
      if (member === undefined) continue
      parts.push(name)
      if (!this.#add(member, most)) return false
    }
    return parts.push(END) <= most
  }

  /** The next parts are those of the value. */
  #follows(value: unknown): boolean {
    if (typeof value !== 'object' || value === null) return this.#next() === value
    if (Array.isArray(value)) {
      if (this.#next() !== ARRAY) return false
      for (const item of value) if (!this.#follows(item)) return false
      return this.#next() === END
    }
    if (this.#next() !== OBJECT) return false
    for (const name in value) {
      const member = (value as Record<string, unknown>)[name]
      if (member !== undefined && (this.#next() !== name || !this.#follows(member))) return false
    }
    return this.#next() === END
  }

  #read(): unknown {
    const part = this.#next()
    if (part === ARRAY) {
      const items: unknown[] = []
      while (this.#parts[this.#at] !== END) items.push(this.#read())
      this.#at++
      return items
    }
    if (part !== OBJECT) return part
    const object: Record<string, unknown> = {}
    for (let name = this.#next(); typeof name === 'string'; name = this.#next()) setOwn(object, name, this.#read())
    return object
  }

  #next(): unknown {
    return this.#parts[this.#at++]
  }
}
