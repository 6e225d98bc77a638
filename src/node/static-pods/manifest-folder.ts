import { readdirSync, readFileSync, statSync, watch } from 'node:fs'
import path from 'node:path'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { messageOf } from '../../base/message-of.ts'
import { quietErrors } from '../../base/quiet.ts'
import { Signal } from '../../base/signal.ts'
import { withoutTrailing } from '../../base/without-trailing.ts'
import type { Pod } from '../types/pod.ts'
import type { ManifestSource } from './manifest-source.ts'
import { MAX_MANIFEST_BYTES, ManifestError, readStaticPod } from './read-manifest.ts'

export interface FolderOptions {
  /** A folder of manifests, or one manifest. It may be created later. */
  readonly path: string
  readonly node: string
  /** The polling interval, in addition to file system events. */
  readonly periodMs: number
}

export interface FolderDeps {
  readonly clock: Clock
  readonly log: Logger
  /** Calls `changed` when something may have changed, until it is closed. Default: file system events. */
  readonly watchFolder?: (folder: string, changed: () => void) => { close(): void }
}

/**
 * Manifests in a folder: one pod per file, sorted by name; hidden files, folders and special files are ignored. An invalid file gives no
 * pod, but a file that was valid before keeps its pod until the next poll (an editor may be writing it).
 */
export function manifestFolder(options: FolderOptions, deps: FolderDeps): ManifestSource {
  const { clock, log } = deps
  const folder = withoutTrailing(options.path, '/') || options.path.slice(0, 1)
  /** By file: its last valid pod, and the last reported error. */
  const good = new Map<string, Pod>()
  const faults = new Map<string, string>()

  function podOf(file: string, lenient: boolean): Pod | undefined {
    try {
      if (statSync(file).size > MAX_MANIFEST_BYTES) throw new ManifestError('unreadable', `it has more than ${MAX_MANIFEST_BYTES} bytes`)
      const pod = readStaticPod(readFileSync(file, 'utf8'), { kind: 'file', source: file, node: options.node })
      faults.delete(file)
      good.set(file, pod)
      return pod
    } catch (error) {
      const message = messageOf(error)
      if (faults.get(file) !== message) log.error('a manifest of a static pod cannot be used', { file, error: message })
      faults.set(file, message)
      if (lenient) return good.get(file)
      good.delete(file)
      return undefined
    }
  }

  function read(lenient: boolean): readonly Pod[] | undefined {
    const files = manifestsIn(folder)
    if (files === undefined) return undefined
    for (const known of [good, faults]) for (const file of known.keys()) if (!files.includes(file)) known.delete(file)
    return files.flatMap((file) => podOf(file, lenient) ?? [])
  }

  return {
    async run(notify, signal) {
      const changed = new Signal()
      const watcher = (deps.watchFolder ?? watchWithSystem)(folder, () => changed.raise())
      try {
        for (let woken: string = 'late'; !signal.aborted; ) {
          const pods = read(woken === 'raised')
          if (pods !== undefined) notify(pods)
          woken = await changed.wait({ clock, untilMs: clock.now() + options.periodMs, signal })
        }
      } finally {
        watcher.close()
      }
    },
  }
}

/** The files to read; none if the path does not exist; undefined if that cannot be determined. */
function manifestsIn(folder: string): readonly string[] | undefined {
  try {
    if (statSync(folder).isFile()) return [folder]
    const names = readdirSync(folder)
      .filter((name) => !name.startsWith('.'))
      .sort()
    return names.map((name) => path.join(folder, name)).filter((file) => isFile(file))
  } catch (error) {
    return ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '') ? [] : undefined
  }
}

function isFile(file: string): boolean {
  try {
    return statSync(file).isFile()
  } catch {
    return false // it was removed meanwhile
  }
}

/** Watches the folder; if the path is a file or does not exist yet, its parent. */
function watchWithSystem(folder: string, changed: () => void): { close(): void } {
  const open = (watchedPath: string) => quietErrors(watch(watchedPath, { persistent: false }, changed), 'polling still works')
  const watched = [path.dirname(folder), folder].flatMap((watchedPath) => {
    try {
      return [open(watchedPath)]
    } catch {
      return [] // polling still works
    }
  })
  return { close: () => watched.forEach((w) => void w.close()) }
}
