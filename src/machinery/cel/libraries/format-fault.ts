import type { Expr } from '../ast.ts'
import type { CallCheck } from '../environment.ts'
import { type CelType, DYN, showType } from '../types.ts'
import { FORMAT_CLAUSES, precisionFault } from './format.ts'

type Types = ReadonlyMap<Expr, CelType>

const NUMBERS = ['int', 'uint']
/** Strings may be `NaN` and `Infinity`. */
const DOUBLES = ['double', 'string']
const TEXTS = ['list', 'map', 'int', 'uint', 'double', 'bool', 'string', 'timestamp', 'bytes', 'duration', 'type', 'null']
/** The kinds of types that a clause takes, and what cel-go says of others. */
const CLAUSES: Readonly<Record<string, readonly [readonly string[], string]>> = {
  s: [TEXTS, 'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps'],
  d: [NUMBERS, 'decimal clause can only be used on integers'],
  f: [DOUBLES, 'fixed-point clause can only be used on doubles'],
  e: [DOUBLES, 'scientific clause can only be used on doubles'],
  b: [[...NUMBERS, 'bool'], 'only integers and bools can be formatted as binary'],
  x: [[...NUMBERS, 'string', 'bytes'], 'only integers, byte buffers, and strings can be formatted as hex'],
  X: [[...NUMBERS, 'string', 'bytes'], 'only integers, byte buffers, and strings can be formatted as hex'],
  o: [NUMBERS, 'octal clause can only be used on integers'],
}

/** Why `"…".format([…])` of a literal text and a literal list would fail, found by the types of its arguments. */
export const formatFault: CallCheck = ({ at, target, args: [list] }, types) => {
  if (target?.kind !== 'literal' || target.value.type !== 'string' || list?.kind !== 'list') return undefined
  const clauses = target.value.value.matchAll(FORMAT_CLAUSES)
  let used = 0
  for (const [, clause, precision, verb = ''] of clauses) {
    if (clause === '%') continue
    const fault = precision === undefined ? undefined : precisionFault(precision, verb)
    if (fault !== undefined) return { at, message: fault }
    if (verb === '') return { at, message: 'unexpected end of string' }
    const known = Object.hasOwn(CLAUSES, verb) ? CLAUSES[verb] : undefined
    if (known === undefined) return { at, message: `could not parse formatting clause: unrecognized formatting clause "${verb}"` }
    const arg = list.elements[used]
    if (arg === undefined) return { at, message: `index ${used} out of range` }
    used++
    const [kinds, complaint] = known
    const odd = oddOf(arg, kinds, types)
    if (odd !== undefined) {
      const given = typeText(types.get(odd))
      return { at: odd.at, message: `error during formatting: ${complaint}, was given ${given}` }
    }
  }
  const count = list.elements.length
  return count > used ? { at, message: `too many arguments supplied to string.format (expected ${used}, got ${count})` } : undefined
}

/** The part of an argument that a clause does not take: itself, or something in a literal list or map. */
function oddOf(e: Expr, kinds: readonly string[], types: Types): Expr | undefined {
  const kind = types.get(e)?.kind ?? 'dyn'
  if (kind !== 'dyn' && !kinds.includes(kind)) return e
  const parts = e.kind === 'list' ? e.elements : e.kind === 'map' ? e.entries.flatMap((entry) => [entry.key, entry.value]) : []
  for (const part of parts) {
    const odd = oddOf(part, kinds, types)
    if (odd !== undefined) return odd
  }
  return undefined
}

/** The name of a type, without its parameters. */
const typeText = (type: CelType = DYN): string => showType(type).replace(/\(.*$/s, '')
