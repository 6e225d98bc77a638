import { resolvePath } from '../paths.ts'
import type { Input, Process, Program } from '../processes/process.ts'
import { lines, writeText } from '../texts.ts'
import { base64 } from './base64.ts'
import { readCommandLine, readCount } from './command-line.ts'
import { wc } from './counting.ts'
import { cut } from './cut.ts'
import { grep } from './grep.ts'
import { eachInput } from './inputs.ts'
import { tail, withCount } from './tail.ts'
import { translate } from './translate.ts'

async function copy(input: Input, { stdout, signal }: Process): Promise<void> {
  for (let piece = await input.read(signal); piece !== undefined; piece = await input.read(signal)) await stdout.write(piece)
}

const cat: Program = (process) => eachInput(process, readCommandLine(process.argv.slice(1), 'unAe').words, (input) => copy(input, process))

/** `head [-n COUNT] [-c COUNT] [FILE…]`; what follows stays in the input for the next reader. */
const head: Program = (process) => {
  const line = readCommandLine(withCount(process.argv.slice(1)), 'qv', 'nc')
  const bytes = line.value('c')
  const count = readCount(bytes ?? line.value('n') ?? '10')
  const titled = line.has('v') || (line.words.length > 1 && !line.has('q'))
  let first = true
  return eachInput(process, line.words, async (input, name) => {
    if (titled) await writeText(process.stdout, `${first ? '' : '\n'}==> ${name} <==\n`)
    first = false
    await (bytes === undefined ? copyLines(input, count, process) : copyBytes(input, count, process))
  })
}

async function copyBytes(input: Input, count: number, { stdout, signal }: Process): Promise<void> {
  for (let left = count; left > 0; ) {
    const piece = await input.read(signal)
    if (piece === undefined) return
    if (piece.length > left) input.unread(piece.subarray(left))
    await stdout.write(piece.subarray(0, left))
    left -= piece.length
  }
}

async function copyLines(input: Input, count: number, { stdout, signal }: Process): Promise<void> {
  if (count <= 0) return
  let left = count
  for await (const text of lines(input, signal)) {
    await writeText(stdout, `${text}\n`)
    if (--left <= 0) return
  }
}

/** `tee [-a] [FILE…]` */
const tee: Program = async (process) => {
  const line = readCommandLine(process.argv.slice(1), 'ai')
  const paths = line.words.map((name) => resolvePath(process.directory, name)).filter((path) => path !== '/dev/null')
  for (const path of paths) await process.files.write(path, new Uint8Array(), { append: line.has('a') })
  for (let piece = await process.stdin.read(process.signal); piece !== undefined; piece = await process.stdin.read(process.signal)) {
    for (const path of paths) await process.files.write(path, piece, { append: true })
    await process.stdout.write(piece)
  }
  return 0
}

/** Programs that read text and print some of it. */
export const reading: Readonly<Record<string, Program>> = {
  cat,
  head,
  tail,
  tee,
  wc,
  cut,
  grep,
  egrep: grep,
  fgrep: grep,
  tr: translate,
  base64,
}
