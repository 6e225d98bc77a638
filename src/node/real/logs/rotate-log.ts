import { createReadStream, createWriteStream } from 'node:fs'
import { readdir, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { hasCode } from '../../../base/has-code.ts'

export interface Rotation {
  readonly maxBytes: number
  /** The current file and the rotated ones together. */
  readonly maxFiles: number
  readonly nowMs: number
  /** The runtime writes into a new file from now on. */
  readonly reopen: () => Promise<void>
}

const COMPRESSED = '.gz'
const UNFINISHED = '.tmp'

/** Rotates a log that has grown too large, as the kubelet does. False: it is small enough, or is not there. */
export async function rotateLog(log: string, { maxBytes, maxFiles, nowMs, reopen }: Rotation): Promise<boolean> {
  if ((await sizeOf(log)) < maxBytes) return false
  const folder = path.dirname(log)
  const names = (await readdir(folder)).filter((name) => name.startsWith(`${path.basename(log)}.`)).sort()
  const { removed, compressed } = planRotation(names, maxFiles)
  for (const name of removed) await rm(path.join(folder, name), { force: true })
  for (const name of compressed) await compress(path.join(folder, name))
  const rotated = `${log}.${stampOf(nowMs)}`
  await rename(log, rotated)
  try {
    await reopen()
  } catch (error) {
    // What is written goes on into the file that is open: it keeps its name.
    await rename(rotated, log)
    throw error
  }
  return true
}

/**
 * What happens to files that were rotated before, the oldest first: leftovers and those beyond the limit go, the others are compressed. One
 * place is kept for the current file, one for that which is rotated next. Pure.
 */
export function planRotation(
  names: readonly string[],
  maxFiles: number,
): { readonly removed: readonly string[]; readonly compressed: readonly string[] } {
  const present = new Set(names)
  const isLeftover = (name: string) => name.endsWith(UNFINISHED) || present.has(`${name}${COMPRESSED}`)
  const whole = names.filter((name) => !isLeftover(name))
  const excess = whole.slice(0, Math.max(0, whole.length - Math.max(0, maxFiles - 2)))
  return {
    removed: [...names.filter(isLeftover), ...excess],
    compressed: whole.slice(excess.length).filter((name) => !name.endsWith(COMPRESSED)),
  }
}

async function compress(file: string): Promise<void> {
  const unfinished = `${file}${UNFINISHED}`
  await pipeline(createReadStream(file), createGzip(), createWriteStream(unfinished, { mode: 0o640 }))
  await rename(unfinished, `${file}${COMPRESSED}`)
  await rm(file)
}

/** `20260101-000000` */
const stampOf = (nowMs: number) => new Date(nowMs).toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-')

async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return 0
    throw error
  }
}
