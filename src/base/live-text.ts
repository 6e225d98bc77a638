import { type FSWatcher, readFileSync, watch } from 'node:fs'
import path from 'node:path'
import { quietErrors } from './quiet.ts'
import { readText } from './read-text.ts'

/** A text that may change while a program runs: what a file holds, or a fixed one. */
export interface LiveText {
  /** As it was read last. */
  current(): string
  /** Calls `changed` with each new text, until the result is disposed of. A file that cannot be read keeps its last text. */
  watch(changed: (text: string) => void): Disposable
}

/** A text that never changes. */
export const fixedText = (text: string): LiveText => ({ current: () => text, watch: () => ({ [Symbol.dispose]() {} }) })

/**
 * The text of a file, read now (what fails is thrown). Watched by its folder, so that a file that is replaced by renaming, or that is
 * reached by links which are renamed (as mounted config maps are), is followed too.
 */
export function liveFile(file: string): LiveText {
  let text = readFileSync(file, 'utf8')
  return {
    current: () => text,
    watch(changed) {
      const look = () => {
        const now = readText(file)
        if (now === undefined || now === text) return
        text = now
        changed(now)
      }
      let watcher: FSWatcher | undefined
      try {
        watcher = watch(path.dirname(file), { persistent: false }, look)
        quietErrors(watcher, 'the file is read again every so often as well')
      } catch {
        // A folder that cannot be watched is one whose files do not change for us.
      }
      look()
      return { [Symbol.dispose]: () => watcher?.close() }
    },
  }
}
