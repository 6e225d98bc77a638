import { type Directory, directory, type FileTree, regularFile, setEntry, sizeOf, symbolicLink } from './file-tree.ts'
import type { Payload, VolumeOwner } from './volume-payload.ts'

const DATA = '..data'

export interface WriteDeps {
  readonly owner: VolumeOwner
  readonly nowMs: number
  /** Counts the writes to the volume. */
  readonly serial: number
}

/**
 * Writes files into a volume as the kubelet does: into a new directory, which becomes the target of `..data`; the visible names are links
 * through it. So a reader sees either all old files or all new ones. Returns false, without a write, if they are unchanged.
 */
export function writeAtomically(tree: FileTree, payload: Payload, deps: WriteDeps): boolean {
  const { root } = tree
  const before = root.entries.get(DATA)
  const old = before?.kind === 'link' ? root.entries.get(before.target) : undefined
  if (old?.kind === 'directory' && holds(old, payload, deps.owner)) return false
  const name = `..${new Date(deps.nowMs).toISOString().slice(0, 19).replace(/[-T:]/g, '_')}.${String(deps.serial).padStart(9, '0')}`
  const made = filled(payload, deps)
  root.entries.set(name, made)
  setEntry(root, DATA, symbolicLink(name, { mtimeMs: deps.nowMs }), deps.nowMs)
  const wanted = new Set(made.entries.keys())
  for (const [entry, node] of [...root.entries])
    if (node.kind === 'link' && entry !== DATA && !wanted.has(entry)) setEntry(root, entry, undefined, deps.nowMs)
  for (const entry of wanted)
    if (!root.entries.has(entry)) setEntry(root, entry, symbolicLink(`${DATA}/${entry}`, { mtimeMs: deps.nowMs }), deps.nowMs)
  if (before?.kind === 'link') setEntry(root, before.target, undefined, deps.nowMs)
  tree.space.usedBytes = sizeOf(root)
  return true
}

function filled(payload: Payload, { owner, nowMs }: WriteDeps): Directory {
  const given = { mtimeMs: nowMs, ...(owner.gid !== undefined && { gid: owner.gid }) }
  const mode = owner.gid === undefined ? 0o755 : 0o2755
  const root = directory({ ...given, mode })
  for (const [path, file] of payload) {
    const parts = path.split('/')
    const name = parts.pop() ?? ''
    let at = root
    for (const part of parts) {
      const known = at.entries.get(part)
      const next = known?.kind === 'directory' ? known : directory({ ...given, mode })
      at.entries.set(part, next)
      at = next
    }
    at.entries.set(
      name,
      regularFile(file.bytes, { ...given, mode: modeOf(file.mode, owner), ...(file.uid !== undefined && { uid: file.uid }) }),
    )
  }
  return root
}

/** A group that owns files may read them. */
export const modeOf = (mode: number, { gid }: VolumeOwner) => (gid === undefined ? mode : mode | 0o440)

/** Whether a directory has exactly these files. */
function holds(at: Directory, payload: Payload, owner: VolumeOwner): boolean {
  let files = 0
  const same = (folder: Directory, prefix: string): boolean => {
    for (const [name, node] of folder.entries) {
      const path = `${prefix}${name}`
      if (node.kind === 'directory') {
        if (!same(node, `${path}/`)) return false
        continue
      }
      const wanted = payload.get(path)
      if (node.kind !== 'file' || wanted === undefined) return false
      if (node.mode !== modeOf(wanted.mode, owner) || Buffer.compare(node.bytes, wanted.bytes) !== 0) return false
      files++
    }
    return true
  }
  return same(at, '') && files === payload.size
}
