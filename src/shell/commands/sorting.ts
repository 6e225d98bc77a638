import { sortedInSteps } from '../../base/steps.ts'
import type { Process, Program } from '../processes/process.ts'
import { type CommandLine, readCommandLine } from './command-line.ts'
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

function comparing(line: CommandLine): Compare {
  if (line.has('V')) return (a, b) => VERSIONS.compare(a, b)
  if (line.has('h')) return (a, b) => sizeOf(a) - sizeOf(b)
  if (line.has('n')) return (a, b) => (Number.parseFloat(a) || 0) - (Number.parseFloat(b) || 0)
  return byCharacters
}

/** What is compared of a line: all of it, or a field (`-k`). */
function keyOf(line: CommandLine): (text: string) => string {
  const field = Number((line.value('k') ?? '0').split(/[,.]/)[0])
  const separator = line.value('t') ?? /\s+/
  return field === 0 ? (text) => text : (text) => text.split(separator)[field - 1] ?? ''
}

const sort: Program = async (process) => {
  const line = readCommandLine(process.argv.slice(1), 'nrufhVbds', 'kt')
  const { found, status } = await heldLines(process, line.words)
  const [key, compare] = [keyOf(line), comparing(line)]
  const keyed = found.map((text) => ({ text, key: key(text) }))
  const steps = sortedInSteps(keyed, (a, b) => compare(a.key, b.key) || byCharacters(a.text, b.text))
  const sorted = await process.pacer.run(steps, process.signal)
  if (line.has('r')) sorted.reverse()
  await printLines(process, line.has('u') ? unique(sorted) : sorted)
  return status
}

function* unique(sorted: Iterable<{ readonly text: string }>): Generator<{ readonly text: string }> {
  let last: string | undefined
  for (const one of sorted) {
    if (one.text !== last) yield one
    last = one.text
  }
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

/** `uniq [-c] [-d] [-u] [FILE]` */
const uniq: Program = async (process) => {
  const line = readCommandLine(process.argv.slice(1), 'cdu')
  const { found, status } = await heldLines(process, line.words)
  const runs: Run[] = []
  for (const text of found) {
    const last = runs.at(-1)
    if (last?.text === text) last.count++
    else runs.push({ text, count: 1 })
  }
  const shown = runs.filter((run) => (!line.has('d') || run.count > 1) && (!line.has('u') || run.count === 1))
  await printLines(process, line.has('c') ? shown.map(({ text, count }) => ({ text: `${String(count).padStart(7)} ${text}` })) : shown)
  return status
}

export const sorting: Readonly<Record<string, Program>> = { sort, uniq }
