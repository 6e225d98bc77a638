import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { resolvePath } from '../paths.ts'
import type { Process, Program } from '../processes/process.ts'
import { readCommandLine } from './command-line.ts'
import { heldBytes, MOST_HELD_BYTES } from './held-lines.ts'
import { eachInput } from './inputs.ts'

const [pack, unpack] = [promisify(gzip), promisify(gunzip)]

/** Packs or unpacks in a thread of Node's own; the clock waits for it. */
async function zipped({ clock }: Process, bytes: Uint8Array, packs: boolean): Promise<Uint8Array> {
  const release = clock.busy('gzip')
  try {
    return await (packs ? pack(bytes) : unpack(bytes, { maxOutputLength: MOST_HELD_BYTES }))
  } finally {
    release()
  }
}

/** `gzip [-c] [-d] [-k] [FILE…]`; without a file, standard input is printed. */
function zipping(packsUnlessTold: boolean): Program {
  return async (process) => {
    const args = process.argv.slice(1).filter((arg) => !/^-\d$/.test(arg))
    const line = readCommandLine(args, 'cdfkq')
    const packs = packsUnlessTold && !line.has('d')
    if (line.words.length === 0 || line.has('c'))
      return eachInput(process, line.words, async (input) =>
        process.stdout.write(await zipped(process, await heldBytes(input, process), packs)),
      )
    for (const name of line.words) await replace(process, name, { packs, keeps: line.has('k') })
    return 0
  }
}

async function replace(process: Process, name: string, { packs, keeps }: { packs: boolean; keeps: boolean }): Promise<void> {
  const path = resolvePath(process.directory, name)
  if (!packs && !path.endsWith('.gz')) throw new Error(`${name}: unknown suffix - ignored`)
  await process.files.write(packs ? `${path}.gz` : path.slice(0, -3), await zipped(process, await process.files.read(path), packs))
  if (!keeps) await process.files.remove(path)
}

const zcat: Program = (process) =>
  eachInput(process, readCommandLine(process.argv.slice(1), '').words, async (input) => {
    await process.stdout.write(await zipped(process, await heldBytes(input, process), false))
  })

/** Programs that pack files and unpack them. */
export const packing: Readonly<Record<string, Program>> = { gzip: zipping(true), gunzip: zipping(false), zcat }
