import { Pace, type Steps, sortedInSteps } from '../../base/steps.ts'
import type { Process, Program } from '../processes/process.ts'
import { readCommandLine } from './command-line.ts'
import { withOutput } from './each-line.ts'
import { heldLines } from './held-lines.ts'

const VERSIONS = new Intl.Collator('en', { numeric: true })

/** `1K`, `2.5M`. */
function sizeOf(text: string): number {
  const [, count = '0', unit = ''] = text.trim().match(/^(-?\d+(?:\.\d+)?)([KMGT]?)/i) ?? []
  return Number(count) * 1024 ** (unit === '' ? 0 : 'KMGT'.indexOf(unit.toUpperCase()) + 1)
}

const byCharacters = (a: string, b: string) => (a < b ? -1 : Number(a > b))

type Compare = (a: string, b: string) => number

/** How texts are compared, by the letters of options or of a key. */
function comparing(letters: string): Compare {
  const compare = letters.includes('V')
    ? VERSIONS.compare
    : letters.includes('h')
      ? (a: string, b: string) => sizeOf(a) - sizeOf(b)
      : letters.includes('n')
        ? (a: string, b: string) => (Number.parseFloat(a) || 0) - (Number.parseFloat(b) || 0)
        : byCharacters
  const folded: Compare = letters.includes('f') ? (a, b) => compare(a.toUpperCase(), b.toUpperCase()) : compare
  return letters.includes('r') ? (a, b) => folded(b, a) : folded
}

interface Key {
  readonly of: (text: string) => string
  readonly compare: Compare
}

/** `-k 2`, `-k 2,3nr`: fields of a line, and the key's own options. */
function readKey(written: string, separator: string | undefined, letters: string): Key {
  const [, from, own = '', to, more = ''] = written.match(/^(\d+)(?:\.\d+)?([a-zA-Z]*)(?:,(\d+)(?:\.\d+)?([a-zA-Z]*))?$/) ?? []
  if (from === undefined) throw new Error(`invalid number at field start: '${written}'`)
  const end = to === undefined ? undefined : Number(to)
  // Blanks before a field belong to it.
  const fields = (text: string) => (separator === undefined ? (text.match(/\s*\S+/g) ?? []) : text.split(separator))
  return {
    of: (text) =>
      fields(text)
        .slice(Number(from) - 1, end)
        .join(separator ?? ''),
    compare: comparing(own + more || letters),
  }
}

const LETTERS = 'nrufhVbds'

/** `sort [-nrufhV] [-t SEPARATOR] [-k KEY]… [FILE…]` */
const sort: Program = async (process) => {
  const line = readCommandLine(process.argv.slice(1), LETTERS, 'kt')
  const { found, status } = await heldLines(process, line.words)
  const letters = [...LETTERS].filter((letter) => line.has(letter)).join('')
  const keys = line.values('k').map((written) => readKey(written, line.value('t'), letters))
  const whole: Key = { of: (text) => text, compare: comparing(letters) }
  const ordered = keys.length === 0 ? [whole] : keys
  const last: Compare = line.has('r') ? (a, b) => byCharacters(b, a) : byCharacters
  const run = <T>(steps: Steps<T>) => process.pacer.run(steps, process.signal)
  const keyed = await run(keyedLines(found, ordered))
  const byKeys = (a: Keyed, b: Keyed) => {
    for (const [i, { compare }] of ordered.entries()) {
      const order = compare(a.keys[i] ?? '', b.keys[i] ?? '')
      if (order !== 0) return order
    }
    return 0
  }
  const compare = line.has('u') || line.has('s') ? byKeys : (a: Keyed, b: Keyed) => byKeys(a, b) || last(a.text, b.text)
  const sorted = await run(sortedInSteps(keyed, compare, sortedPerStep(found)))
  await printLines(process, line.has('u') ? await run(unique(sorted, byKeys)) : sorted)
  return status
}

interface Keyed {
  readonly text: string
  readonly keys: readonly string[]
}

/** So many characters are compared or searched at the cost of a unit of work (see `Pace`). */
const CHARACTERS_PER_UNIT = 32
const workOf = (text: string) => 1 + text.length / CHARACTERS_PER_UNIT

function* keyedLines(found: readonly string[], keys: readonly Key[]): Steps<Keyed[]> {
  const pace = new Pace()
  const keyed: Keyed[] = []
  for (const text of found) {
    keyed.push({ text, keys: keys.map((key) => key.of(text)) })
    if (pace.due(workOf(text) * keys.length)) yield
  }
  return keyed
}

/** A comparison may read both lines to their ends. */
function sortedPerStep(found: readonly string[]): number {
  const most = 4096
  const work = found.reduce((sum, text) => sum + workOf(text), 0) / found.length
  return Math.ceil(most / work) || 1
}

/** The first of those that compare as equal. */
function* unique(sorted: readonly Keyed[], compare: (a: Keyed, b: Keyed) => number): Steps<Keyed[]> {
  const pace = new Pace()
  const found: Keyed[] = []
  for (const one of sorted) {
    const last = found.at(-1)
    if (last === undefined || compare(last, one) !== 0) found.push(one)
    if (pace.due(workOf(one.text))) yield
  }
  return found
}

function printLines(process: Process, found: Iterable<{ readonly text: string }>): Promise<void> {
  return withOutput(process, async (output) => {
    for (const { text } of found) await output.write(`${text}\n`)
  })
}

interface Run {
  readonly text: string
  count: number
}

/** Equal lines that follow each other. */
function* runsOf(found: readonly string[]): Steps<readonly Run[]> {
  const pace = new Pace()
  const runs: Run[] = []
  for (const text of found) {
    const last = runs.at(-1)
    if (last?.text === text) last.count++
    else runs.push({ text, count: 1 })
    if (pace.due(workOf(text))) yield
  }
  return runs
}

/** `uniq [-c] [-d] [-u] [FILE]` */
const uniq: Program = async (process) => {
  const line = readCommandLine(process.argv.slice(1), 'cdu')
  const { found, status } = await heldLines(process, line.words)
  const runs = await process.pacer.run(runsOf(found), process.signal)
  const shown = runs.filter((run) => (!line.has('d') || run.count > 1) && (!line.has('u') || run.count === 1))
  await printLines(process, line.has('c') ? shown.map(({ text, count }) => ({ text: `${String(count).padStart(7)} ${text}` })) : shown)
  return status
}

export const sorting: Readonly<Record<string, Program>> = { sort, uniq }
