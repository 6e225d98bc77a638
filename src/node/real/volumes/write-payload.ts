import { chmod, chown, lstat, mkdir, readdir, readFile, readlink, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { hasCode } from '../../../base/has-code.ts'
import { modeOf } from '../../volumes/atomic-writer.ts'
import type { Payload, VolumeOwner } from '../../volumes/volume-payload.ts'

const DATA = '..data'
const NEXT_DATA = '..data_tmp'

export interface WriteInput {
  readonly owner: VolumeOwner
  readonly nowMs: number
  /** Counts the writes of the volume. */
  readonly serial: number
}

/**
 * Puts files into a folder of the node as the kubelet does: into a new folder, to which `..data` then points at once; the names that users
 * see are links through it. So a reader sees all files as they were, or all as they are. False: they are the same already.
 */
export async function writePayload(folder: string, payload: Payload, input: WriteInput): Promise<boolean> {
  const before = await linkAt(path.join(folder, DATA))
  if (before !== undefined && (await holds(path.join(folder, before), payload, input.owner))) return false
  const name = `..${stampOf(input)}`
  await writeFiles(path.join(folder, name), payload, input.owner)
  await rm(path.join(folder, NEXT_DATA), { force: true })
  await symlink(name, path.join(folder, NEXT_DATA))
  await rename(path.join(folder, NEXT_DATA), path.join(folder, DATA))
  await relink(folder, new Set([...payload.keys()].map((file) => file.split('/')[0] ?? '')))
  if (before !== undefined) await rm(path.join(folder, before), { recursive: true, force: true })
  return true
}

const stampOf = ({ nowMs, serial }: WriteInput) =>
  `${new Date(nowMs).toISOString().slice(0, 19).replace(/[-T:]/g, '_')}.${String(serial).padStart(9, '0')}`

async function writeFiles(folder: string, payload: Payload, owner: VolumeOwner): Promise<void> {
  await mkdir(folder, { mode: 0o755 })
  const folders = new Set([folder])
  for (const [name, { bytes, mode, uid = 0 }] of payload) {
    const file = path.join(folder, name)
    for (let at = path.dirname(file); !folders.has(at); at = path.dirname(at)) folders.add(at)
    await mkdir(path.dirname(file), { recursive: true, mode: 0o755 })
    await writeFile(file, bytes)
    await chmod(file, modeOf(mode, owner))
    await chown(file, uid, owner.gid ?? 0)
  }
  for (const at of folders) {
    // The process's own mask of modes does not count.
    await chmod(at, owner.gid === undefined ? 0o755 : 0o2775)
    if (owner.gid !== undefined) await chown(at, 0, owner.gid)
  }
}

async function relink(folder: string, wanted: ReadonlySet<string>): Promise<void> {
  for (const entry of await readdir(folder)) {
    if (entry.startsWith('..') || wanted.has(entry)) continue
    if ((await lstat(path.join(folder, entry))).isSymbolicLink()) await unlink(path.join(folder, entry))
  }
  for (const entry of wanted)
    await symlink(path.join(DATA, entry), path.join(folder, entry)).catch((error) => {
      if (!hasCode(error, 'EEXIST')) throw error
    })
}

async function linkAt(file: string): Promise<string | undefined> {
  try {
    return await readlink(file)
  } catch {
    return undefined
  }
}

/** Whether a folder holds these files and no others. */
async function holds(folder: string, payload: Payload, owner: VolumeOwner): Promise<boolean> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => undefined)
  const files = entries?.filter((entry) => !entry.isDirectory())
  if (files?.length !== payload.size) return false
  for (const [name, { bytes, mode }] of payload) {
    const file = path.join(folder, name)
    const [held, status] = await Promise.all([readFile(file), lstat(file)]).catch(() => [undefined, undefined] as const)
    if (held === undefined || (status.mode & 0o7777) !== modeOf(mode, owner) || !held.equals(bytes)) return false
  }
  return true
}
