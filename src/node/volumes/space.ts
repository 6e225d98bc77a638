import type { FileNode, Space } from './file-tree.ts'

/** The most files, folders and links of one tree, like the inodes of a disk. */
const MOST_ENTRIES = 100_000
/** The memory of a directory entry in addition to its content. */
const ENTRY_BYTES = 512

/** Takes space for bytes and entries; false: there is not enough. */
export function takeSpace(space: Space, bytes: number, entries: number): boolean {
  const all = (space.entries ?? 0) + entries
  if (space.usedBytes + bytes > space.limitBytes || all > MOST_ENTRIES) return false
  if (space.budget?.take(space, bytes + entries * ENTRY_BYTES) === false) return false
  space.usedBytes += bytes
  space.entries = all
  return true
}

/** Frees the space of a file, or of a folder with its content. */
export function freeSpace(space: Space, node: FileNode): void {
  const { bytes, entries } = usageOf(node)
  space.usedBytes -= bytes
  space.entries = Math.max(0, (space.entries ?? 0) - entries)
  space.budget?.take(space, -(bytes + entries * ENTRY_BYTES))
}

function usageOf(node: FileNode): { bytes: number; entries: number } {
  const usage = { bytes: node.kind === 'file' ? node.bytes.length : 0, entries: 1 }
  if (node.kind !== 'directory') return usage
  for (const child of node.entries.values()) {
    const below = usageOf(child)
    usage.bytes += below.bytes
    usage.entries += below.entries
  }
  return usage
}
