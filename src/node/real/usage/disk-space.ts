import { lstat, readdir, statfs } from 'node:fs/promises'
import path from 'node:path'
import { hasCode } from '../../../base/has-code.ts'
import type { FileUse } from '../../eviction/usage.ts'

/** Of a file system. */
export interface DiskSpace {
  readonly capacityBytes: number
  /** For others than root. */
  readonly availableBytes: number
  readonly usedBytes: number
  readonly inodes: number
  readonly inodesFree: number
}

/** Of the file system that has this folder. */
export async function diskSpace(folder: string): Promise<DiskSpace> {
  const { blocks, bavail, bfree, bsize, files, ffree } = await statfs(folder)
  const usedBytes = (blocks - bfree) * bsize
  return { capacityBytes: blocks * bsize, availableBytes: bavail * bsize, usedBytes, inodes: files, inodesFree: ffree }
}

/** What a folder takes with all that is below it on the same file system, as `du` counts: a file with several names once. */
export async function folderUse(folder: string): Promise<FileUse> {
  const seen = new Set<number>()
  let bytes = 0
  const look = async (at: string, device: number | undefined): Promise<void> => {
    const stats = await ignoringAbsence(lstat(at))
    if (stats === undefined || (device !== undefined && stats.dev !== device) || seen.has(stats.ino)) return
    seen.add(stats.ino)
    bytes += stats.blocks * 512
    if (!stats.isDirectory()) return
    for (const name of (await ignoringAbsence(readdir(at))) ?? []) await look(path.join(at, name), stats.dev)
  }
  await look(folder, undefined)
  return { bytes, inodes: seen.size }
}

/** Pods write and remove while they are measured. */
async function ignoringAbsence<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return undefined
    throw error
  }
}
