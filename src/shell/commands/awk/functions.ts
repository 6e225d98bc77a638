import type { Matcher } from 're2js'
import { type Later, Pace, type Steps } from '../../../base/steps.ts'
import { compileRegex } from '../../../machinery/go/compile-regex.ts'
import { formatPieces, type PrintfRules } from '../../printf.ts'
import { countCharacters, sliceCharacters } from '../../words/characters.ts'
import { matcherOf, substituteMatches } from '../expressions.ts'
import { splitFields } from './record.ts'
import { type Expression, isPlace, type LValue } from './syntax.ts'
import { bounded, num, text, type Value } from './values.ts'
import type { Cells, Variables } from './variables.ts'

/** The program that calls, as the functions of awk itself see it. */
export interface Caller {
  readonly variables: Variables
  readonly line: string
  nowMs(): number
  value(of: Expression): Promise<Value>
  store(place: LValue, value: Value): Promise<void>
  flush(): Promise<void>
  /** Counts work, and waits when the process has had its share. */
  spend(work: number): Promise<void>
  /** Carries out a long computation with turns for others between its steps. */
  run<T>(steps: Steps<T>): Promise<T>
}

type Args = readonly Expression[]
type Builtin = (caller: Caller, args: Args) => Later<Value>

const LINE: LValue = { kind: 'field', index: { kind: 'number', value: 0 } }

/** So many characters are looked at for a unit of work (see `Pacer`). */
const CHARACTERS_PER_UNIT = 512

/** An argument as text. Functions of awk look at all of it, so its length is counted as work. */
const stringAt = async (caller: Caller, args: Args, at: number): Promise<string> => {
  const given = args[at]
  if (given === undefined) return ''
  const string = text(await caller.value(given))
  if (string.length > CHARACTERS_PER_UNIT) await caller.spend(string.length / CHARACTERS_PER_UNIT)
  return string
}
const numberAt = async (caller: Caller, args: Args, at: number): Promise<number> => {
  const given = args[at]
  return given === undefined ? 0 : num(await caller.value(given))
}
/** The source of an expression in slashes is used literally, that of another one is its value. */
const sourceOf = async (caller: Caller, of: Expression | undefined): Promise<string> =>
  of === undefined ? '' : of.kind === 'regex' ? of.source : text(await caller.value(of))

const ofNumber =
  (compute: (x: number) => number): Builtin =>
  async (caller, args) =>
    compute(await numberAt(caller, args, 0))
const ofText =
  (change: (text: string) => string): Builtin =>
  async (caller, args) =>
    change(await stringAt(caller, args, 0))

async function length(caller: Caller, args: Args): Promise<Value> {
  const [of] = args
  const cells = of?.kind === 'variable' ? caller.variables.arrayIfAny(of.name) : undefined
  return cells?.size ?? countCharacters(of === undefined ? caller.line : await stringAt(caller, args, 0))
}

async function substr(caller: Caller, args: Args): Promise<Value> {
  const whole = await stringAt(caller, args, 0)
  const from = Math.round(await numberAt(caller, args, 1))
  const to = args[2] === undefined ? Number.POSITIVE_INFINITY : from + Math.round(await numberAt(caller, args, 2))
  return sliceCharacters(whole, Math.max(0, from - 1), Math.max(0, to - 1))
}

async function index(caller: Caller, args: Args): Promise<Value> {
  const whole = await stringAt(caller, args, 0)
  const at = whole.indexOf(await stringAt(caller, args, 1))
  return at < 0 ? 0 : countCharacters(whole.slice(0, at)) + 1
}

async function split(caller: Caller, args: Args): Promise<Value> {
  const [, array, separator] = args
  if (array?.kind !== 'variable') throw new Error('split: an array is expected')
  const whole = await stringAt(caller, args, 0)
  const by =
    separator === undefined
      ? caller.variables.text('FS')
      : separator.kind === 'regex'
        ? `(?:${separator.source})`
        : await stringAt(caller, args, 2)
  const parts = splitFields(whole, by)
  const cells = caller.variables.array(array.name)
  await caller.run(fill(cells, parts))
  return cells.size
}

function* fill(cells: Cells, parts: readonly Value[]): Steps<void> {
  const pace = new Pace()
  cells.clear()
  for (const [i, part] of parts.entries()) {
    cells.set(String(i + 1), part)
    if (pace.due()) yield
  }
}

const substituting =
  (all: boolean): Builtin =>
  async (caller, args) => {
    const place = args[2] ?? LINE
    if (!isPlace(place)) throw new Error(`${all ? 'gsub' : 'sub'}: a variable, a field or an element is expected`)
    const pattern = compileRegex(await sourceOf(caller, args[0]))
    const by = await stringAt(caller, args, 1)
    const replacement = (matcher: Matcher) => by.replace(/\\\\|\\&|&/g, (c) => (c === '&' ? (matcher.group() ?? '') : c.slice(1)))
    const { text: changed, count } = await caller.run(substituteMatches(pattern, text(await caller.value(place)), { replacement, all }))
    if (count > 0) await caller.store(place, changed)
    return count
  }

async function match(caller: Caller, args: Args): Promise<Value> {
  const whole = await stringAt(caller, args, 0)
  const matcher = matcherOf(compileRegex(await sourceOf(caller, args[1])), whole)
  const found = matcher.find()
  const start = found ? countCharacters(whole.slice(0, matcher.start())) + 1 : 0
  caller.variables.set('RSTART', start)
  caller.variables.set('RLENGTH', found ? countCharacters(whole.slice(matcher.start(), matcher.end())) : -1)
  return start
}

/** @throws {Error} when the text becomes too long */
export function formatted([format = '', ...values]: readonly Value[]): string {
  let result = ''
  for (const piece of formatPieces(text(format), values, RULES)) result = bounded(result + piece)
  return result
}

const RULES: PrintfRules<Value> = {
  text,
  number: num,
  // A number is a code point.
  character: (value) =>
    typeof value === 'number' ? String.fromCodePoint(Math.min(0x10ffff, Math.max(0, Math.trunc(value)))) : text(value).slice(0, 1),
}

async function sprintf(caller: Caller, args: Args): Promise<Value> {
  const values: Value[] = []
  for (const arg of args) values.push(await caller.value(arg))
  return formatted(values)
}

async function flush(caller: Caller): Promise<Value> {
  await caller.flush()
  return 0
}

/** The functions of awk itself. */
export const FUNCTIONS: ReadonlyMap<string, Builtin> = new Map<string, Builtin>([
  ['length', length],
  ['substr', substr],
  ['index', index],
  ['split', split],
  ['sub', substituting(false)],
  ['gsub', substituting(true)],
  ['match', match],
  ['sprintf', sprintf],
  ['toupper', ofText((t) => t.toUpperCase())],
  ['tolower', ofText((t) => t.toLowerCase())],
  ['int', ofNumber(Math.trunc)],
  ['sqrt', ofNumber(Math.sqrt)],
  ['exp', ofNumber(Math.exp)],
  ['log', ofNumber(Math.log)],
  ['sin', ofNumber(Math.sin)],
  ['cos', ofNumber(Math.cos)],
  ['atan2', async (caller, args) => Math.atan2(await numberAt(caller, args, 0), await numberAt(caller, args, 1))],
  ['systime', (caller) => Math.floor(caller.nowMs() / 1000)],
  ['fflush', flush],
  ['close', flush],
])
