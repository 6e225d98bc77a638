import type { FileBudget } from './file-budget.ts'

/** The capacity of a file tree. */
export interface Space {
  usedBytes: number
  limitBytes: number
  /** Files, folders and links. */
  entries?: number
  /** The budget that it shares with other trees. */
  budget?: FileBudget
}

interface Attributes {
  /** The permission bits: `0o644`. */
  mode: number
  uid: number
  gid: number
  mtimeMs: number
}

/** A file's content; `bytes` is owned by the file. */
export interface RegularFile extends Attributes {
  readonly kind: 'file'
  bytes: Uint8Array
  /** `bytes` with spare capacity for appends. */
  room?: Uint8Array | undefined
}

export interface SymbolicLink extends Attributes {
  readonly kind: 'link'
  readonly target: string
}

/** Called with the names of changed entries. */
export type Watcher = (name: string) => void

export interface Directory extends Attributes {
  readonly kind: 'directory'
  readonly entries: Map<string, FileNode>
  /** Created for the first watcher. */
  watchers?: Set<Watcher>
}

export type FileNode = RegularFile | SymbolicLink | Directory

/** One volume, or a container's own files: the unit of renames and of accounting. */
export interface FileTree {
  readonly root: Directory
  readonly space: Space
}

type Given = Partial<Attributes>
const attributes = (given: Given, mode: number): Attributes => ({
  mode: given.mode ?? mode,
  uid: given.uid ?? 0,
  gid: given.gid ?? 0,
  mtimeMs: given.mtimeMs ?? 0,
})

export const directory = (given: Given = {}): Directory => ({ kind: 'directory', entries: new Map(), ...attributes(given, 0o755) })
export const regularFile = (bytes: Uint8Array, given: Given = {}): RegularFile => ({ kind: 'file', bytes, ...attributes(given, 0o644) })
export const symbolicLink = (target: string, given: Given = {}): SymbolicLink => ({ kind: 'link', target, ...attributes(given, 0o777) })

export function fileTree(limitBytes: number, given: Given = {}, budget?: FileBudget): FileTree {
  return { root: directory(given), space: { usedBytes: 0, limitBytes, ...(budget !== undefined && { budget }) } }
}

/** Files by their absolute paths, as a tree. */
export function treeOfFiles(files: Readonly<Record<string, string | Uint8Array>>, nowMs: number): FileTree {
  const tree = fileTree(0, { mtimeMs: nowMs })
  for (const [path, content] of Object.entries(files)) {
    const names = path.split('/').filter((name) => name !== '')
    const last = names.pop()
    let at = tree.root
    for (const name of names) {
      const known = at.entries.get(name)
      const next = known?.kind === 'directory' ? known : directory({ mtimeMs: nowMs })
      at.entries.set(name, next)
      at = next
    }
    if (last !== undefined) at.entries.set(last, regularFile(Buffer.from(content), { mtimeMs: nowMs }))
  }
  tree.space.usedBytes = sizeOf(tree.root)
  return tree
}

/** Sets or (undefined) removes an entry, and notifies watchers. */
export function setEntry(at: Directory, name: string, node: FileNode | undefined, nowMs: number): void {
  if (node === undefined) at.entries.delete(name)
  else at.entries.set(name, node)
  at.mtimeMs = nowMs
  notifyWatchers(at, name)
}

export function notifyWatchers(at: Directory, name: string): void {
  for (const notify of at.watchers ?? []) notify(name)
}

/** The bytes of all files below. */
export function sizeOf(node: FileNode): number {
  if (node.kind === 'file') return node.bytes.length
  if (node.kind === 'link') return 0
  let sum = 0
  for (const child of node.entries.values()) sum += sizeOf(child)
  return sum
}

/** Replaces the file's content. */
export function rewrite(file: RegularFile, bytes: Uint8Array): void {
  file.bytes = Uint8Array.from(bytes)
  file.room = undefined
}

/** Appends; earlier results of `bytes` stay valid. Amortized linear: a thousand appends copy at most twice the length. */
export function append(file: RegularFile, bytes: Uint8Array): void {
  const held = file.bytes.length
  const length = held + bytes.length
  if (file.room === undefined || file.room.length < length) {
    file.room = new Uint8Array(Math.max(2 * length, 256))
    file.room.set(file.bytes)
  }
  file.room.set(bytes, held)
  file.bytes = file.room.subarray(0, length)
}
