import type { FileNode, Space } from './file-tree.ts'

/** Files, folders and links of one tree: a disk has no more inodes either. */
const MOST_ENTRIES = 100_000
/** What an entry of a folder costs the process beside the content. */
const ENTRY_BYTES = 512

/** Takes room for bytes and entries; false: there is none. */
export function takeSpace(space: Space, bytes: number, entries: number): boolean {
  const all = (space.entries ?? 0) + entries
  if (space.usedBytes + bytes > space.limitBytes || all > MOST_ENTRIES) return false
  if (space.budget?.take(space, bytes + entries * ENTRY_BYTES) === false) return false
  space.usedBytes += bytes
  space.entries = all
  return true
}

/** Gives back the room of a file, or of a folder with all that is in it. */
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
