import type { Process, Program } from '../processes/process.ts'
import { writeText } from '../texts.ts'
import { readCommandLine } from './command-line.ts'
import { withOutput } from './each-line.ts'
import { heldBytes } from './held-lines.ts'
import { complain, eachInput } from './inputs.ts'

/** Lines of the one text times lines of the other; above it, all that differs is shown as one block. */
const MOST_COMPARED = 4_000_000
/** What is compared line by line. */
const MOST_DIFF_BYTES = 8 << 20
/** What is compared in one turn. */
const SLICE_BYTES = 1 << 20

/** The exit code when files cannot be compared. */
const TROUBLE = 2

/** A line: in both texts, only in the first, or only in the second. */
export type Change = readonly ['=' | '-' | '+', string]

/** Undefined: one of them could not be read; the error is on standard error. */
async function readBoth(process: Process, from: string, to: string): Promise<readonly [Uint8Array, Uint8Array] | undefined> {
  const contents: Uint8Array[] = []
  const status = await eachInput(process, [from, to], async (input) => void contents.push(await heldBytes(input, process)))
  const [a, b] = contents
  return status !== 0 || a === undefined || b === undefined ? undefined : [a, b]
}

const linesOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes).replace(/\n$/, '').split('\n')

/** The shortest way from one text to the other, by their longest common subsequence; what is alike at both ends is not compared. */
export function compareLines(a: readonly string[], b: readonly string[]): readonly Change[] {
  let [start, end] = [0, 0]
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++
  const same = (lines: readonly string[]) => lines.map((line): Change => ['=', line])
  return [
    ...same(a.slice(0, start)),
    ...differences(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...same(a.slice(a.length - end)),
  ]
}

function differences(a: readonly string[], b: readonly string[]): readonly Change[] {
  if (a.length * b.length > MOST_COMPARED) return [...a.map((line): Change => ['-', line]), ...b.map((line): Change => ['+', line])]
  const longest = commonLengths(a, b)
  const changes: Change[] = []
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      changes.push(['=', a[i++] ?? ''])
      j++
    } else if (j >= b.length || (i < a.length && longest(i + 1, j) >= longest(i, j + 1))) changes.push(['-', a[i++] ?? ''])
    else changes.push(['+', b[j++] ?? ''])
  }
  return changes
}

/** How long the longest common subsequence is of what follows `i` in the one and `j` in the other. */
function commonLengths(a: readonly string[], b: readonly string[]): (i: number, j: number) => number {
  const width = b.length + 1
  const table = new Uint32Array((a.length + 1) * width)
  const at = (i: number, j: number) => table[i * width + j] ?? 0
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      table[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  return at
}

/** `diff [-q] FILE FILE`, with all lines as context. */
const diff: Program = async (process) => {
  const line = readCommandLine(process.argv.slice(1), 'uqbw')
  const [from = '', to = ''] = line.words
  const both = await readBoth(process, from, to)
  if (both === undefined) return TROUBLE
  const [a, b] = both
  if (Buffer.compare(a, b) === 0) return 0
  if (line.has('q')) {
    await writeText(process.stdout, `Files ${from} and ${to} differ\n`)
    return 1
  }
  if (a.length + b.length > MOST_DIFF_BYTES) throw new Error('the files are too large to be compared by lines')
  const changes = compareLines(linesOf(a), linesOf(b))
  const count = (absent: '+' | '-') => changes.filter(([kind]) => kind !== absent).length
  await withOutput(process, async (output) => {
    await output.write(`--- ${from}\n+++ ${to}\n@@ -1,${count('+')} +1,${count('-')} @@\n`)
    for (const [kind, text] of changes) await output.write(`${kind === '=' ? ' ' : kind}${text}\n`)
  })
  return 1
}

/** Where two texts differ first, and in which line; undefined: one of them is the beginning of the other. */
async function firstDifference(process: Process, a: Uint8Array, b: Uint8Array): Promise<{ byte: number; line: number } | undefined> {
  const length = Math.min(a.length, b.length)
  let line = 1
  for (let start = 0; start < length; start += SLICE_BYTES) {
    const end = Math.min(length, start + SLICE_BYTES)
    for (let at = start; at < end; at++) {
      if (a[at] !== b[at]) return { byte: at + 1, line }
      if (a[at] === 10) line++
    }
    await process.pacer.transfer(end - start, process.signal)
  }
  return undefined
}

/** `cmp [-s] FILE FILE` */
const cmp: Program = async (process) => {
  const line = readCommandLine(process.argv.slice(1), 's')
  const [from = '', to = ''] = line.words
  const both = await readBoth(process, from, to)
  if (both === undefined) return TROUBLE
  const [a, b] = both
  const found = await firstDifference(process, a, b)
  if (found === undefined && a.length === b.length) return 0
  if (line.has('s')) return 1
  if (found === undefined) await complain(process, `EOF on ${a.length < b.length ? from : to}`)
  else await writeText(process.stdout, `${from} ${to} differ: byte ${found.byte}, line ${found.line}\n`)
  return 1
}

/** Programs that compare files. */
export const comparing: Readonly<Record<string, Program>> = { diff, cmp }
