import type { Worker } from 'node:worker_threads'
import type { Cancel, Clock } from '../../base/clock.ts'
import { nextTurn } from '../../base/turns.ts'
import type { Journal, JournalListener, JournalRecord } from '../journal.ts'
import { pack, packedBuffers } from '../packed-records.ts'
import { type Revision, StoreError } from '../store.ts'
import type { FromWorker, ToWorker } from './protocol.ts'

/** The event loop's side of the log: joins the records of a turn into one message, and passes on the worker's results. */
export class SqliteJournal implements Journal {
  readonly #worker: Worker
  readonly #clock: Clock
  readonly #listener: JournalListener
  readonly #exited: Promise<void>
  #waiting: JournalRecord[] = []
  #sending = false
  /** The latest record that was sent to the worker, while it is not durable. */
  #underway: Revision | undefined
  /** The number of failures we know of; by it the worker knows which messages were sent before the latest one. */
  #epoch = 0
  #closing = false
  /** Virtual time waits for the disk. */
  #release: Cancel | undefined

  constructor(worker: Worker, listener: JournalListener, clock: Clock) {
    this.#worker = worker
    this.#clock = clock
    this.#listener = listener
    const exited = Promise.withResolvers<void>()
    this.#exited = exited.promise
    worker.on('message', (message: FromWorker) => this.#hear(message))
    worker.on('error', (error: Error) =>
      this.#fail(new StoreError('io', `the store's writer crashed (${error.message}): start again`, { cause: error }), true),
    )
    worker.on('exit', () => {
      if (!this.#closing) this.#fail(new StoreError('io', "the store's writer ended by itself: start again"), true)
      exited.resolve()
    })
    worker.unref()
  }

  append(record: JournalRecord): void {
    this.#waiting.push(record)
    if (this.#sending) return
    this.#sending = true
    // After the poll phase: by then all requests of this turn have been received.
    nextTurn(() => this.#send())
  }

  forget(compacted: Revision, revisions: readonly Revision[]): void {
    const garbage = Float64Array.from(revisions)
    this.#post({ kind: 'forget', compacted, garbage }, [garbage.buffer])
  }

  async close(): Promise<void> {
    this.#closing = true
    this.#send()
    this.#worker.ref()
    this.#post({ kind: 'close' })
    await this.#exited
  }

  #send(): void {
    this.#sending = false
    const last = this.#waiting.at(-1)
    if (last === undefined) return
    const records = pack(this.#waiting)
    this.#waiting = []
    // A commit under way keeps the process alive; an idle store does not.
    if (this.#underway === undefined) {
      this.#worker.ref()
      this.#release = this.#clock.busy('the disk of the store')
    }
    this.#underway = last.revision
    this.#post({ kind: 'write', epoch: this.#epoch, records }, packedBuffers(records))
  }

  #post(message: ToWorker, transfer: ArrayBuffer[] = []): void {
    this.#worker.postMessage(message, transfer)
  }

  #hear(message: FromWorker): void {
    if (message.kind === 'durable') {
      if (message.revision === this.#underway) this.#rest()
      this.#listener.durable(message.revision)
    } else if (message.kind === 'failed') {
      this.#fail(new StoreError(message.fault.code, message.fault.message), message.broken)
    }
  }

  #fail(error: StoreError, broken: boolean): void {
    this.#epoch++
    this.#waiting = []
    this.#rest()
    this.#listener.failed(error, broken)
  }

  #rest(): void {
    this.#underway = undefined
    this.#release?.()
    if (!this.#closing) this.#worker.unref()
  }
}
