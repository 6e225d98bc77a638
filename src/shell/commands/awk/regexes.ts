import { type Matcher, RE2JS } from 're2js'
import { memo } from '../../../base/collections/memo.ts'
import { matcherOf } from '../expressions.ts'

/** Regular expressions that take linear time, each compiled once while there are few. */
export class Regexes {
  /** Bounded: a program may make an expression of each line that it reads. */
  readonly compiled: (source: string) => RE2JS = memo((source) => RE2JS.compile(source), { most: 200 })

  /** @throws {Error} when expression and text together are too large */
  matcher(source: string, text: string): Matcher {
    return matcherOf(this.compiled(source), text)
  }
}
