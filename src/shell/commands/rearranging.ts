import type { Program } from '../processes/process.ts'
import { writeText } from '../texts.ts'
import { readCommandLine, readCount } from './command-line.ts'
import { mapLines } from './each-line.ts'
import { heldBytes } from './held-lines.ts'
import { eachInput } from './inputs.ts'

const NEWLINE = 10
const WIDEST_FOLD = 9999
const ROWS_PER_WRITE = 8192

const reversed = (line: string) => [...line].reverse().join('')

/** `nl [-b a] [FILE…]`, which numbers all lines. */
const nl: Program = (process) => {
  let number = 0
  return mapLines(process, readCommandLine(process.argv.slice(1), '', 'b').words, (line) => `${String(++number).padStart(6)}\t${line}`)
}

/** `fold [-w WIDTH] [FILE…]` */
const fold: Program = (process) => {
  const line = readCommandLine(process.argv.slice(1), 's', 'w')
  const width = Math.max(1, Math.min(readCount(line.value('w') ?? '80'), WIDEST_FOLD))
  const row = new RegExp(`.{1,${width}}`, 'gu')
  return mapLines(process, line.words, (text) => (text.match(row) ?? ['']).join('\n'))
}

/** Prints lines in reverse order, found from the end: no list of lines is made. */
const tac: Program = (process) =>
  eachInput(process, readCommandLine(process.argv.slice(1), '').words, async (input) => {
    const bytes = Buffer.from(await heldBytes(input, process))
    let end = bytes.at(-1) === NEWLINE ? bytes.length - 1 : bytes.length
    let rows: string[] = []
    while (bytes.length > 0 && end >= 0) {
      const start = end === 0 ? 0 : bytes.lastIndexOf(NEWLINE, end - 1) + 1
      rows.push(bytes.toString('utf8', start, end), '\n')
      end = start - 1
      if (rows.length < ROWS_PER_WRITE && end >= 0) continue
      await writeText(process.stdout, rows.join(''))
      rows = []
    }
  })

/** Programs that print the lines of a file in another form or order. */
export const rearranging: Readonly<Record<string, Program>> = {
  rev: (process) => mapLines(process, readCommandLine(process.argv.slice(1), '').words, reversed),
  tac,
  nl,
  fold,
}
