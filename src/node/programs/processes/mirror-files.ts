import { chmod, lstat, mkdir, readdir, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Directory, FileNode } from '../../volumes/file-tree.ts'

/** The content that was written last, by path: what is the same is left alone. */
export type Written = Map<string, Uint8Array>

/**
 * Makes a file or folder of this machine like one in memory. Links change last and each in one step, so that a reader of a volume sees all
 * files as they were, or all as they are; then what is no longer in memory is removed.
 */
export async function mirror(node: FileNode, target: string, written: Written): Promise<void> {
  if (node.kind === 'file') return mirrorFile(node, target, written)
  if (node.kind === 'link') return mirrorLink(node.target, target)
  await mkdir(target, { recursive: true })
  await chmod(target, node.mode | OWNER)
  for (const kind of ['directory', 'file', 'link'] as const)
    for (const [name, entry] of [...node.entries]) if (entry.kind === kind) await mirror(entry, path.join(target, name), written)
  await prune(node, target, written)
}

/** The user who runs the cluster can always write: it is the one who keeps the files up to date. */
const OWNER = 0o700

async function mirrorFile(node: Extract<FileNode, { kind: 'file' }>, target: string, written: Written): Promise<void> {
  if (written.get(target) === node.bytes) return
  const { bytes } = node
  const next = `${target}.next`
  await writeFile(next, bytes)
  await chmod(next, node.mode)
  await rename(next, target)
  written.set(target, bytes)
}

async function mirrorLink(to: string, target: string): Promise<void> {
  if ((await readlink(target).catch(() => undefined)) === to) return
  const next = `${target}.next`
  await rm(next, { force: true })
  await symlink(to, next)
  await rename(next, target)
}

async function prune(node: Directory, target: string, written: Written): Promise<void> {
  for (const name of await readdir(target)) {
    const at = path.join(target, name)
    const entry = node.entries.get(name)
    if (entry !== undefined && (await lstat(at)).isDirectory() === (entry.kind === 'directory')) continue
    for (const file of written.keys()) if (file === at || file.startsWith(`${at}/`)) written.delete(file)
    await rm(at, { recursive: true, force: true })
    if (entry !== undefined) await mirror(entry, at, written)
  }
}
