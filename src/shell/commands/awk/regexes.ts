import { type Matcher, RE2JS } from 're2js'
import { matcherOf } from '../expressions.ts'

/** Expressions that are kept compiled: a program may make one of each line that it reads. */
const KEPT = 200

/** Regular expressions that take linear time, each compiled once while there are few. */
export class Regexes {
  readonly #known = new Map<string, RE2JS>()

  get size(): number {
    return this.#known.size
  }

  compiled(source: string): RE2JS {
    let found = this.#known.get(source)
    if (found === undefined) {
      found = RE2JS.compile(source)
      if (this.#known.size >= KEPT) this.#known.clear()
      this.#known.set(source, found)
    }
    return found
  }

  /** @throws {Error} when expression and text together are too large */
  matcher(source: string, text: string): Matcher {
    return matcherOf(this.compiled(source), text)
  }
}
