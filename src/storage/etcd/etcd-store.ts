import type { Cancel, Clock } from '../../base/clock.ts'
import { joinedCalls } from '../../base/joined-calls.ts'
import type { Logger } from '../../base/logger.ts'
import { quiet } from '../../base/quiet.ts'
import type { Random } from '../../base/random.ts'
import type { UnaryMethod } from '../../sdk/grpc/method.ts'
import {
  type Commit,
  type Entry,
  type Proposal,
  type RangeOptions,
  type RangeResult,
  type Revision,
  type Store,
  StoreError,
  storeClosed,
  type Watcher,
} from '../store.ts'
import { runCompactor } from './compactor.ts'
import { EtcdConnection, type EtcdConnectionDeps, type EtcdMembers } from './etcd-connection.ts'
import { entryOf } from './etcd-entry.ts'
import { asStoreError } from './etcd-error.ts'
import { EtcdWatcher } from './etcd-watcher.ts'
import { type KeyPrefix, keyPrefix } from './key-prefix.ts'
import { DEFAULT_LEASES, type LeaseBounds, Leases } from './leases.ts'
import { compactRequest, nothing, putRequest, type RangeResponse, type RequestOp, rangeRequest, txnRequest } from './messages.ts'
import { COMPACT, RANGE, STATUS, TXN } from './methods.ts'
import { ordersProgress } from './orders-progress.ts'

export interface EtcdStoreConfig extends EtcdMembers {
  /** Before every key. */
  readonly prefix: string
  /** As kube-apiserver gives its requests. */
  readonly writeTimeoutMs?: number
  readonly readTimeoutMs?: number
  readonly leases?: LeaseBounds
  /** Undefined: another program compacts this etcd. */
  readonly compactionIntervalMs?: number | undefined
}

export interface EtcdStoreDeps extends EtcdConnectionDeps {
  readonly random: Random
  readonly log: Logger
}

const WRITE_TIMEOUT_MS = 34_000
const READ_TIMEOUT_MS = 60_000
/** Most entries of one response. */
const PAGE = 10_000
/** How often etcd is asked whether a watch has caught up. */
const PROGRESS_MS = 100

const EQUAL = 0
const MOD_REVISION = 2

/**
 * A store in etcd, below a prefix. Other servers may write there too; reads are linearizable. Only `compact` affects other users of the
 * etcd.
 */
export async function openEtcdStore(config: EtcdStoreConfig, deps: EtcdStoreDeps): Promise<Store> {
  return new EtcdStore(config, new EtcdConnection(config, deps), deps)
}

class EtcdStore implements Store {
  readonly #connection: EtcdConnection
  readonly #clock: Clock
  readonly #prefix: KeyPrefix
  readonly #leases: Leases
  readonly #writeTimeoutMs: number
  readonly #readTimeoutMs: number
  readonly #watchers = new Set<EtcdWatcher>()
  /** The last commit of each key that is under way: commits to one key take effect in the order of the calls. */
  readonly #turns = new Map<string, Promise<unknown>>()
  readonly #askLatest = joinedCalls(() => this.#readLatest())
  /** The highest revision that was returned to a caller: watchers have to reach it. */
  #highestRead: Revision = 0
  #stopAsking: Cancel | undefined
  readonly #log: Logger
  /** Whether etcd's responses about progress can be believed; undefined: not known yet. */
  #ordersProgress: boolean | undefined
  readonly #learnVersion = joinedCalls(() => this.#askVersion())
  readonly #stopCompactor = new AbortController()
  readonly #compacting: Promise<void>
  #closed = false

  constructor(config: EtcdStoreConfig, connection: EtcdConnection, { clock, random, log }: EtcdStoreDeps) {
    this.#connection = connection
    this.#clock = clock
    this.#log = log
    this.#prefix = keyPrefix(config.prefix)
    this.#writeTimeoutMs = config.writeTimeoutMs ?? WRITE_TIMEOUT_MS
    this.#readTimeoutMs = config.readTimeoutMs ?? READ_TIMEOUT_MS
    const timeoutMs = this.#writeTimeoutMs
    this.#leases = new Leases(config.leases ?? DEFAULT_LEASES, { connection, clock, random, timeoutMs })
    const { compactionIntervalMs: intervalMs } = config
    this.#compacting =
      intervalMs === undefined
        ? Promise.resolve()
        : runCompactor({ intervalMs, timeoutMs }, { connection, clock, log }, this.#stopCompactor.signal)
  }

  async latest(): Promise<Revision> {
    this.#assertOpen()
    return this.#askLatest()
  }

  async get(key: string): Promise<Entry | undefined> {
    const { kvs } = await this.#read({ key: this.#prefix.outside(key), limit: 1 })
    return kvs[0] === undefined ? undefined : entryOf(this.#prefix, kvs[0])
  }

  async range(prefix: string, { revision = 0, limit, from = prefix }: RangeOptions = {}): Promise<RangeResult> {
    const rangeEnd = this.#prefix.endOf(prefix)
    const entries: Entry[] = []
    let key = this.#prefix.outside(from > prefix ? from : prefix)
    let at = revision
    for (;;) {
      const left = (limit ?? Number.POSITIVE_INFINITY) - entries.length
      const countOnly = left <= 0
      const page = await this.#read({ key, rangeEnd, revision: at, limit: Math.min(left, PAGE), countOnly })
      at ||= page.header?.revision ?? 0
      for (const kv of page.kvs) entries.push(entryOf(this.#prefix, kv))
      const remaining = page.count - page.kvs.length
      const last = page.kvs.at(-1)
      if (remaining === 0 || last === undefined || entries.length === limit)
        return { entries, revision: at, more: remaining > 0, remaining }
      key = Buffer.concat([last.key, ZERO])
    }
  }

  async commit(proposal: Proposal): Promise<Commit> {
    this.#assertOpen()
    const { key, value, expect } = proposal
    if (!key.isWellFormed()) throw new StoreError('bad-key', `the key ${JSON.stringify(key)} is not well-formed Unicode`)
    if (value === undefined && !('revision' in expect))
      throw new TypeError(`a deletion names the revision that it deletes; that of ${key} does not`)
    const before = this.#turns.get(key)
    const done =
      before === undefined ? this.#commit(proposal) : quiet(before, 'its caller gets the error').then(() => this.#commit(proposal))
    this.#turns.set(key, done)
    try {
      return await done
    } finally {
      if (this.#turns.get(key) === done) this.#turns.delete(key)
    }
  }

  watch(prefix: string, after: Revision): Watcher {
    const watcher = new EtcdWatcher({
      connection: this.#connection,
      clock: this.#clock,
      prefix: this.#prefix,
      under: prefix,
      after,
      onEnd: (ended) => this.#watchers.delete(ended),
    })
    if (this.#closed) watcher.end(storeClosed())
    else this.#watchers.add(watcher)
    return watcher
  }

  async compact(revision: Revision): Promise<void> {
    try {
      await this.#call(COMPACT, compactRequest.of({ revision }), { timeoutMs: this.#writeTimeoutMs, repeatable: true })
    } catch (error) {
      // Another server was faster.
      if (!(error instanceof StoreError && error.code === 'compacted')) throw error
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await Promise.allSettled(this.#turns.values())
    this.#stopAsking?.()
    for (const watcher of this.#watchers) watcher.end(storeClosed())
    this.#stopCompactor.abort()
    this.#connection[Symbol.dispose]()
    await this.#compacting
  }

  async #readLatest(): Promise<Revision> {
    const { header } = await this.#read({ key: this.#prefix.outside(''), limit: 1, keysOnly: true })
    const revision = header?.revision ?? 0
    this.#highestRead = Math.max(this.#highestRead, revision)
    this.#askForProgress()
    return revision
  }

  /** The latest revision may belong to a key outside of the prefix: watches do not see it unless they ask. */
  #askForProgress(): void {
    if (this.#stopAsking !== undefined || this.#ordersProgress === false) return
    if (this.#ordersProgress === undefined) {
      void quiet(this.#learnVersion(), 'the next read asks again')
      return
    }
    const behind = [...this.#watchers].filter(({ reached }) => reached < this.#highestRead)
    if (behind.length === 0 || this.#closed) return
    for (const watcher of behind) watcher.requestProgress()
    this.#stopAsking = this.#clock.after(PROGRESS_MS, () => {
      this.#stopAsking = undefined
      this.#askForProgress()
    })
  }

  /** An etcd that is too old is not asked for progress: reads wait for the next change of a key below the prefix. */
  async #askVersion(): Promise<void> {
    const { version } = await this.#call(STATUS, nothing.of({}), { timeoutMs: this.#readTimeoutMs, repeatable: true })
    if (this.#ordersProgress !== undefined) return
    this.#ordersProgress = ordersProgress(version)
    if (!this.#ordersProgress)
      this.#log.warn('this etcd is older than 3.4.25 or 3.5.8: consistent reads may wait for the next write below the prefix', { version })
    this.#askForProgress()
  }

  async #commit({ key, value, expect, ...rest }: Proposal): Promise<Commit> {
    const at = this.#prefix.outside(key)
    const ttlMs = 'ttlMs' in rest ? rest.ttlMs : undefined
    const lease = ttlMs === undefined ? 0 : await this.#leased(ttlMs)
    const write: Partial<RequestOp> =
      value === undefined ? { delete: { key: at, rangeEnd: NOTHING, prevKv: false } } : { put: putRequest.of({ key: at, value, lease }) }
    const modRevision = 'revision' in expect ? expect.revision : 0
    const request = txnRequest.of({
      compare: [{ ...NO_COMPARE, key: at, modRevision }],
      success: [{ ...NO_OP, ...write }],
      // As kube-apiserver: what exists already is read when it matters.
      failure: modRevision === 0 ? [] : [{ ...NO_OP, range: rangeRequest.of({ key: at }) }],
    })
    const { succeeded, header, responses } = await this.#call(TXN, request, { timeoutMs: this.#writeTimeoutMs, repeatable: false })
    if (succeeded) return { kind: 'stored', revision: header?.revision ?? 0 }
    if (modRevision === 0) return { kind: 'conflict', current: await this.get(key) }
    const found = responses[0]?.range?.kvs[0]
    return { kind: 'conflict', current: found === undefined ? undefined : entryOf(this.#prefix, found) }
  }

  async #leased(ttlMs: number): Promise<number> {
    try {
      return await this.#leases.take(ttlMs)
    } catch (error) {
      throw asStoreError(error)
    }
  }

  #read(request: Parameters<typeof rangeRequest.of>[0]): Promise<RangeResponse> {
    return this.#call(RANGE, rangeRequest.of(request), { timeoutMs: this.#readTimeoutMs, repeatable: true })
  }

  async #call<Q, A>(method: UnaryMethod<Q, A>, request: Q, options: { timeoutMs: number; repeatable: boolean }): Promise<A> {
    if (this.#closed && method !== TXN) throw storeClosed()
    try {
      return await this.#connection.call(method, request, options)
    } catch (error) {
      throw this.#closed ? storeClosed() : asStoreError(error)
    }
  }

  #assertOpen(): void {
    if (this.#closed) throw storeClosed()
  }
}

const NOTHING = new Uint8Array(0)
const ZERO = Buffer.from([0])
const NO_OP: RequestOp = { range: undefined, put: undefined, delete: undefined }
const NO_COMPARE = {
  result: EQUAL,
  target: MOD_REVISION,
  version: 0,
  createRevision: 0,
  value: NOTHING,
  lease: 0,
  rangeEnd: NOTHING,
}
