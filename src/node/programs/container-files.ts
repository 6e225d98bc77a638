import { Signal } from '../../base/signal.ts'
import type { FileSystem } from '../volumes/file-system.ts'
import type { FileNode } from '../volumes/file-tree.ts'

/** What is known of a file without reading it. */
export interface FileStatus {
  readonly kind: 'file' | 'directory' | 'link'
  /** In bytes. */
  readonly size: number
  /** Permissions alone: `0o644`. */
  readonly mode: number
  readonly uid: number
  readonly gid: number
  /** Milliseconds since 1970. */
  readonly mtimeMs: number
}

/** How a file is written. */
export interface WriteFileOptions {
  /** Of a file that is made. Default `0o644`. */
  readonly mode?: number
  /** Fail with `EEXIST` where there is one. Default false. */
  readonly exclusive?: boolean
}

/**
 * The files that a container sees: its own, and the volumes that are mounted into it. Named as in `node:fs/promises`; relative paths start
 * from the working directory. Everything rejects with a `FileError` whose `code` is that of `node:fs` (`ENOENT`, `EROFS`, `ENOSPC`, …).
 */
export interface ContainerFiles {
  readFile(path: string): Promise<Uint8Array>
  readFile(path: string, encoding: 'utf8'): Promise<string>
  writeFile(path: string, data: string | Uint8Array, options?: WriteFileOptions): Promise<void>
  appendFile(path: string, data: string | Uint8Array, options?: WriteFileOptions): Promise<void>
  /** The names in a directory, sorted. */
  readdir(path: string): Promise<readonly string[]>
  /** Where a link leads. */
  stat(path: string): Promise<FileStatus>
  /** The link itself. */
  lstat(path: string): Promise<FileStatus>
  exists(path: string): Promise<boolean>
  mkdir(path: string, options?: { readonly recursive?: boolean; readonly mode?: number }): Promise<void>
  rm(path: string, options?: { readonly recursive?: boolean; readonly force?: boolean }): Promise<void>
  rename(from: string, to: string): Promise<void>
  symlink(target: string, path: string): Promise<void>
  readlink(path: string): Promise<string>
  /** The path without links. */
  realpath(path: string): Promise<string>
  chmod(path: string, mode: number): Promise<void>
  chown(path: string, uid: number, gid: number): Promise<void>
  utimes(path: string, mtimeMs: number): Promise<void>
  /** Names of entries of a directory (or of the file) as they change, until the signal is aborted. */
  watch(path: string, options?: { readonly signal?: AbortSignal }): AsyncIterable<string>
}

export interface ContainerFilesDeps {
  readonly fileSystem: FileSystem
  /** Relative paths start here. */
  readonly workingDir: string
  /** Waits for its turn, which does not come when the process is over. */
  readonly step: () => Promise<void>
  /** Aborted when the container has ended. */
  readonly ended: AbortSignal
}

const bytesOf = (data: string | Uint8Array) => (typeof data === 'string' ? Buffer.from(data) : data)

export function createContainerFiles({ fileSystem, workingDir, step, ended }: ContainerFilesDeps): ContainerFiles {
  const at = (path: string) => (path.startsWith('/') ? path : `${workingDir}/${path}`)
  const after = async <T>(work: () => T): Promise<T> => {
    await step()
    return work()
  }
  function readFile(path: string): Promise<Uint8Array>
  function readFile(path: string, encoding: 'utf8'): Promise<string>
  function readFile(path: string, encoding?: 'utf8'): Promise<Uint8Array | string> {
    return after(() => {
      const bytes = fileSystem.read(at(path))
      return encoding === undefined ? Uint8Array.from(bytes) : Buffer.from(bytes).toString()
    })
  }
  return {
    readFile,
    writeFile: (path, data, options) => after(() => fileSystem.write(at(path), bytesOf(data), options)),
    appendFile: (path, data, options) => after(() => fileSystem.write(at(path), bytesOf(data), { ...options, atEnd: true })),
    readdir: (path) => after(() => fileSystem.list(at(path))),
    stat: (path) => after(() => statusOf(fileSystem.node(at(path), true))),
    lstat: (path) => after(() => statusOf(fileSystem.node(at(path), false))),
    exists: (path) =>
      after(() => {
        try {
          fileSystem.node(at(path), true)
          return true
        } catch {
          return false
        }
      }),
    mkdir: (path, options) => after(() => fileSystem.makeDirectory(at(path), options)),
    rm: (path, options) => after(() => fileSystem.remove(at(path), options)),
    rename: (from, to) => after(() => fileSystem.rename(at(from), at(to))),
    symlink: (target, path) => after(() => fileSystem.link(target, at(path))),
    readlink: (path) => after(() => fileSystem.readLink(at(path))),
    realpath: (path) => after(() => fileSystem.realPath(at(path))),
    chmod: (path, mode) => after(() => fileSystem.change(at(path), { mode: mode & 0o7777 })),
    chown: (path, uid, gid) => after(() => fileSystem.change(at(path), { uid, gid })),
    utimes: (path, mtimeMs) => after(() => fileSystem.change(at(path), { mtimeMs })),
    watch: (path, options) =>
      watch(fileSystem, at(path), { step, signal: options?.signal === undefined ? ended : AbortSignal.any([ended, options.signal]) }),
  }
}

function statusOf(node: FileNode): FileStatus {
  const { kind, mode, uid, gid, mtimeMs } = node
  const size = node.kind === 'file' ? node.bytes.length : node.kind === 'link' ? node.target.length : 4096
  return { kind, size, mode, uid, gid, mtimeMs }
}

/** Names that wait for a reader who is slow: each once. */
async function* watch(
  fileSystem: FileSystem,
  path: string,
  { step, signal }: { readonly step: () => Promise<void>; readonly signal: AbortSignal },
): AsyncGenerator<string> {
  await step()
  const changed = new Set<string>()
  const news = new Signal()
  const stop = fileSystem.watch(path, (name) => {
    changed.add(name)
    news.raise()
  })
  try {
    while (!signal.aborted) {
      for (const name of changed) {
        changed.delete(name)
        yield name
      }
      await news.wait({ signal })
    }
  } finally {
    stop()
    await step()
  }
}
