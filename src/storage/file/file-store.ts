import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Clock } from '../../base/clock.ts'
import { codeOf, hasCode } from '../../base/has-code.ts'
import { makeFolder } from '../../base/make-folder.ts'
import { messageOf } from '../../base/message-of.ts'
import type { Random } from '../../base/random.ts'
import { Engine, type EngineConfig } from '../engine.ts'
import { Keyspace } from '../keyspace.ts'
import { replay } from '../replay.ts'
import { type LocalStore, StoreError } from '../store.ts'
import { FileJournal, type FileJournalConfig } from './file-journal.ts'
import { LogFile, type LogHead } from './log-file.ts'

export interface FileStoreConfig extends EngineConfig {
  /** Created if it does not exist. One process at a time can use it. */
  readonly folder: string
  /**
   * Wait for the disk before a commit is acknowledged. Without it, acknowledged commits survive the end of the process but not of the
   * machine.
   */
  readonly sync: boolean
  /** A log below this size is never rewritten. Default 64 MiB. */
  readonly smallestBytes?: number
}

/** The one file of the folder that holds the store. */
export const LOG_NAME = 'store.log'

/** A store in a file, with a name of its own. */
export interface FileStore extends LocalStore {
  /** Given when the store was made; that of another folder is another. */
  readonly id: string
}

/**
 * Opens a store in a folder: one file, read once, written to at its end; no thread, no library. What serves one machine's tests begins in a
 * millisecond with it. Fails with a `StoreError`: `locked`, `damaged`, `permission`, `full` or `io`.
 */
export function openFileStore(config: FileStoreConfig, deps: { readonly clock: Clock; readonly random: Random }): FileStore {
  const folder = path.resolve(config.folder)
  const file = path.join(folder, LOG_NAME)
  try {
    makeFolder(folder, 0o700)
    const release = takeLock(path.join(folder, 'owner'))
    try {
      return new FileEngine(config, { clock: deps.clock, ...load(file, () => deps.random.uuid()), release })
    } catch (error) {
      release()
      throw error
    }
  } catch (error) {
    throw faultOf(error, folder)
  }
}

interface Loaded {
  readonly file: LogFile
  readonly head: LogHead
  readonly path: string
  readonly keyspace: Keyspace
}

class FileEngine extends Engine implements FileStore {
  readonly id: string
  readonly #release: () => void

  constructor(config: FileStoreConfig, deps: Loaded & { readonly clock: Clock; readonly release: () => void }) {
    const { file, keyspace, head } = deps
    const journal: FileJournalConfig = {
      path: deps.path,
      head,
      sync: config.sync,
      ...(config.smallestBytes !== undefined && { smallestBytes: config.smallestBytes }),
    }
    super(config, {
      clock: deps.clock,
      keyspace,
      openJournal: (listener) => new FileJournal(journal, { file, keyspace, listener }),
    })
    this.id = head.id
    this.#release = deps.release
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]()
    this.#release()
  }
}

function load(file: string, newId: () => string): Loaded {
  if (!existsSync(file)) {
    const head = { id: newId(), compacted: 1 }
    return { file: LogFile.create(file, head), head, path: file, keyspace: new Keyspace() }
  }
  let head: LogHead = { id: '', compacted: 1 }
  let keyspace = new Keyspace()
  const opened = LogFile.open(file, {
    begin(found) {
      head = found
      keyspace = new Keyspace(found.compacted)
    },
    hear: (records) => {
      for (const record of records) replay(record, keyspace)
    },
  })
  return { file: opened, head, path: file, keyspace }
}

/**
 * The file names the process that uses the folder. The lock of a dead process is taken over; if the system has given its number to another
 * process, the start time differs.
 */
function takeLock(file: string): () => void {
  const owner = existsSync(file) ? readFileSync(file, 'utf8').trim() : ''
  const [pid = '', birth = ''] = owner.split(' ')
  if (pid !== '' && Number(pid) !== process.pid && isAlive(Number(pid)) && (birth === '' || birthOf(pid) === birth))
    throw new StoreError('locked', `the folder ${path.dirname(file)} belongs to process ${pid}: stop it, or choose another folder`)
  writeFileSync(file, `${process.pid} ${birthOf('self')}\n`, { mode: 0o600 })
  return () => rmSync(file, { force: true })
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return hasCode(error, 'EPERM')
  }
}

/** The start time of a process, in the system's ticks; '' if the system does not report it. */
function birthOf(pid: string): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  } catch {
    return ''
  }
}

function faultOf(error: unknown, folder: string): StoreError {
  if (error instanceof StoreError) return error
  const message = messageOf(error)
  const code = codeOf(error)
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return new StoreError('permission', `the folder ${folder} cannot be written: ${message}`, { cause: error })
  if (code === 'ENOSPC') return new StoreError('full', `there is no room in ${folder}: ${message}`, { cause: error })
  if (code !== undefined) return new StoreError('io', `the store in ${folder} cannot be opened: ${message}`, { cause: error })
  return new StoreError('damaged', `the store in ${folder} cannot be read: ${message}; start with another folder`, { cause: error })
}
