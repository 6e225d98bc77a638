import { FileError } from './file-error.ts'
import {
  append,
  type Directory,
  directory,
  type FileNode,
  type FileTree,
  notifyWatchers,
  type RegularFile,
  regularFile,
  rewrite,
  setEntry,
  symbolicLink,
} from './file-tree.ts'
import { freeSpace, takeSpace } from './space.ts'

/** A tree, or a part of one, that is mounted in a container. */
export interface MountPoint {
  /** Absolute and clean: `/etc/config`. */
  readonly path: string
  readonly node: Directory | RegularFile
  readonly tree: FileTree
  readonly readOnly: boolean
  /** The file system type that it reports. Default `ext4`. */
  readonly kind?: string
}

export interface FileSystemConfig {
  /** The tree at `/`. */
  readonly root: FileTree
  readonly readOnlyRoot: boolean
  readonly mounts: readonly MountPoint[]
  readonly now: () => number
  /** The owner of new files. */
  readonly uid: number
  readonly gid: number
  /** The file system of another container, for paths such as `/proc/7/root`; called for each folder below `/proc`. */
  readonly othersAt?: (path: string) => FileSystem | undefined
}

/** The result of a path lookup. */
interface PathLookup {
  /** Undefined: there is no such entry. */
  readonly node: FileNode | undefined
  readonly path: string
  readonly name: string
  /** Its parent directory; `/` is its own parent. */
  readonly parent: Directory
  readonly tree: FileTree
  readonly readOnly: boolean
  readonly mounted: boolean
  /** The file system of another container, if the path leads there. */
  readonly among?: FileSystem
  /** The path in that file system. */
  readonly pathAmong?: string
}

interface Step {
  readonly node: FileNode
  readonly path: string
  readonly tree: FileTree
  readonly readOnly: boolean
  readonly mounted: boolean
}

const SET_GROUP = 0o2000
const MOST_LINKS = 40
const MOST_PATH = 4096
const MOST_NAME = 255

/**
 * The files of one container: its own, and mounted volumes. No path or link can leave these trees: `..` ends at `/`, and links are resolved
 * inside the container.
 */
export class FileSystem {
  readonly #config: FileSystemConfig
  readonly #mounts: ReadonlyMap<string, MountPoint>
  #missed = false

  constructor(config: FileSystemConfig) {
    this.#config = config
    this.#mounts = new Map(config.mounts.map((m) => [m.path, m]))
    // Missing mount points are created.
    for (const { path, node } of [...config.mounts].sort((a, b) => a.path.length - b.path.length)) this.#makeMountPoint(path, node)
  }

  /** Whether a program failed to open a file that only the image could have: outside of volumes, or in a volume that is still empty. */
  get missed(): boolean {
    return this.#missed
  }

  read(path: string): Uint8Array {
    const { node } = this.#existing(path, 'open')
    if (node.kind !== 'file') throw new FileError('EISDIR', 'read', path)
    return node.bytes
  }

  /** `atEnd`: appends. `exclusive`: fails if the file exists. */
  write(path: string, bytes: Uint8Array, { atEnd = false, exclusive = false, mode = 0o644 } = {}): void {
    const lookup = this.#writable(path, 'open')
    const { node, tree, parent, name } = lookup
    if (node?.kind === 'directory') throw new FileError('EISDIR', 'open', path)
    if (node !== undefined && exclusive) throw new FileError('EEXIST', 'open', path)
    const held = node?.kind === 'file' ? node.bytes.length : 0
    this.#take(tree, path, { bytes: atEnd ? bytes.length : bytes.length - held, entries: node === undefined ? 1 : 0 })
    if (node?.kind === 'file') {
      if (atEnd) append(node, bytes)
      else rewrite(node, bytes)
      node.mtimeMs = this.#config.now()
      notifyWatchers(parent, name)
    } else setEntry(parent, name, regularFile(Uint8Array.from(bytes), this.#made(mode, parent)), this.#config.now())
  }

  list(path: string): readonly string[] {
    const { node } = this.#existing(path, 'scandir')
    if (node.kind !== 'directory') throw new FileError('ENOTDIR', 'scandir', path)
    return [...node.entries.keys()].sort()
  }

  /** `follow`: follows a link at the end of the path. */
  node(path: string, follow: boolean): FileNode {
    return this.#existing(path, follow ? 'stat' : 'lstat', follow).node
  }

  makeDirectory(path: string, { recursive = false, mode = 0o755 } = {}): void {
    if (recursive) {
      const parts = split(path)
      for (let i = 1; i <= parts.length; i++) {
        const upTo = `/${parts.slice(0, i).join('/')}`
        const { node } = this.#lookup(upTo, 'mkdir', true)
        if (node === undefined) this.makeDirectory(upTo, { mode })
        else if (node.kind !== 'directory') throw new FileError(i === parts.length ? 'EEXIST' : 'ENOTDIR', 'mkdir', path)
      }
      return
    }
    const { node, parent, name, tree } = this.#writable(path, 'mkdir', false)
    if (node !== undefined) throw new FileError('EEXIST', 'mkdir', path)
    this.#take(tree, path, { entries: 1 })
    // Below a setgid folder, new folders are setgid too.
    setEntry(parent, name, directory(this.#made(mode | (parent.mode & SET_GROUP), parent)), this.#config.now())
  }

  remove(path: string, { recursive = false, force = false } = {}): void {
    const lookup = this.#lookup(path, 'rm', false)
    const { node, parent, name, tree } = lookup
    if (node === undefined) {
      if (force) return
      throw new FileError('ENOENT', 'rm', path)
    }
    this.#changeable(lookup, 'rm', path)
    if (node.kind === 'directory' && !recursive && node.entries.size > 0) throw new FileError('ENOTEMPTY', 'rm', path)
    const { among = this, pathAmong = lookup.path } = lookup
    if (node.kind === 'directory' && among.#holdsMount(pathAmong)) throw new FileError('EBUSY', 'rm', path)
    freeSpace(tree.space, node)
    setEntry(parent, name, undefined, this.#config.now())
  }

  rename(from: string, to: string): void {
    const source = this.#lookup(from, 'rename', false)
    const { node } = source
    if (node === undefined) throw this.#absent(from, 'rename')
    this.#changeable(source, 'rename', from)
    const target = this.#writable(to, 'rename', false)
    if (target.path === source.path) return
    if (source.tree !== target.tree) throw new FileError('EXDEV', 'rename', from)
    if (node.kind === 'directory' && target.path.startsWith(`${source.path}/`)) throw new FileError('EINVAL', 'rename', from)
    if (target.node?.kind === 'directory') {
      if (node.kind !== 'directory') throw new FileError('EISDIR', 'rename', to)
      if (target.node.entries.size > 0) throw new FileError('ENOTEMPTY', 'rename', to)
    } else if (target.node !== undefined && node.kind === 'directory') throw new FileError('ENOTDIR', 'rename', to)
    if (target.node !== undefined) freeSpace(target.tree.space, target.node)
    setEntry(source.parent, source.name, undefined, this.#config.now())
    setEntry(target.parent, target.name, node, this.#config.now())
  }

  link(target: string, path: string): void {
    const { node, parent, name, tree } = this.#writable(path, 'symlink', false)
    if (node !== undefined) throw new FileError('EEXIST', 'symlink', path)
    if (target.length > MOST_PATH) throw new FileError('ENAMETOOLONG', 'symlink', path)
    this.#take(tree, path, { entries: 1 })
    setEntry(parent, name, symbolicLink(target, this.#made(0o777, parent)), this.#config.now())
  }

  readLink(path: string): string {
    const { node } = this.#existing(path, 'readlink', false)
    if (node.kind !== 'link') throw new FileError('EINVAL', 'readlink', path)
    return node.target
  }

  /** The path with all links resolved. */
  realPath(path: string): string {
    return this.#existing(path, 'realpath').path
  }

  change(
    path: string,
    attributes: { readonly mode?: number; readonly uid?: number; readonly gid?: number; readonly mtimeMs?: number },
  ): void {
    const lookup = this.#existing(path, 'chmod')
    if (lookup.readOnly) throw new FileError('EROFS', 'chmod', path)
    Object.assign(lookup.node, attributes)
  }

  /** Calls back for each change of an entry of the directory, or of the file. The result ends the watch. */
  watch(path: string, notify: (name: string) => void): () => void {
    const { node, parent, name } = this.#existing(path, 'watch')
    const at = node.kind === 'directory' ? node : parent
    const only = node.kind === 'directory' ? notify : (changed: string) => changed === name && notify(changed)
    at.watchers ??= new Set()
    at.watchers.add(only)
    return () => at.watchers?.delete(only)
  }

  /** The mounts after the root. */
  mounts(): readonly { readonly path: string; readonly tree: FileTree; readonly readOnly: boolean; readonly kind: string }[] {
    const { root, readOnlyRoot, mounts } = this.#config
    const own = { path: '/', tree: root, readOnly: readOnlyRoot, kind: 'overlay' }
    return [...(this.#mounts.has('/') ? [] : [own]), ...mounts.map(({ kind = 'ext4', ...mount }) => ({ ...mount, kind }))]
  }

  /** A new entry of a setgid folder gets its group. */
  #made(mode: number, parent: Directory) {
    const { uid, gid, now } = this.#config
    return { mode: mode & 0o7777, uid, gid: (parent.mode & SET_GROUP) === 0 ? gid : parent.gid, mtimeMs: now() }
  }

  #take({ space }: FileTree, path: string, { bytes = 0, entries }: { readonly bytes?: number; readonly entries: number }): void {
    if (!takeSpace(space, bytes, entries)) throw new FileError('ENOSPC', 'write', path)
  }

  #existing(path: string, syscall: string, follow = true): PathLookup & { readonly node: FileNode } {
    const lookup = this.#lookup(path, syscall, follow)
    const { node } = lookup
    if (node === undefined) throw this.#absent(path, syscall)
    return { ...lookup, node }
  }

  /** A failed `stat` is expected and not recorded; a failed `open`, `rename` or `scandir` sets `missed`. */
  #absent(path: string, syscall: string): FileError {
    const mount = [...this.#mounts.values()].find((m) => m.path !== '/' && `${path}/`.startsWith(`${m.path}/`))
    const known = mount !== undefined && !(mount.node.kind === 'directory' && mount.node.entries.size === 0)
    if (!known && (syscall === 'open' || syscall === 'rename' || syscall === 'scandir')) this.#missed = true
    return new FileError('ENOENT', syscall, path)
  }

  #writable(path: string, syscall: string, follow = true): PathLookup {
    const lookup = this.#lookup(path, syscall, follow)
    if (lookup.readOnly) throw new FileError(lookup.node !== undefined && syscall === 'mkdir' ? 'EEXIST' : 'EROFS', syscall, path)
    return lookup
  }

  #changeable({ readOnly, mounted, path: real }: PathLookup, syscall: string, path: string): void {
    if (mounted || real === '/') throw new FileError('EBUSY', syscall, path)
    if (readOnly) throw new FileError('EROFS', syscall, path)
  }

  #holdsMount(path: string): boolean {
    for (const mount of this.#mounts.keys()) if (mount.startsWith(`${path}/`)) return true
    return false
  }

  #lookup(path: string, syscall: string, follow: boolean, linksBefore = 0): PathLookup {
    if (path.includes('\0')) throw new FileError('EINVAL', syscall, path)
    if (path.length > MOST_PATH) throw new FileError('ENAMETOOLONG', syscall, path)
    const { root, readOnlyRoot } = this.#config
    const whole = this.#mounts.get('/')
    const top: Step = whole
      ? { node: whole.node, path: '/', tree: whole.tree, readOnly: whole.readOnly, mounted: true }
      : { node: root.root, path: '/', tree: root, readOnly: readOnlyRoot, mounted: false }
    const steps: [Step, ...Step[]] = [top]
    let last = top
    let links = linksBefore
    const rest = split(path).reverse()
    for (let name = rest.pop(); name !== undefined; name = rest.pop()) {
      if (name === '..') {
        if (steps.length > 1) steps.pop()
        last = steps.at(-1) ?? top
        continue
      }
      if (name.length > MOST_NAME) throw new FileError('ENAMETOOLONG', syscall, path)
      if (last.node.kind !== 'directory') throw new FileError('ENOTDIR', syscall, path)
      const next: Step | undefined = this.#child(last, last.node, name)
      if (next === undefined) {
        if (rest.length > 0) throw this.#absent(path, syscall)
        return { ...last, node: undefined, path: join(last.path, name), name, parent: last.node, mounted: false }
      }
      const others = next.path.startsWith('/proc/') ? this.#config.othersAt?.(next.path) : undefined
      if (others !== undefined) {
        // The number of links is counted: two containers can form a cycle of links.
        const there = others.#lookup(`/${rest.reverse().join('/')}`, syscall, follow, links + 1)
        const top = there.path === '/'
        return {
          among: others,
          pathAmong: there.path,
          ...there,
          path: top ? next.path : `${next.path}${there.path}`,
          mounted: there.mounted || top,
        }
      }
      if (next.node.kind === 'link' && (rest.length > 0 || follow)) {
        if (++links > MOST_LINKS) throw new FileError('ELOOP', syscall, path)
        if (next.node.target.startsWith('/')) {
          steps.length = 1
          last = top
        }
        rest.push(...split(next.node.target).reverse())
        continue
      }
      steps.push(next)
      last = next
    }
    const above = steps.at(-2)?.node ?? last.node
    const parent = above.kind === 'directory' ? above : root.root
    return { ...last, name: last.path.slice(last.path.lastIndexOf('/') + 1), parent }
  }

  #child(at: Step, node: Directory, name: string): Step | undefined {
    const path = join(at.path, name)
    const mount = this.#mounts.get(path)
    if (mount !== undefined) return { node: mount.node, path, tree: mount.tree, readOnly: mount.readOnly, mounted: true }
    const child = node.entries.get(name)
    return child && { node: child, path, tree: at.tree, readOnly: at.readOnly, mounted: false }
  }

  #makeMountPoint(path: string, node: Directory | RegularFile): void {
    let at = this.#config.root.root
    const parts = split(path)
    for (const [i, name] of parts.entries()) {
      const mount = this.#mounts.get(`/${parts.slice(0, i + 1).join('/')}`)
      const known = i < parts.length - 1 ? (mount?.node ?? at.entries.get(name)) : at.entries.get(name)
      if (known === undefined) {
        const file = i === parts.length - 1 && node.kind === 'file'
        at.entries.set(name, file ? regularFile(new Uint8Array()) : directory())
      }
      const next = known ?? at.entries.get(name)
      if (next?.kind !== 'directory') return
      at = next
    }
  }
}

const join = (folder: string, name: string) => (folder === '/' ? `/${name}` : `${folder}/${name}`)

/** The segments of a path, without empty ones and `.`. */
export const split = (path: string): string[] => path.split('/').filter((part) => part !== '' && part !== '.')
