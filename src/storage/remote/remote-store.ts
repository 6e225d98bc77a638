import type { Duplex } from 'node:stream'
import type { Clock } from '../../base/clock.ts'
import { joinedCalls } from '../../base/joined-calls.ts'
import type { Logger } from '../../base/logger.ts'
import { messageOf } from '../../base/message-of.ts'
import { pause } from '../../base/pause.ts'
import { quiet, quietErrors } from '../../base/quiet.ts'
import { afterCallback } from '../../base/turns.ts'
import { CursorWatcher } from '../cursor-watcher.ts'
import { Forgetting } from '../forgetting.ts'
import { Keyspace } from '../keyspace.ts'
import { recordsOf } from '../record-bytes.ts'
import { replay } from '../replay.ts'
import { DEFAULT_RETENTION, type Retention } from '../retention.ts'
import {
  type Change,
  type Commit,
  type Entry,
  type LocalStore,
  type Proposal,
  type RangeOptions,
  type RangeResult,
  type Revision,
  StoreError,
  storeClosed,
  type Watcher,
} from '../store.ts'
import { FrameReader, frameBytes } from './frames.ts'
import type { FromStore, ToStore } from './messages.ts'

export interface RemoteStoreConfig {
  /** How long the first connection is tried for, and how long a question waits for a connection that was lost. */
  readonly patienceMs: number
  /** Between two tries to connect. */
  readonly retryMs: number
  /** How much of the past the copy holds. */
  readonly retention?: Retention
  /** Larger values are refused. Default 8 MiB. */
  readonly maxValueBytes?: number
}

export interface RemoteStoreDeps {
  readonly clock: Clock
  readonly log: Logger
  /** Opens a connection to the store. */
  readonly dial: () => Promise<Duplex>
}

type Reply = FromStore & { readonly current?: Entry }

/** A question under way. */
interface Question {
  readonly frame: Buffer
  /** The value of the put: the change that reports it has none. */
  readonly value: Uint8Array | undefined
  /** A request that was sent before the connection was lost may have been carried out: it cannot be repeated. */
  readonly repeatable: boolean
  sent: boolean
  readonly answered: Promise<Reply>
  resolve(answer: Reply): void
  reject(error: StoreError): void
}

const MAX_VALUE_BYTES = 8 << 20

/**
 * A store that lives in another process, with a copy of its keys in this one: writes are sent to it; reads use the copy when it has caught
 * up with the store's revision at the time of the read. Several servers may share one store. When the connection is lost it is opened
 * again, and the copy continues where it was; requests wait for that.
 * @throws {StoreError} `unavailable` if there is no response in time
 */
export async function openRemoteStore(config: RemoteStoreConfig, deps: RemoteStoreDeps): Promise<LocalStore> {
  const store = new RemoteStore(config, deps)
  try {
    await store.ready
    return store
  } catch (error) {
    await store[Symbol.asyncDispose]()
    throw error
  }
}

class RemoteStore implements LocalStore {
  /** The first copy is complete. */
  readonly ready: Promise<void>
  readonly #config: RemoteStoreConfig
  readonly #deps: RemoteStoreDeps
  readonly #stop = new AbortController()
  readonly #firstCopy = Promise.withResolvers<void>()
  readonly #running: Promise<void>
  readonly #questions = new Map<number, Question>()
  readonly #watchers = new Set<CursorWatcher>()
  readonly #forgetting: Forgetting
  /** Reads that wait for the copy to reach a revision. */
  #waiting: { readonly revision: Revision; readonly resolve: () => void }[] = []
  #keyspace = new Keyspace()
  #id = ''
  #asks = 0
  #peer: Duplex | undefined
  #complete = false
  readonly #askLatest = joinedCalls(async () => {
    const answer = await this.#ask((ask) => ({ kind: 'latest', ask }), { repeatable: true })
    return 'revision' in answer ? answer.revision : 0
  })
  #unusable: StoreError | undefined
  #closing = false
  #corked = false

  constructor(config: RemoteStoreConfig, deps: RemoteStoreDeps) {
    this.#config = config
    this.#deps = deps
    this.#forgetting = new Forgetting(config.retention ?? DEFAULT_RETENTION, {
      clock: deps.clock,
      keyspace: () => this.#keyspace,
      watchers: this.#watchers,
      compact: (revision) => this.#keyspace.compact(revision),
    })
    this.ready = this.#firstCopy.promise
    void quiet(this.ready, 'openRemoteStore waits for it')
    this.#running = this.#run()
  }

  get revision(): Revision {
    return this.#keyspace.revision
  }

  get compacted(): Revision {
    return this.#keyspace.compacted
  }

  async latest(): Promise<Revision> {
    this.#assertOpen()
    return this.#askLatest()
  }

  async get(key: string): Promise<Entry | undefined> {
    await this.#caughtUp()
    return this.#keyspace.get(key)
  }

  async range(prefix: string, options?: RangeOptions): Promise<RangeResult> {
    await this.#caughtUp()
    return this.#keyspace.range(prefix, options)
  }

  async commit(proposal: Proposal): Promise<Commit> {
    this.#assertOpen()
    const { key, value } = proposal
    const maxBytes = this.#config.maxValueBytes ?? MAX_VALUE_BYTES
    if (!key.isWellFormed()) throw new StoreError('bad-key', `the key ${JSON.stringify(key)} is not well-formed Unicode`)
    if (value !== undefined && value.byteLength > maxBytes)
      throw new StoreError('too-large', `the value of ${key} has ${value.byteLength} bytes; at most ${maxBytes} can be stored`)
    const answer = await this.#ask((ask) => proposalMessage(proposal, ask), { repeatable: false, ...(value !== undefined && { value }) })
    if (answer.kind === 'stored') {
      await this.#reached(answer.revision)
      return { kind: 'stored', revision: answer.revision }
    }
    if (answer.kind === 'conflict') await this.#reached(answer.revision)
    return { kind: 'conflict', current: answer.current }
  }

  watch(prefix: string, after: Revision): Watcher {
    // Reads use the copy of that time: a new connection may bring another one.
    const store = this
    const source = {
      get revision() {
        return store.#keyspace.revision
      },
      get compacted() {
        return store.#keyspace.compacted
      },
      changes: (under: string, from: Revision) => store.#keyspace.changes(under, from),
    }
    const watcher = new CursorWatcher(prefix, after, source, (ended) => this.#watchers.delete(ended))
    if (this.#closing || this.#unusable !== undefined) watcher.end(this.#unusable ?? storeClosed())
    else this.#watchers.add(watcher)
    return watcher
  }

  async compact(revision: Revision): Promise<void> {
    this.#assertOpen()
    const answer = await this.#ask((ask) => ({ kind: 'compact', ask, revision }), { repeatable: true })
    await this.#caughtUp()
    if (answer.kind === 'compacted' && answer.compacted > this.compacted) this.#keyspace.compact(answer.compacted)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing = true
    // Requests that were sent are awaited while a response is still possible.
    if (this.#complete) await Promise.allSettled([...this.#questions.values()].map((question) => question.answered))
    this.#stop.abort()
    this.#forgetting.stop()
    this.#end(storeClosed())
    this.#peer?.destroy()
    await this.#running
  }

  #assertOpen(): void {
    if (this.#closing) throw storeClosed()
    if (this.#unusable !== undefined) throw this.#unusable
  }

  async #caughtUp(): Promise<void> {
    await this.#reached(await this.latest())
  }

  #reached(revision: Revision): Promise<void> {
    if (this.revision >= revision || this.#unusable !== undefined) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push({ revision, resolve }))
  }

  #ask(message: (ask: number) => ToStore, { repeatable, value }: { repeatable: boolean; value?: Uint8Array }): Promise<Reply> {
    const ask = ++this.#asks
    const requested = Promise.withResolvers<Reply>()
    const question: Question = {
      frame: frameBytes(message(ask), value === undefined ? [] : [value]),
      value,
      repeatable,
      sent: false,
      answered: requested.promise,
      resolve: requested.resolve,
      reject: requested.reject,
    }
    this.#questions.set(ask, question)
    if (this.#complete) this.#send(question)
    else this.#expire(ask, question)
    return requested.promise
  }

  /** A request that waits for a connection fails after a while. */
  #expire(ask: number, question: Question): void {
    this.#deps.clock.after(this.#config.patienceMs, () => {
      if (question.sent || !this.#questions.delete(ask)) return
      question.reject(new StoreError('unavailable', `the store did not answer within ${this.#config.patienceMs} ms`))
    })
  }

  #send(question: Question): void {
    question.sent = true
    this.#write(question.frame)
  }

  /** All requests of one callback are written at once. */
  #write(frame: Buffer): void {
    const peer = this.#peer
    if (peer === undefined) return
    if (!this.#corked) {
      this.#corked = true
      peer.cork()
      afterCallback(() => {
        this.#corked = false
        peer.uncork()
      })
    }
    peer.write(frame)
  }

  /** Connects, again and again; ends when the store is closed or cannot continue. */
  async #run(): Promise<void> {
    const { clock, log } = this.#deps
    const giveUpAt = clock.monotonic() + this.#config.patienceMs
    while (this.#unusable === undefined) {
      try {
        const peer = await this.#deps.dial()
        if (this.#unusable !== undefined) peer.destroy()
        else await this.#talk(peer)
        log.warn('the connection to the store was lost')
      } catch (error) {
        log.debug('the store cannot be reached', { error })
        if (this.#id === '' && error instanceof StoreError && error.code === 'permission') this.#end(error)
        else if (this.#id === '' && clock.monotonic() >= giveUpAt) {
          const message = messageOf(error)
          this.#end(new StoreError('unavailable', `the store could not be reached: ${message}`, { cause: error }))
        }
      }
      if (this.#unusable === undefined) await pause(clock, this.#config.retryMs, this.#stop.signal)
    }
  }

  /** One connection, from its hello to its end. */
  #talk(peer: Duplex): Promise<void> {
    const reader = new FrameReader<FromStore>()
    this.#peer = peer
    this.#corked = false
    return new Promise((resolve) => {
      peer.on('data', (piece: Buffer) => {
        try {
          const changes: Change[] = []
          for (const { message, bytes } of reader.push(piece)) this.#hear(message, bytes, changes)
          this.#show(changes)
        } catch (error) {
          peer.destroy()
          this.#end(error instanceof StoreError ? error : new StoreError('damaged', 'what the store said cannot be read', { cause: error }))
        }
      })
      quietErrors(peer, 'the close event follows')
      peer.resume()
      peer.on('end', () => peer.destroy())
      peer.on('close', () => {
        this.#lost()
        resolve()
      })
      this.#write(
        frameBytes({ kind: 'hello', ...(this.#id !== '' && { have: { id: this.#id, revision: this.revision } }) } satisfies ToStore),
      )
    })
  }

  #lost(): void {
    this.#peer = undefined
    this.#complete = false
    for (const [ask, question] of this.#questions) {
      if (!question.sent) continue
      if (question.repeatable) {
        question.sent = false
        this.#expire(ask, question)
        continue
      }
      this.#questions.delete(ask)
      question.reject(
        new StoreError('unavailable', 'the connection to the store was lost before it answered: what was asked may have been done'),
      )
    }
  }

  #hear(message: FromStore, bytes: Buffer, changes: Change[]): void {
    if (message.kind === 'welcome') this.#welcome(message)
    else if (message.kind === 'entries') for (const record of recordsOf(bytes)) this.#keyspace.applyCompacted(record.key, record.entry)
    else if (message.kind === 'changes') {
      const own = new Map(message.own)
      for (const [place, { revision, key, entry }] of recordsOf(bytes).entries()) {
        const ask = own.get(place)
        const value = ask === undefined ? undefined : this.#questions.get(ask)?.value
        const change = replay({ revision, key, entry: entry && value ? { ...entry, value } : entry }, this.#keyspace)
        if (change !== undefined) changes.push(change)
      }
    } else if (message.kind === 'complete') {
      this.#complete = true
      this.#firstCopy.resolve()
      for (const question of this.#questions.values()) if (!question.sent) this.#send(question)
    } else {
      const question = this.#questions.get(message.ask)
      this.#questions.delete(message.ask)
      if (message.kind === 'failed') question?.reject(new StoreError(message.code, message.message))
      else if (message.kind === 'conflict') {
        const [current] = recordsOf(bytes)
        question?.resolve({ ...message, ...(current?.entry && { current: current.entry }) })
      } else question?.resolve(message)
    }
  }

  #welcome({ id, compacted, resumed }: Extract<FromStore, { kind: 'welcome' }>): void {
    if (resumed) return
    if (this.#id !== '')
      throw new StoreError(
        'io',
        'the store that answers is another, or has lost what it had acknowledged: this server must be started again',
      )
    this.#id = id
    this.#keyspace = new Keyspace(compacted)
  }

  /** Applies new changes to the copy. */
  #show(changes: readonly Change[]): void {
    if (changes.length === 0) return
    for (const watcher of this.#watchers) watcher.wake(changes)
    this.#forgetting.grown()
    const reached = this.#waiting.filter(({ revision }) => revision <= this.revision)
    if (reached.length === 0) return
    this.#waiting = this.#waiting.filter(({ revision }) => revision > this.revision)
    for (const { resolve } of reached) resolve()
  }

  #end(error: StoreError): void {
    if (this.#unusable !== undefined) return
    this.#unusable = error
    this.#firstCopy.reject(error)
    for (const question of this.#questions.values()) question.reject(error)
    this.#questions.clear()
    for (const { resolve } of this.#waiting.splice(0)) resolve()
    for (const watcher of this.#watchers) watcher.end(error)
  }
}

function proposalMessage({ key, value, expect, ...rest }: Proposal, ask: number): ToStore {
  const revision = 'revision' in expect ? expect.revision : 0
  if (value === undefined) {
    if (revision === 0) throw new TypeError(`a deletion names the revision that it deletes; that of ${key} does not`)
    return { kind: 'delete', ask, key, expect: revision }
  }
  return { kind: 'put', ask, key, expect: revision, ...('ttlMs' in rest && rest.ttlMs !== undefined && { ttlMs: rest.ttlMs }) }
}
