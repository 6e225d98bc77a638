import type { Process, Program } from '../processes/process.ts'
import { writeText } from '../texts.ts'
import { readCommandLine } from './command-line.ts'
import { follow } from './follow.ts'
import { heldBytes } from './held-lines.ts'
import { eachInput } from './inputs.ts'
import { readPart } from './tail-part.ts'

/** `head -5` is `head -n 5`. */
export const withCount = (args: readonly string[]) => args.map((arg) => arg.replace(/^-(\d+)$/, '-n$1'))

/** `tail [-n COUNT] [-c COUNT] [-f] [FILE…]` */
export const tail: Program = async (process: Process) => {
  const line = readCommandLine(withCount(process.argv.slice(1)), 'fFqv', 'nc')
  const bytes = line.value('c')
  const part = bytes === undefined ? readPart(line.value('n') ?? '10', 'lines') : readPart(bytes, 'bytes')
  const names = line.words
  if ((line.has('f') || line.has('F')) && names.length > 0) return follow(process, { names, part, retry: line.has('F') })
  const titled = line.has('v') || (names.length > 1 && !line.has('q'))
  let first = true
  return eachInput(process, names, async (input, name) => {
    const found = part(await heldBytes(input, process))
    if (titled) await writeText(process.stdout, `${first ? '' : '\n'}==> ${name === '-' ? 'standard input' : name} <==\n`)
    first = false
    await process.stdout.write(found)
  })
}
