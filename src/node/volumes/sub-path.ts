import { type Directory, directory, type FileTree, type RegularFile, setEntry } from './file-tree.ts'
import { VolumeError } from './volume-payload.ts'

const MOST_LINKS = 40

/**
 * Resolves `subPath` in a volume: a file or directory inside it, created if missing. Links are followed only inside the volume, because a
 * program that can write to it must not choose what else is mounted.
 */
export function subPathOf(
  tree: FileTree,
  subPath: string,
  { nowMs, readOnly }: { readonly nowMs: number; readonly readOnly: boolean },
): Directory | RegularFile {
  const outside = () => new VolumeError(`subPath ${JSON.stringify(subPath)} does not lie inside the volume`)
  if (subPath.startsWith('/')) throw outside()
  const steps: Directory[] = [tree.root]
  const rest = split(subPath).reverse()
  if (rest.includes('..')) throw outside()
  let links = 0
  for (let name = rest.pop(); name !== undefined; name = rest.pop()) {
    const at = steps.at(-1) ?? tree.root
    if (name === '..') {
      if (steps.length === 1) throw outside()
      steps.pop()
      continue
    }
    const node = at.entries.get(name)
    if (node === undefined) {
      if (readOnly) throw new VolumeError(`subPath ${JSON.stringify(subPath)} is not there, and the volume is read-only`)
      const made = directory({ mode: 0o755, mtimeMs: nowMs, gid: at.gid })
      setEntry(at, name, made, nowMs)
      steps.push(made)
    } else if (node.kind === 'link') {
      if (++links > MOST_LINKS || node.target.startsWith('/')) throw outside()
      rest.push(...split(node.target).reverse())
    } else if (node.kind === 'directory') steps.push(node)
    else if (rest.length === 0) return node
    else throw new VolumeError(`subPath ${JSON.stringify(subPath)}: not a directory`)
  }
  return steps.at(-1) ?? tree.root
}

const split = (path: string) => path.split('/').filter((part) => part !== '' && part !== '.')
