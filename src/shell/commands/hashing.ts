import { createHash } from 'node:crypto'
import { resolvePath } from '../paths.ts'
import type { Process, Program } from '../processes/process.ts'
import { writeText } from '../texts.ts'
import { readCommandLine } from './command-line.ts'
import { heldLines } from './held-lines.ts'
import { eachInput } from './inputs.ts'

/** `sha256sum [FILE…]`, and `-c` with lists of sums. */
function summing(kind: 'md5' | 'sha1' | 'sha256' | 'sha512'): Program {
  return async (process) => {
    const line = readCommandLine(process.argv.slice(1), 'cbs')
    if (line.has('c')) return checkSums(process, kind, line.words)
    return eachInput(process, line.words, async (input, name) => {
      const hash = createHash(kind)
      for (let piece = await input.read(process.signal); piece !== undefined; piece = await input.read(process.signal)) hash.update(piece)
      await writeText(process.stdout, `${hash.digest('hex')}  ${name}\n`)
    })
  }
}

/** Whether files still have the sums of the lists. */
async function checkSums(process: Process, kind: string, lists: readonly string[]): Promise<number> {
  const { found, status } = await heldLines(process, lists)
  let failed = status
  for (const line of found) {
    const [, sum, name = ''] = line.match(/^([0-9a-f]+) [ *](.*)$/) ?? []
    const bytes = await process.files.read(resolvePath(process.directory, name))
    const right = createHash(kind).update(bytes).digest('hex') === sum
    if (!right) failed = 1
    await writeText(process.stdout, `${name}: ${right ? 'OK' : 'FAILED'}\n`)
  }
  return failed
}

export const hashing: Readonly<Record<string, Program>> = {
  md5sum: summing('md5'),
  sha1sum: summing('sha1'),
  sha256sum: summing('sha256'),
  sha512sum: summing('sha512'),
}
