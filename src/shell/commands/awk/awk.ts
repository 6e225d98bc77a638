import { resolvePath } from '../../paths.ts'
import type { Process, Program } from '../../processes/process.ts'
import { lines } from '../../texts.ts'
import { eachInput } from '../inputs.ts'
import { unescapeAwk } from './lexer.ts'
import { Machine } from './machine.ts'
import { parseAwk } from './parser.ts'

/**
 * `awk [-F SEPARATOR] [-v NAME=VALUE] PROGRAM [FILE…]`, `-f FILE`: POSIX awk without commands (`system`, `| getline`, `print |`), which end
 * with an error.
 */
export const awk: Program = async (process) => {
  const { words, separator, variables, source } = await readArguments(process)
  const machine = new Machine(parseAwk(source), process)
  if (separator !== undefined) machine.set('FS', separator === 't' ? '\t' : unescapeAwk(separator))
  for (const [name, value] of variables) machine.set(name, unescapeAwk(value))
  if (await machine.begin()) return machine.end()
  if (machine.reads) await readInputs(process, words, machine)
  return machine.end()
}

/** Operands are files, and assignments that take effect at their position. */
async function readInputs(process: Process, words: readonly string[], machine: Machine): Promise<void> {
  const read = (name: string) =>
    eachInput(process, [name], async (input) => {
      machine.file(name)
      for await (const line of lines(input, process.signal)) if (await machine.record(line)) break
    })
  let files = 0
  for (const word of words) {
    const [, name, value] = word.match(/^([A-Za-z_]\w*)=(.*)$/s) ?? []
    if (name !== undefined && value !== undefined) machine.set(name, unescapeAwk(value))
    else {
      files++
      await read(word)
    }
  }
  if (files === 0) await read('-')
}

async function readArguments(process: Process) {
  const args = process.argv.slice(1)
  const variables: [string, string][] = []
  let separator: string | undefined
  let source: string | undefined
  while (/^-./.test(args[0] ?? '')) {
    const word = args.shift() ?? ''
    if (word === '--') break
    const value = () => (word.length > 2 ? word.slice(2) : (args.shift() ?? ''))
    if (word.startsWith('-F')) separator = value()
    else if (word.startsWith('-v')) {
      const text = value()
      variables.push([text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)])
    } else if (word.startsWith('-f')) source = new TextDecoder().decode(await process.files.read(resolvePath(process.directory, value())))
    else throw new Error(`unrecognized option '${word}'`)
  }
  return { separator, variables, source: source ?? args.shift() ?? '', words: args }
}
