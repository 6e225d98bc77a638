import type { ByteSink } from '../machinery/streams.ts'
import type { Input } from './processes/process.ts'
import { ShellError } from './shell-state.ts'

const encoder = new TextEncoder()
const NEWLINE = 10
/** A line is held as a whole, whatever device it comes from, and most commands take it apart in one turn of the event loop. */
const LONGEST_LINE = 1 << 20

export function writeText(sink: ByteSink, text: string): Promise<void> {
  return sink.write(encoder.encode(text))
}

/**
 * Everything that comes, as text.
 * @throws {ShellError} when it is more than so many bytes
 */
export async function collect(input: Input, mostBytes: number): Promise<string> {
  return new TextDecoder().decode(await collectBytes(input, mostBytes))
}

/** The same as bytes. */
export async function collectBytes(input: Input, mostBytes: number, signal?: AbortSignal): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let size = 0
  for (let piece = await input.read(signal); piece !== undefined; piece = await input.read(signal)) {
    size += piece.length
    if (size > mostBytes) throw new ShellError('too much to hold', 1)
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

/**
 * The next line without its end, and whether it had one; what follows is left for the next reader. Undefined at the end.
 * @throws {ShellError} when it is longer than 1 MiB
 */
export async function readLine(
  input: Input,
  signal?: AbortSignal,
): Promise<{ readonly line: string; readonly whole: boolean } | undefined> {
  const pieces: Uint8Array[] = []
  let size = 0
  for (let piece = await input.read(signal); piece !== undefined; piece = await input.read(signal)) {
    const end = piece.indexOf(NEWLINE)
    if (piece.length === 0) continue
    size += end < 0 ? piece.length : end
    if (size > LONGEST_LINE) throw new ShellError('a line is too long', 1)
    if (end < 0) {
      pieces.push(piece)
      continue
    }
    input.unread(piece.subarray(end + 1))
    pieces.push(piece.subarray(0, end))
    return { line: Buffer.concat(pieces).toString(), whole: true }
  }
  return pieces.length === 0 ? undefined : { line: Buffer.concat(pieces).toString(), whole: false }
}

/** Line by line, as they come. */
export async function* lines(input: Input, signal?: AbortSignal): AsyncGenerator<string> {
  for (let next = await readLine(input, signal); next !== undefined; next = await readLine(input, signal)) yield next.line
}
