import type { Input, Process } from '../processes/process.ts'
import { ShellError } from '../shell-state.ts'
import { collectBytes, lines } from '../texts.ts'
import { eachInput } from './inputs.ts'

/** What a command holds that needs all of an input before it can print: bytes, and lines. */
export const MOST_HELD_BYTES = 64 << 20
const MOST_HELD_LINES = 2 << 20

export function heldBytes(input: Input, process: Process): Promise<Uint8Array> {
  return collectBytes(input, MOST_HELD_BYTES, process.signal)
}

/**
 * The lines of all files that are named.
 * @throws {ShellError} when they are too many to be held
 */
export async function heldLines(
  process: Process,
  names: readonly string[],
): Promise<{ readonly found: readonly string[]; readonly status: number }> {
  const found: string[] = []
  let characters = 0
  const status = await eachInput(process, names, async (input) => {
    for await (const line of lines(input, process.signal)) {
      characters += line.length
      if (characters > MOST_HELD_BYTES || found.length === MOST_HELD_LINES) throw new ShellError('too much to hold', 1)
      found.push(line)
    }
  })
  return { found, status }
}
