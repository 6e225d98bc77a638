import { resolvePath } from '../paths.ts'
import type { Process } from '../processes/process.ts'
import { writeText } from '../texts.ts'
import { complain } from './inputs.ts'
import type { TailPart } from './tail-part.ts'

const EVERY_MS = 200

export interface Followed {
  readonly names: readonly string[]
  /** What is printed of a file as it is found. */
  readonly part: TailPart
  /** Wait for a file that does not exist. */
  readonly retry: boolean
}

/** `tail -f`: prints what is written into files until it is stopped; also `tail -f /dev/null`, which keeps a container alive. */
export async function follow(process: Process, { names, part, retry }: Followed): Promise<number> {
  const { files, stdout, clock, signal } = process
  const seen = new Map<string, number>()
  let shown: string | undefined
  const print = async (name: string, bytes: Uint8Array) => {
    if (bytes.length === 0) return
    if (names.length > 1 && shown !== name) await writeText(stdout, `${shown === undefined ? '' : '\n'}==> ${name} <==\n`)
    shown = name
    await stdout.write(bytes)
  }
  const look = async (name: string): Promise<void> => {
    const at = resolvePath(process.directory, name)
    if ((await files.status(at))?.kind !== 'file') return
    const bytes = await files.read(at)
    const before = seen.get(name)
    seen.set(name, bytes.length)
    // A file that has become shorter was truncated: it is printed from its start.
    if (before !== undefined) return print(name, bytes.subarray(before <= bytes.length ? before : 0))
    await print(name, part(bytes))
  }
  let followed = names
  for (const name of names) {
    if (name === '/dev/null') continue
    if ((await files.status(resolvePath(process.directory, name))) === undefined) {
      await complain(process, `can't open '${name}': No such file or directory`)
      if (retry) seen.set(name, 0)
      else followed = followed.filter((n) => n !== name)
    } else await look(name)
  }
  if (followed.length === 0) return 1
  for (;;) {
    await clock.sleep(EVERY_MS, signal)
    for (const name of followed) await look(name)
  }
}
