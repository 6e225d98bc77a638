import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import { messageOf } from '../../base/message-of.ts'
import { quietErrors } from '../../base/quiet.ts'
import { afterCallback } from '../../base/turns.ts'
import type { JournalRecord } from '../journal.ts'
import { changedKey } from '../keyspace.ts'
import { recordBytes } from '../record-bytes.ts'
import { type Change, type Entry, type LocalStore, type Proposal, type Revision, StoreError, type Watcher } from '../store.ts'
import { FrameReader, frameBytes } from './frames.ts'
import type { FromStore, ToStore } from './messages.ts'

/** A store that others may share, with a name by which they know it again. */
export interface SharedStore extends LocalStore {
  readonly id: string
}

/** A message, and the records that follow it. */
type EncodedReply = readonly [FromStore, (readonly Uint8Array[])?]

/** A batch of records ends when it has so many bytes of values. */
const BATCH_BYTES = 1 << 20

/** Serves one client over one connection; resolves when it has ended. What the client does not read waits in the store's own past. */
export async function serveStore(store: SharedStore, peer: Duplex): Promise<void> {
  const session = new Session(store, peer)
  await session.ended
}

class Session {
  readonly ended: Promise<void>
  readonly #store: SharedStore
  readonly #peer: Duplex
  readonly #reader = new FrameReader<ToStore>()
  /** Values that this client is putting: it need not be sent them. */
  readonly #own = new Map<Uint8Array, number>()
  #watcher: Watcher | undefined
  #corked = false

  constructor(store: SharedStore, peer: Duplex) {
    this.#store = store
    this.#peer = peer
    const ended = Promise.withResolvers<void>()
    this.ended = ended.promise
    peer.on('data', (piece: Buffer) => this.#hear(piece))
    quietErrors(peer, 'the close event follows')
    peer.on('end', () => peer.end())
    peer.on('close', () => {
      void this.#watcher?.[Symbol.asyncDispose]()
      ended.resolve()
    })
  }

  #hear(piece: Buffer): void {
    try {
      for (const { message, bytes } of this.#reader.push(piece)) this.#answer(message, bytes)
    } catch {
      this.#peer.destroy()
    }
  }

  #answer(message: ToStore, bytes: Buffer): void {
    if (message.kind === 'hello') {
      this.#feed(message).catch(() => this.#peer.destroy())
      return
    }
    const { ask } = message
    this.#reply(message, bytes)
      .catch((error: unknown): EncodedReply => {
        const code = error instanceof StoreError ? error.code : 'io'
        return [{ kind: 'failed', ask, code, message: messageOf(error) }]
      })
      .then(([answer, parts]) => this.#send(answer, parts))
  }

  async #reply(message: Exclude<ToStore, { kind: 'hello' }>, bytes: Buffer): Promise<EncodedReply> {
    const { ask } = message
    if (message.kind === 'latest') return [{ kind: 'latest', ask, revision: await this.#store.latest() }]
    if (message.kind === 'compact') {
      await this.#store.compact(message.revision)
      return [{ kind: 'compacted', ask, compacted: this.#store.compacted }]
    }
    const result = await this.#commit(message, bytes)
    if (result.kind === 'stored') return [{ kind: 'stored', ask, revision: result.revision }]
    const { current } = result
    const records = current === undefined ? [] : [{ revision: current.revision, key: current.key, entry: current }]
    return [{ kind: 'conflict', ask, revision: this.#store.revision }, recordBytes(records)]
  }

  async #commit(message: Extract<ToStore, { kind: 'put' | 'delete' }>, bytes: Buffer) {
    const { key, expect: revision } = message
    if (message.kind === 'delete') return this.#store.commit({ key, expect: { revision }, value: undefined })
    // A copy: what came in one piece with this would be kept with it.
    const value = Buffer.from(bytes)
    const expect: Proposal['expect'] = revision === 0 ? { absent: true } : { revision }
    this.#own.set(value, message.ask)
    try {
      return await this.#store.commit({ key, expect, value, ...(message.ttlMs !== undefined && { ttlMs: message.ttlMs }) })
    } finally {
      this.#own.delete(value)
    }
  }

  /** Sends the current entries, then the changes. */
  async #feed({ have }: Extract<ToStore, { kind: 'hello' }>): Promise<void> {
    if (this.#watcher !== undefined) throw new Error('a client says hello once')
    const { id, compacted, revision } = this.#store
    const resumed = have !== undefined && have.id === id && have.revision >= compacted && have.revision <= revision
    const from = resumed ? have.revision : compacted
    this.#watcher = this.#store.watch('', from)
    this.#send({ kind: 'welcome', id, compacted: from, resumed })
    if (!resumed) for (const batch of batches(await this.#stateAt(compacted), (e) => e.sizeBytes)) await this.#sendEntries(batch)
    if (from === revision) this.#send({ kind: 'complete', revision })
    let complete = from === revision
    for await (const changes of this.#watcher.changes) {
      for (const batch of batches(changes, valueBytes)) await this.#sendChanges(batch)
      const last = changes.at(-1)
      if (complete || last === undefined || last.revision < revision) continue
      complete = true
      this.#send({ kind: 'complete', revision: last.revision })
    }
    this.#peer.end()
  }

  async #stateAt(revision: Revision): Promise<readonly Entry[]> {
    return (await this.#store.range('', { revision })).entries
  }

  #sendEntries(entries: readonly Entry[]): Promise<void> {
    return this.#sendRecords(
      { kind: 'entries' },
      entries.map((entry) => ({ revision: entry.revision, key: entry.key, entry })),
    )
  }

  #sendChanges(changes: readonly Change[]): Promise<void> {
    const own: [number, number][] = []
    const records = changes.map((change, place): JournalRecord => {
      if (change.kind === 'delete') return { revision: change.revision, key: changedKey(change), entry: undefined }
      const ask = this.#own.get(change.entry.value)
      if (ask === undefined) return { revision: change.revision, key: change.entry.key, entry: change.entry }
      own.push([place, ask])
      return { revision: change.revision, key: change.entry.key, entry: { ...change.entry, value: NOTHING } }
    })
    return this.#sendRecords({ kind: 'changes', own }, records)
  }

  async #sendRecords(message: FromStore, records: readonly JournalRecord[]): Promise<void> {
    this.#send(message, recordBytes(records))
    if (this.#peer.writableNeedDrain && !this.#peer.destroyed) await Promise.race([once(this.#peer, 'drain'), once(this.#peer, 'close')])
  }

  /** All messages of one callback are written at once. */
  #send(message: FromStore, parts: readonly Uint8Array[] = []): void {
    if (this.#peer.destroyed || this.#peer.writableEnded) return
    if (!this.#corked) {
      this.#corked = true
      this.#peer.cork()
      afterCallback(() => {
        this.#corked = false
        this.#peer.uncork()
      })
    }
    if (!this.#peer.write(frameBytes(message, parts)) && !this.#peer.isPaused()) this.#readAgainAfterDrain()
  }

  /** A client that does not read its responses is not read: they would fill the memory. */
  #readAgainAfterDrain(): void {
    this.#peer.pause()
    this.#peer.once('drain', () => this.#peer.resume())
  }
}

const NOTHING = new Uint8Array(0)

const valueBytes = (change: Change) => (change.kind === 'put' ? change.entry.sizeBytes : 0)

function* batches<T>(items: readonly T[], bytesOf: (item: T) => number): Generator<readonly T[], void> {
  let batch: T[] = []
  let bytes = 0
  for (const item of items) {
    batch.push(item)
    bytes += bytesOf(item)
    if (bytes < BATCH_BYTES) continue
    yield batch
    batch = []
    bytes = 0
  }
  if (batch.length > 0) yield batch
}
