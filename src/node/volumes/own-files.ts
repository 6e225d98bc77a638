import type { Stats } from 'node:fs'
import { chmod, lchown, lstat, readdir } from 'node:fs/promises'
import path from 'node:path'

const READ_WRITE = 0o660
/** What is made in a folder is owned by the folder's group. */
const SET_GROUP = 0o2000
const FOLDER = SET_GROUP | 0o110

/**
 * Gives everything in a volume to a group that may write it, as `fsGroup` of a pod asks. `rootOnly`: not if the volume itself looks as if
 * that was done (`fsGroupChangePolicy: OnRootMismatch`).
 */
export async function ownFiles(root: string, gid: number, rootOnly: boolean): Promise<void> {
  if (rootOnly && isOwned(await lstat(root), gid)) return
  const entries = await readdir(root, { recursive: true })
  for (const entry of entries) await own(path.join(root, entry), gid)
  // The root comes last: it marks the whole as done.
  await own(root, gid)
}

const isOwned = (stats: Stats, gid: number) => stats.gid === gid && (stats.mode & (READ_WRITE | FOLDER)) === (READ_WRITE | FOLDER)

async function own(at: string, gid: number): Promise<void> {
  const stats = await lstat(at)
  await lchown(at, stats.uid, gid)
  if (!stats.isSymbolicLink()) await chmod(at, (stats.mode & 0o7777) | READ_WRITE | (stats.isDirectory() ? FOLDER : 0))
}
