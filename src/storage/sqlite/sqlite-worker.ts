/** The thread that waits for the disk: an entry point, started by `sqlite-store.ts`. */
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { nextTurn } from '../../base/turns.ts'
import type { JournalRecord } from '../journal.ts'
import { pack, packedBuffers, packedCount, unpack } from '../packed-records.ts'
import type { Revision } from '../store.ts'
import { LogDatabase, storeFile } from './database.ts'
import { faultOf } from './faults.ts'
import type { FromWorker, ToWorker, WorkerConfig } from './protocol.ts'

/** Rows are sent in chunks of this size: a value that is kept holds no more than its chunk in memory. */
const PARCEL_BYTES = 256 << 10
/** Maximum of bytes in one flush, so that no commit waits for long. */
const FLUSH_BYTES = 4 << 20
/** Garbage goes with the writes that pass by: so many records at least, and two for each one written. */
const SWEEP = 256

const port = parentPort
if (port === null) throw new Error('sqlite-worker is to be started as a worker thread')

const say = (message: FromWorker, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer)

function open(config: WorkerConfig): LogDatabase | undefined {
  const file = storeFile(config.folder)
  let db: LogDatabase | undefined
  try {
    db = new LogDatabase(config)
    say({ kind: 'found', compacted: db.compacted() })
    let parcel: JournalRecord[] = []
    let sizeBytes = 0
    const send = () => {
      const records = pack(parcel)
      say({ kind: 'rows', records }, packedBuffers(records))
      parcel = []
      sizeBytes = 0
    }
    for (const record of db.records()) {
      parcel.push(record)
      sizeBytes += record.entry?.sizeBytes ?? 0
      if (sizeBytes >= PARCEL_BYTES || parcel.length >= 1024) send()
    }
    if (parcel.length > 0) send()
    say({ kind: 'opened' })
    return db
  } catch (error) {
    say({ kind: 'refused', fault: faultOf(error, file, () => LogDatabase.owner(config.folder)) })
    db?.close()
    return undefined
  }
}

type Write = Extract<ToWorker, { kind: 'write' }>

/** Takes messages as they come, and makes all waiting ones durable with one flush. */
class Writer {
  readonly #db: LogDatabase
  readonly #file: string
  /** Epochs up to this one have failed; their later messages are void. */
  #failedEpoch = -1
  #compacted: Revision | undefined
  #garbage: Revision[] = []
  /** How much of the garbage is gone already. */
  #swept = 0
  #sweeping = false

  constructor(db: LogDatabase, file: string) {
    this.#db = db
    this.#file = file
  }

  /** Works until nothing waits; false after a close message. */
  work(first: ToWorker): boolean {
    let next: ToWorker | undefined = first
    while (next !== undefined) {
      const writes: Write[] = []
      let sizeBytes = 0
      while (next !== undefined && next.kind !== 'close') {
        if (next.kind === 'forget') this.#forget(next.compacted, next.garbage)
        else if (next.epoch > this.#failedEpoch) {
          writes.push(next)
          sizeBytes += next.records.values.byteLength
        }
        if (sizeBytes >= FLUSH_BYTES) break
        next = receive()
      }
      this.#flush(writes)
      if (next?.kind === 'close') return false
      next = receive()
    }
    this.#sweepLater()
    return true
  }

  #forget(compacted: Revision, garbage: Float64Array): void {
    this.#compacted = compacted
    for (const revision of garbage) this.#garbage.push(revision)
  }

  #flush(writes: readonly Write[]): void {
    const compacted = this.#compacted
    const waste = this.#garbage.length - this.#swept
    if (writes.length === 0 && compacted === undefined && waste === 0) return
    const written = writes.reduce((sum, { records }) => sum + packedCount(records), 0)
    const enough = Math.min(waste, Math.max(SWEEP, 2 * written))
    let last: Revision | undefined
    try {
      this.#db.transaction(() => {
        if (compacted !== undefined) this.#db.markCompacted(compacted)
        // Garbage first: when the disk is full, its room is what the writes need.
        for (let i = this.#swept; i < this.#swept + enough; i++) this.#db.remove(this.#garbage[i] ?? 0)
        for (const { records } of writes) {
          for (const record of unpack(records)) {
            this.#db.append(record)
            last = record.revision
          }
        }
      })
    } catch (error) {
      this.#fail(error, writes.at(-1)?.epoch)
      return
    }
    this.#compacted = undefined
    this.#swept += enough
    if (this.#swept === this.#garbage.length) {
      this.#garbage = []
      this.#swept = 0
    }
    if (last !== undefined) say({ kind: 'durable', revision: last })
  }

  #fail(error: unknown, epoch: number | undefined): void {
    const fault = faultOf(error, this.#file)
    // Sweeping alone can wait for better times.
    if (epoch === undefined && fault.code === 'full') return
    this.#failedEpoch = fault.code === 'full' && epoch !== undefined ? epoch : Number.POSITIVE_INFINITY
    say({ kind: 'failed', fault, broken: fault.code !== 'full' })
  }

  #sweepLater(): void {
    if (this.#sweeping || this.#garbage.length === 0) return
    this.#sweeping = true
    nextTurn(() => {
      this.#sweeping = false
      const before = this.#swept
      this.#flush([])
      if (this.#swept !== before) this.#sweepLater()
    })
  }
}

function receive(): ToWorker | undefined {
  // The other side of the port is ours.
  return port === null ? undefined : (receiveMessageOnPort(port)?.message as ToWorker | undefined)
}

// What the thread was started with is ours, too.
const config = workerData as WorkerConfig
const db = open(config)
if (db === undefined) port.close()
else {
  const writer = new Writer(db, storeFile(config.folder))
  port.on('message', (message: ToWorker) => {
    if (writer.work(message)) return
    try {
      db.close()
    } finally {
      say({ kind: 'closed' })
      port.close()
    }
  })
}
