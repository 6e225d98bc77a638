import type { Clock } from '../../base/clock.ts'
import { pause } from '../../base/pause.ts'
import { GrpcError } from '../../sdk/grpc/grpc-error.ts'
import { type Change, type Revision, StoreError, type Watcher } from '../store.ts'
import type { EtcdConnection } from './etcd-connection.ts'
import { changeOf } from './etcd-entry.ts'
import type { GrpcStream } from './grpc/grpc-stream.ts'
import type { KeyPrefix } from './key-prefix.ts'
import { type WatchRequest, type WatchResponse, watchCreate, watchRequest, watchResponse } from './messages.ts'
import { WATCH_PATH } from './methods.ts'

export interface EtcdWatcherInit {
  readonly connection: EtcdConnection
  readonly clock: Clock
  readonly prefix: KeyPrefix
  /** All keys that begin with this one. */
  readonly under: string
  readonly after: Revision
  readonly onEnd: (watcher: EtcdWatcher) => void
}

/** Between two tries to open the stream again. */
const RETRY_MS = 100

/** A watch of etcd. When its stream is lost, another one continues behind the last change that was delivered. */
export class EtcdWatcher implements Watcher {
  readonly changes: AsyncIterable<readonly Change[]>
  readonly #init: EtcdWatcherInit
  readonly #stop = new AbortController()
  #reached: Revision
  #stream: GrpcStream<WatchRequest, WatchResponse> | undefined
  #end: { error?: StoreError } | undefined
  #reading = false

  constructor(init: EtcdWatcherInit) {
    this.#init = init
    this.#reached = init.after
    const batches = this.#batches()
    this.changes = {
      [Symbol.asyncIterator]: () => ({
        next: () => this.#next(batches),
        return: async () => {
          this.end()
          return { done: true, value: undefined }
        },
      }),
    }
  }

  get reached(): Revision {
    return this.#reached
  }

  /** Asks etcd how far this watch has come; the response is an empty batch. */
  requestProgress(): void {
    this.#stream?.send(watchRequest.of({ progress: {} }))
  }

  /** Ends the iteration, with an error if there is one. */
  end(error?: StoreError): void {
    if (this.#end !== undefined) return
    this.#end = error === undefined ? {} : { error }
    this.#stop.abort()
    this.#stream?.[Symbol.dispose]()
    this.#init.onEnd(this)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.end()
  }

  async #next(batches: AsyncGenerator<readonly Change[], undefined>): Promise<IteratorResult<readonly Change[], undefined>> {
    if (this.#reading) throw new TypeError('a watcher has one consumer, and one next() at a time')
    this.#reading = true
    try {
      return await batches.next()
    } finally {
      this.#reading = false
    }
  }

  async *#batches(): AsyncGenerator<readonly Change[], undefined> {
    const { connection, clock } = this.#init
    for (;;) {
      if (this.#end !== undefined) return this.#throwEnd()
      try {
        using stream = await connection.stream(WATCH_PATH, watchRequest, watchResponse)
        if (this.#end !== undefined) continue
        this.#stream = stream
        this.#create(stream)
        for (let responses = await stream.read(); responses !== undefined; responses = await stream.read()) {
          const batch = this.#joined(responses)
          if (batch !== undefined) yield batch
        }
      } catch (error) {
        if (error instanceof StoreError) this.end(error)
        else if (!(error instanceof GrpcError)) throw error
        // A lost stream is opened again.
      }
      if (this.#end === undefined) await pause(clock, RETRY_MS, this.#stop.signal)
    }
  }

  #throwEnd(): undefined {
    const { error } = this.#end ?? {}
    this.#end = {}
    if (error !== undefined) throw error
  }

  #create(stream: GrpcStream<WatchRequest, WatchResponse>): void {
    const { prefix, under } = this.#init
    const range = { key: prefix.outside(under), rangeEnd: prefix.endOf(under) }
    const create = watchCreate.of({ ...range, startRevision: this.#reached + 1, progressNotify: true, prevKv: true })
    stream.send(watchRequest.of({ create }))
  }

  /** The changes of several responses, in one batch. */
  #joined(responses: readonly WatchResponse[]): readonly Change[] | undefined {
    const batches = responses.map((response) => this.#read(response)).filter((batch) => batch !== undefined)
    return batches.length > 1 ? batches.flat() : batches[0]
  }

  /** The changes of a response; undefined: nothing new. Changes of one revision are always in one response. */
  #read({ header, events, canceled, created, compactRevision, cancelReason }: WatchResponse): readonly Change[] | undefined {
    if (compactRevision > 0)
      throw new StoreError(
        'compacted',
        `the changes after revision ${this.#reached} were compacted up to ${compactRevision}: read everything again and watch from there`,
      )
    if (canceled) throw new StoreError('unavailable', `etcd ended the watch: ${cancelReason}`)
    // The revision of a response that opens a watch says nothing about changes that are still to come.
    if (created) return undefined
    const revision = events.at(-1)?.kv?.modRevision ?? header?.revision ?? 0
    if (events.length === 0 && revision <= this.#reached) return undefined
    this.#reached = Math.max(this.#reached, revision)
    return events.map((event) => changeOf(this.#init.prefix, event))
  }
}
