import type { Process, Program } from '../processes/process.ts'
import { writeText } from '../texts.ts'
import { readCommandLine, readCount } from './command-line.ts'
import { heldBytes } from './held-lines.ts'
import { eachInput } from './inputs.ts'

/** What is encoded in one turn: whole groups of three bytes. */
const SLICE_BYTES = 48 << 10

/** `base64 [-d] [-w WIDTH] [FILE]` */
export const base64: Program = (process) => {
  const line = readCommandLine(process.argv.slice(1), 'di', 'w')
  const width = readCount(line.value('w') ?? '76')
  return eachInput(process, line.words, async (input) => {
    const bytes = Buffer.from(await heldBytes(input, process))
    if (line.has('d')) return process.stdout.write(Buffer.from(bytes.toString(), 'base64'))
    return encode(process, bytes, width)
  })
}

/** In rows of `width` characters; 0: in one row without an end. */
async function encode(process: Process, bytes: Buffer, width: number): Promise<void> {
  // What is left over of a slice begins the first row of the next.
  let left = ''
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    const text = left + bytes.subarray(at, at + SLICE_BYTES).toString('base64')
    const rowsEnd = width === 0 ? 0 : text.length - (text.length % width)
    left = text.slice(rowsEnd)
    await writeText(process.stdout, width === 0 ? text : rowsOf(text.slice(0, rowsEnd), width))
    if (width === 0) left = ''
  }
  if (left !== '') await writeText(process.stdout, `${left}\n`)
}

function rowsOf(text: string, width: number): string {
  const rows: string[] = []
  for (let at = 0; at < text.length; at += width) rows.push(text.slice(at, at + width), '\n')
  return rows.join('')
}
