import { fileErrorWords } from '../file-words.ts'
import { resolvePath } from '../paths.ts'
import { pacedInput } from '../processes/paced-streams.ts'
import { emptyInput, inputOf } from '../processes/pipe.ts'
import type { Input, Process } from '../processes/process.ts'
import { writeText } from '../texts.ts'

/**
 * Calls back for each named file, or for standard input without one (or with `-`). A file that cannot be read is reported on standard
 * error. Resolves with 1 if there was such a file, else with 0.
 */
export async function eachInput(
  process: Process,
  names: readonly string[],
  use: (input: Input, name: string) => Promise<void>,
): Promise<number> {
  let status = 0
  for (const name of names.length === 0 ? ['-'] : names) {
    if (name === '-') {
      await use(process.stdin, name)
      continue
    }
    const opened = await openInput(process, name)
    if (opened === undefined) status = 1
    else await use(pacedInput(opened, process), name)
  }
  return status
}

async function openInput(process: Process, name: string): Promise<Input | undefined> {
  const path = resolvePath(process.directory, name)
  if (path === '/dev/stdin') return process.stdin
  if (path === '/dev/null') return emptyInput
  const filled = {
    '/dev/zero': zeroes,
    '/dev/urandom': process.container.machine.randomBytes,
    '/dev/random': process.container.machine.randomBytes,
  }[path]
  if (filled !== undefined) return endless(filled)
  try {
    return inputOf(await process.files.read(path))
  } catch (error) {
    const words = fileErrorWords(error)
    if (words === undefined) throw error
    await complain(process, `can't open '${name}': ${words}`)
    return undefined
  }
}

const PIECE = 4096
const zeroes = (count: number) => new Uint8Array(count)

/** A device that can be read for ever. */
function endless(fill: (count: number) => Uint8Array): Input {
  const given: Uint8Array[] = []
  return {
    async read(signal) {
      signal?.throwIfAborted()
      return given.shift() ?? fill(PIECE)
    },
    unread: (bytes) => void given.unshift(bytes),
  }
}

/** `cat: …` on standard error. */
export function complain(process: Process, message: string): Promise<void> {
  return writeText(process.stderr, `${process.argv[0]}: ${message}\n`)
}

/** Calls back for each path; a failure is reported, and the others follow. Resolves with the exit code. */
export async function eachPath(
  process: Process,
  names: readonly string[],
  use: (path: string, name: string) => Promise<void>,
): Promise<number> {
  let status = 0
  for (const name of names) {
    try {
      await use(resolvePath(process.directory, name), name)
    } catch (error) {
      const words = fileErrorWords(error)
      if (words === undefined) throw error
      await complain(process, `${name}: ${words}`)
      status = 1
    }
  }
  return status
}
