import { chmod, lstat, mkdir, readdir, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { hasCode } from '../../../base/has-code.ts'
import type { Directory, FileNode, RegularFile } from '../../volumes/file-tree.ts'

/** The content that was written last, by path: what is the same is left alone. */
export type Written = Map<string, Uint8Array>

export interface Mirror {
  readonly written: Written
  /** A folder beside the volumes. Files and links are made there and then renamed, so that no link in a volume redirects a write. */
  readonly staging: string
  /** Mount points of other volumes, by path: they are made, and otherwise left alone. */
  readonly points: ReadonlyMap<string, 'directory' | 'file'>
}

/**
 * Makes a file or folder of this machine like one in memory. Links change last and each in one step, so that a reader of a volume sees all
 * files as they were, or all as they are; then what is no longer in memory is removed. Links on the disk are never followed.
 */
export async function mirror(node: FileNode, target: string, to: Mirror): Promise<void> {
  for (const [point, kind] of to.points) if (isBelow(point, target)) await makePoint(point, kind, { target, to })
  await mirrorNode(node, target, to)
}

async function mirrorNode(node: FileNode, target: string, to: Mirror): Promise<void> {
  if (to.points.has(target)) return
  if (node.kind === 'directory') return mirrorFolder(node, target, to)
  if (holdsPoint(target, to)) return
  return node.kind === 'file' ? mirrorFile(node, target, to) : mirrorLink(node.target, target, to)
}

/** The user who runs the cluster can always write: it is the one who keeps the files up to date. */
const OWNER = 0o700

async function mirrorFolder(node: Directory, target: string, to: Mirror): Promise<void> {
  await makeFolder(target, to)
  await chmod(target, node.mode | OWNER)
  for (const kind of ['directory', 'file', 'link'] as const)
    for (const [name, entry] of [...node.entries]) if (entry.kind === kind) await mirrorNode(entry, path.join(target, name), to)
  for (const name of await readdir(target)) {
    const at = path.join(target, name)
    if (!node.entries.has(name) && !holdsPoint(at, to)) await remove(at, to)
  }
}

async function mirrorFile({ bytes, mode }: RegularFile, target: string, to: Mirror): Promise<void> {
  if (to.written.get(target) === bytes) return
  const next = nextIn(to)
  await writeFile(next, bytes, { flag: 'wx' })
  await chmod(next, mode)
  await replace(target, next, to)
  to.written.set(target, bytes)
}

async function mirrorLink(leadsTo: string, target: string, to: Mirror): Promise<void> {
  if ((await readlink(target).catch(() => undefined)) === leadsTo) return
  const next = nextIn(to)
  await symlink(leadsTo, next)
  await replace(target, next, to)
}

let made = 0
const nextIn = ({ staging }: Mirror) => path.join(staging, `${made++}`)

async function replace(target: string, next: string, to: Mirror): Promise<void> {
  if ((await kindOf(target)) === 'directory') await remove(target, to)
  await rename(next, target)
}

/** Makes a mount point below `target`, and the folders above it. */
async function makePoint(point: string, kind: 'directory' | 'file', { target, to }: { readonly target: string; readonly to: Mirror }) {
  const names = path
    .relative(target, kind === 'file' ? path.dirname(point) : point)
    .split('/')
    .filter(Boolean)
  for (let at = target; ; at = path.join(at, names.shift() ?? '')) {
    await makeFolder(at, to)
    if (names.length === 0) break
  }
  if (kind === 'file' && (await kindOf(point)) !== 'file') {
    await remove(point, to)
    await writeFile(point, '', { flag: 'wx' })
  }
}

async function makeFolder(at: string, to: Mirror): Promise<void> {
  if ((await kindOf(at)) === 'directory') return
  await remove(at, to)
  await mkdir(at)
}

async function remove(at: string, { written }: Mirror): Promise<void> {
  for (const file of written.keys()) if (file === at || isBelow(file, at)) written.delete(file)
  await rm(at, { recursive: true, force: true })
}

const isBelow = (file: string, folder: string) => file.startsWith(`${folder}/`)
const holdsPoint = (at: string, { points }: Mirror) => [...points.keys()].some((point) => point === at || isBelow(point, at))

async function kindOf(at: string): Promise<'directory' | 'file' | 'other' | undefined> {
  try {
    const status = await lstat(at)
    return status.isDirectory() ? 'directory' : status.isFile() ? 'file' : 'other'
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}
