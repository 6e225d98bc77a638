import { readdir, readFile, readlink, stat } from 'node:fs/promises'
import path from 'node:path'
import type { FileSystem } from '../../volumes/file-system.ts'
import type { FileNode } from '../../volumes/file-tree.ts'
import type { Mirror } from './mirror-files.ts'

/** What a volume in memory holds at most; larger files are not read at all. */
const MOST_BYTES = 64 * 1024 * 1024

export interface TakeBackInput {
  readonly fileSystem: FileSystem
  /** What was laid out on the disk: what is missing there now was removed; mount points of other volumes are not of this one. */
  readonly laid: Pick<Mirror, 'written' | 'points'>
  /** Called for each file that has no room. */
  readonly refused: (file: string, error: unknown) => void
}

/**
 * Changes a folder in memory as a process has changed its copy on the disk: files, folders and links that differ are written, and those
 * that it has removed are removed.
 */
export async function takeBack(source: string, at: string, input: TakeBackInput): Promise<void> {
  const entries = await readdir(source, { withFileTypes: true })
  for (const entry of entries) {
    const [from, to] = [path.join(source, entry.name), `${at}/${entry.name}`]
    if (input.laid.points.has(from)) continue
    try {
      if (entry.isDirectory()) {
        input.fileSystem.makeDirectory(to, { recursive: true })
        await takeBack(from, to, input)
      } else if (entry.isSymbolicLink()) await takeLink(from, to, input)
      else if (entry.isFile()) await takeFile(from, to, input)
    } catch (error) {
      input.refused(to, error)
    }
  }
  removeGone(source, at, new Set(entries.map(({ name }) => name)), input)
}

async function takeFile(from: string, to: string, { fileSystem }: TakeBackInput): Promise<void> {
  const { size, mode } = await stat(from)
  if (size > MOST_BYTES) throw new Error(`it has ${size} bytes; a volume holds ${MOST_BYTES}`)
  const bytes = await readFile(from)
  const known = nodeAt(fileSystem, to)
  if (known?.kind === 'file' && bytes.equals(known.bytes)) return
  fileSystem.write(to, bytes, { mode: mode & 0o7777 })
}

async function takeLink(from: string, to: string, { fileSystem }: TakeBackInput): Promise<void> {
  const target = await readlink(from)
  const known = nodeAt(fileSystem, to)
  if (known?.kind === 'link' && known.target === target) return
  fileSystem.remove(to, { recursive: true, force: true })
  fileSystem.link(target, to)
}

function removeGone(source: string, at: string, kept: ReadonlySet<string>, { fileSystem, laid: { written } }: TakeBackInput): void {
  const names = new Set([...written.keys()].filter((file) => file.startsWith(`${source}/`)).map((file) => file.slice(source.length + 1)))
  for (const name of fileSystem.list(at)) if (!kept.has(name) && names.has(name)) fileSystem.remove(`${at}/${name}`)
}

function nodeAt(fileSystem: FileSystem, at: string): FileNode | undefined {
  try {
    return fileSystem.node(at, false)
  } catch {
    return undefined
  }
}
