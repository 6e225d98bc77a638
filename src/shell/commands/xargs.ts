import type { Process, Program } from '../processes/process.ts'
import { runProgram } from '../processes/run-program.ts'
import { collect, writeText } from '../texts.ts'
import { readCount } from './command-line.ts'

const MOST_BYTES = 1 << 20

/** Words as `xargs` reads them: quotes hold blanks together. */
const wordsOf = (text: string): string[] =>
  [...text.matchAll(/(?:"[^"]*"|'[^']*'|\\.|[^\s"'\\])+/gs)].map(([word]) => word.replace(/"([^"]*)"|'([^']*)'|\\(.)/gs, '$1$2$3'))

/** `xargs [-0] [-r] [-t] [-n COUNT] [-I WORD] COMMAND…`; with `-P` they still run one after the other. */
export const xargs: Program = async (process: Process) => {
  const command = process.argv.slice(1)
  let [each, holder, separator]: [number | undefined, string | undefined, RegExp | undefined] = [undefined, undefined, undefined]
  let [skipEmpty, tells] = [false, false]
  while (/^-./.test(command[0] ?? '')) {
    const word = command.shift() ?? ''
    const value = () => word.slice(2) || (command.shift() ?? '')
    if (word.startsWith('-n') || word.startsWith('-L')) each = Math.max(1, readCount(value()))
    else if (word.startsWith('-I')) holder = value()
    else if (word.startsWith('-P')) readCount(value())
    else if (word === '-0') separator = /\0/
    else if (word.startsWith('-d'))
      separator = new RegExp(
        value()
          .replace('\\n', '\n')
          .replace(/[.*+?^${}()|[\]]/g, '\\$&'),
      )
    else if (word === '-r' || word === '--no-run-if-empty') skipEmpty = true
    else if (word === '-t') tells = true
    else throw new Error(`unrecognized option '${word}'`)
  }
  const text = await collect(process.stdin, MOST_BYTES)
  const found =
    holder !== undefined && separator === undefined ? text.split('\n') : separator === undefined ? wordsOf(text) : text.split(separator)
  const words = found.filter((w) => w.trim() !== '')
  if (words.length === 0 && (skipEmpty || holder !== undefined)) return 0
  const base = command.length === 0 ? ['echo'] : command
  const count = holder === undefined ? (each ?? Math.max(1, words.length)) : 1
  let status = 0
  for (let i = 0; i < Math.max(1, words.length); i += count) {
    const some = words.slice(i, i + count)
    const mark = holder
    const argv = mark === undefined ? [...base, ...some] : base.map((word) => word.replaceAll(mark, () => some[0]?.trim() ?? ''))
    if (tells) await writeText(process.stderr, `${argv.join(' ')}\n`)
    if ((await runProgram(argv, process)) !== 0) status = 123
  }
  return status
}
