import { renameSync } from 'node:fs'
import { hasCode } from '../../base/has-code.ts'
import { messageOf } from '../../base/message-of.ts'
import { afterCallback, nextTurn } from '../../base/turns.ts'
import type { Journal, JournalListener, JournalRecord } from '../journal.ts'
import type { Keyspace } from '../keyspace.ts'
import { changedKey } from '../keyspace.ts'
import { StoreError } from '../store.ts'
import { LogFile, type LogHead } from './log-file.ts'

/** A log is rewritten when it has grown to so many times its size after the last rewrite, and to so many bytes at least. */
const GROWTH = 4
const SMALLEST = 64 << 20
/** So many records are copied in one turn of the event loop. */
const SLICE = 512

export interface FileJournalConfig {
  readonly path: string
  readonly head: LogHead
  /** Wait for the disk; without, for the system alone: what was acknowledged outlives this process, not the machine. */
  readonly sync: boolean
  readonly smallestBytes?: number
}

/** Commits in a file that grows at its end; what was committed in one callback is one write. */
export class FileJournal implements Journal {
  readonly #config: FileJournalConfig
  readonly #keyspace: Keyspace
  readonly #listener: JournalListener
  #file: LogFile
  #limit: number
  #waiting: JournalRecord[] = []
  #scheduled = false
  #syncing: Promise<void> | undefined
  /** What was written since the copy under way was begun. */
  #since: JournalRecord[] | undefined
  #broken = false
  #closed = false

  constructor(
    config: FileJournalConfig,
    deps: { readonly file: LogFile; readonly keyspace: Keyspace; readonly listener: JournalListener },
  ) {
    this.#config = config
    this.#file = deps.file
    this.#keyspace = deps.keyspace
    this.#listener = deps.listener
    this.#limit = this.#limitOf(deps.file.sizeBytes)
  }

  append(record: JournalRecord): void {
    this.#waiting.push(record)
    if (this.#scheduled || this.#syncing !== undefined) return
    this.#scheduled = true
    afterCallback(() => {
      this.#scheduled = false
      this.#flush()
    })
  }

  forget(): void {
    // While the disk is waited for, there are records that the keyspace does not show yet.
    if (this.#file.sizeBytes > this.#limit && this.#since === undefined && this.#syncing === undefined && !this.#broken) {
      this.#since = []
      const { compacted } = this.#keyspace
      const before = this.#keyspace
        .range('', { revision: compacted })
        .entries.map((entry) => ({ revision: entry.revision, key: entry.key, entry }))
      const changed = this.#keyspace.changes('', compacted).map((change) => ({
        revision: change.revision,
        key: changedKey(change),
        entry: change.kind === 'put' ? change.entry : undefined,
      }))
      const copy = LogFile.create(`${this.#config.path}.new`, { ...this.#config.head, compacted })
      this.#copy(copy, [...before, ...changed])
    }
  }

  async close(): Promise<void> {
    await this.#syncing
    this.#flush()
    await this.#syncing
    this.#closed = true
    this.#file.close()
  }

  #flush(): void {
    const records = this.#waiting
    const last = records.at(-1)
    if (last === undefined || this.#closed) return
    this.#waiting = []
    try {
      this.#file.append(records)
    } catch (error) {
      return void this.#fail(error, false)
    }
    this.#since?.push(...records)
    if (!this.#config.sync) return void this.#listener.durable(last.revision)
    this.#syncing = new Promise((resolve) =>
      this.#file.sync((error) => {
        this.#syncing = undefined
        if (error === null) this.#listener.durable(last.revision)
        else this.#fail(error, true)
        if (!this.#broken) this.#flush()
        resolve()
      }),
    )
  }

  /** After a failed flush the content of the disk is unknown; a write that failed because the disk was full wrote nothing. */
  #fail(error: unknown, unknown: boolean): void {
    const code = hasCode(error, 'ENOSPC', 'EDQUOT') ? 'full' : 'io'
    const message = messageOf(error)
    this.#broken = unknown || code === 'io'
    this.#waiting = []
    this.#listener.failed(new StoreError(code, `${this.#config.path} cannot be written: ${message}`, { cause: error }), this.#broken)
  }

  /** Copies the live records, a slice a turn, then the later ones, and replaces the log by the copy. */
  #copy(copy: LogFile, records: readonly JournalRecord[], from = 0): void {
    if (this.#closed) return void copy.close()
    try {
      if (from < records.length) {
        copy.append(records.slice(from, from + SLICE))
        return void nextTurn(() => this.#copy(copy, records, from + SLICE))
      }
      // A pending flush must finish on the old file.
      if (this.#syncing !== undefined) return void this.#syncing.then(() => this.#copy(copy, records, from))
      const since = this.#since ?? []
      for (let at = 0; at < since.length; at += SLICE) copy.append(since.slice(at, at + SLICE))
      if (this.#config.sync) copy.syncNow()
      renameSync(`${this.#config.path}.new`, this.#config.path)
      this.#file.close()
      this.#file = copy
      this.#limit = this.#limitOf(copy.sizeBytes)
    } catch {
      // No room for a copy: the log grows on, and is copied when it has grown as much again.
      this.#limit = this.#limitOf(this.#file.sizeBytes)
      copy.close()
    }
    this.#since = undefined
  }

  #limitOf(sizeBytes: number): number {
    return Math.max(this.#config.smallestBytes ?? SMALLEST, sizeBytes * GROWTH)
  }
}
