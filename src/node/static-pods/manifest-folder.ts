import { readdirSync, readFileSync, statSync, watch } from 'node:fs'
import path from 'node:path'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { messageOf } from '../../base/message-of.ts'
import { Signal } from '../../base/signal.ts'
import { withoutTrailing } from '../../base/without-trailing.ts'
import type { Pod } from '../types/pod.ts'
import type { ManifestSource } from './manifest-source.ts'
import { MAX_MANIFEST_BYTES, readStaticPod } from './read-manifest.ts'

export interface FolderOptions {
  /** A folder of manifests, or one manifest. It may come into being later. */
  readonly path: string
  readonly node: string
  /** How often it is read, beside what the system tells of changes. */
  readonly periodMs: number
}

export interface FolderDeps {
  readonly clock: Clock
  readonly log: Logger
  /** Calls `changed` when something may have changed there, until it is closed. Default: what the system tells. */
  readonly watchFolder?: (folder: string, changed: () => void) => { close(): void }
}

/**
 * Manifests in a folder: one pod a file, in the order of their names; names with a leading dot, folders and what is no file are passed
 * over. A file that cannot be used gives no pod; one that was good until a moment ago keeps its pod until the folder is next read at its
 * pace (an editor may be writing it).
 */
export function manifestFolder(options: FolderOptions, deps: FolderDeps): ManifestSource {
  const { clock, log } = deps
  const folder = withoutTrailing(options.path, '/') || options.path.slice(0, 1)
  /** By file: what it held when it was last good, and what was last said against it. */
  const good = new Map<string, Pod>()
  const faults = new Map<string, string>()

  function podOf(file: string, lenient: boolean): Pod | undefined {
    try {
      if (statSync(file).size > MAX_MANIFEST_BYTES) throw new Error(`it has more than ${MAX_MANIFEST_BYTES} bytes`)
      const pod = readStaticPod(readFileSync(file, 'utf8'), { kind: 'file', place: file, node: options.node })
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
    async run(tell, signal) {
      const changed = new Signal()
      const watcher = (deps.watchFolder ?? watchWithSystem)(folder, () => changed.raise())
      try {
        for (let woken: string = 'late'; !signal.aborted; ) {
          const pods = read(woken === 'raised')
          if (pods !== undefined) tell(pods)
          woken = await changed.wait({ clock, untilMs: clock.now() + options.periodMs, signal })
        }
      } finally {
        watcher.close()
      }
    },
  }
}

/** The files to read; none where nothing is there; undefined where that cannot be told. */
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
    return false // it has gone meanwhile
  }
}

/** Follows the folder, or, where the place is a file or is not there yet, the folder it lies in. */
function watchWithSystem(folder: string, changed: () => void): { close(): void } {
  const open = (place: string) => watch(place, { persistent: false }, changed).on('error', () => {})
  const watched = [path.dirname(folder), folder].flatMap((place) => {
    try {
      return [open(place)]
    } catch {
      return [] // it is read at its pace all the same
    }
  })
  return { close: () => watched.forEach((w) => void w.close()) }
}
