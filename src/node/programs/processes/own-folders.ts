import { lstatSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { hasCode } from '../../../base/has-code.ts'
import { withoutLinks } from './host-entries.ts'

/** Folders of processes on this machine. Those that a killed cluster has left behind are removed by the next one. */
export class OwnFolders {
  readonly #parent: string
  /** Process ids are those of one namespace; containers may share a folder for temporary files. */
  readonly #prefix: string

  constructor(parent: string = os.tmpdir()) {
    this.#parent = withoutLinks(parent)
    this.#prefix = `bowsprit-process-${pidNamespace()}-`
    this.#removeLeft()
  }

  make(): string {
    return mkdtempSync(path.join(this.#parent, `${this.#prefix}${process.pid}-`))
  }

  #removeLeft(): void {
    for (const name of readdirSync(this.#parent)) {
      const pid = name.startsWith(this.#prefix) ? Number.parseInt(name.slice(this.#prefix.length), 10) : Number.NaN
      const folder = path.join(this.#parent, name)
      // Other users' folders cannot be removed, and need not be.
      if (!Number.isNaN(pid) && !runs(pid) && isOwn(folder)) removeFolder(folder)
    }
  }
}

/** What a process that was just killed still writes is waited for. */
export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 10 })
}

const isOwn = (folder: string) => lstatSync(folder, { throwIfNoEntry: false })?.uid === process.getuid?.()

function pidNamespace(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0'
  } catch {
    return '0'
  }
}

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return !hasCode(error, 'ESRCH')
  }
}
