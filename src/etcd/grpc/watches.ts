import { quiet } from '../../base/quiet.ts'
import type { EtcdEvent, WatchCreate, WatchRequest, WatchResponse } from '../../storage/etcd/messages.ts'
import type { Change } from '../../storage/store.ts'
import { StoreError, type Watcher } from '../../storage/store.ts'
import { commonFolder, contains, isOne, type KeyRange, keyRange, keyText } from './key-range.ts'
import type { Kv, KvDeps } from './kv.ts'

const PUT = 0
const DELETE = 1
/** Of responses that concern no watch. */
const NO_WATCH = -1
/** Watches of one stream. kube-apiserver opens one a resource, all on a few streams; etcd has no limit. */
const MAX_WATCHES = 10_000
/** A watch without a key begins at the smallest one. */
const FIRST_KEY = Buffer.from([0])

/** The watches of one stream. The callback resolves when the client can take more. */
export class Watches {
  readonly #deps: KvDeps
  readonly #kv: Kv
  readonly #tell: (response: WatchResponse) => Promise<void>
  readonly #watches = new Map<number, Watcher>()
  #next = 0

  constructor(deps: KvDeps & { readonly kv: Kv; readonly tell: (response: WatchResponse) => Promise<void> }) {
    this.#deps = deps
    this.#kv = deps.kv
    this.#tell = deps.tell
  }

  async hear(request: WatchRequest): Promise<void> {
    if (request.create !== undefined) return this.#create(request.create)
    if (request.cancel !== undefined) return this.#cancel(request.cancel.watchId)
    if (request.progress !== undefined) await this.#tell(this.#response(NO_WATCH))
  }

  async end(): Promise<void> {
    await Promise.all([...this.#watches.values()].map((watcher) => watcher[Symbol.asyncDispose]()))
  }

  async #create(create: WatchCreate): Promise<void> {
    const id = create.watchId !== 0 && !this.#watches.has(create.watchId) ? create.watchId : this.#freeId()
    if (create.watchId !== 0 && id !== create.watchId)
      return this.#tell({ ...this.#response(NO_WATCH), created: true, canceled: true, cancelReason: 'duplicate watch ID' })
    if (this.#watches.size >= MAX_WATCHES)
      return this.#tell({ ...this.#response(NO_WATCH), created: true, canceled: true, cancelReason: 'too many watches on one stream' })
    const { store, names } = this.#deps
    const range = keyRange(create.key.byteLength === 0 ? FIRST_KEY : create.key, create.rangeEnd)
    const prefix = isOne(range) ? names.inside(keyText(range.key)) : names.insideFolder(commonFolder(range))
    const watcher = store.watch(prefix, create.startRevision === 0 ? store.revision : create.startRevision - 1)
    this.#watches.set(id, watcher)
    await this.#tell({ ...this.#response(id), created: true })
    void quiet(this.#follow(id, { ...create, range }, watcher), 'the store is closing, and the stream with it')
  }

  async #follow(id: number, create: WatchCreate & { readonly range: KeyRange }, watcher: Watcher): Promise<void> {
    const { range } = create
    const unwanted = new Set(create.filters)
    try {
      for await (const changes of watcher.changes) {
        await this.#deps.versions.upToDate()
        const events = changes
          .flatMap((change) => this.#eventOf(change, range, create.prevKv) ?? [])
          .filter(({ type }) => !unwanted.has(type))
        if (events.length > 0) await this.#tell({ ...this.#response(id, changes.at(-1)?.revision), events })
      }
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== 'compacted') throw error
      this.#watches.delete(id)
      const cancelReason = 'etcdserver: mvcc: required revision has been compacted'
      await this.#tell({ ...this.#response(id), canceled: true, compactRevision: this.#deps.store.compacted, cancelReason })
    }
  }

  #eventOf(change: Change, range: KeyRange, prevKv: boolean): EtcdEvent | undefined {
    const key = change.kind === 'put' ? change.entry.key : change.key
    const name = Buffer.from(this.#deps.names.outside(key))
    if (!contains(range, name)) return undefined
    const before = prevKv && change.previous !== undefined ? this.#kv.keyValue({ name, entry: change.previous }) : undefined
    if (change.kind === 'put') return { type: PUT, kv: this.#kv.keyValue({ name, entry: change.entry }), prevKv: before }
    const gone = { key: name, createRevision: 0, modRevision: change.revision, version: 0, value: new Uint8Array(0), lease: 0 }
    return { type: DELETE, kv: gone, prevKv: before }
  }

  async #cancel(id: number): Promise<void> {
    const watcher = this.#watches.get(id)
    if (watcher === undefined) return
    this.#watches.delete(id)
    await watcher[Symbol.asyncDispose]()
    await this.#tell({ ...this.#response(id), canceled: true })
  }

  #freeId(): number {
    while (this.#watches.has(this.#next)) this.#next++
    return this.#next++
  }

  #response(watchId: number, revision = this.#deps.store.revision): WatchResponse {
    return { header: this.#kv.header(revision), watchId, created: false, canceled: false, compactRevision: 0, cancelReason: '', events: [] }
  }
}
