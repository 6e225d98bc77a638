import { Slots } from '../../base/slots.ts'
import type { KeyNames } from '../../resources/etcd-keys.ts'
import { GrpcError } from '../../sdk/grpc/grpc-error.ts'
import type {
  Compare,
  DeleteRequest,
  DeleteResponse,
  Header,
  KeyValue,
  PutRequest,
  PutResponse,
  RangeRequest,
  RangeResponse,
  RequestOp,
  ResponseOp,
  TxnRequest,
  TxnResponse,
} from '../../storage/etcd/messages.ts'
import type { SharedStore } from '../../storage/remote/serve-store.ts'
import { type Entry, type Revision, StoreError } from '../../storage/store.ts'
import { commonFolder, contains, isOne, type KeyRange, keyRange, keyText } from './key-range.ts'
import type { Leases } from './leases.ts'
import type { Versions } from './versions.ts'

/** What a lone member of etcd calls itself. */
export const CLUSTER_ID = 0x0b05b417
export const MEMBER_ID = 0x0e7cd001

export interface KvDeps {
  readonly store: SharedStore
  readonly names: KeyNames
  readonly versions: Versions
  readonly leases: Leases
  /** Comparisons, and operations of one branch, in a transaction: `--max-txn-ops`. */
  readonly maxTxnOps: number
}

/** An entry under the name that it has outside. */
interface Named {
  readonly name: Buffer
  readonly entry: Entry
}

/**
 * etcd's KV service over the store. Writes take their turn one after the other; each key that a transaction writes has a revision of its
 * own, because a commit of this store is of one key.
 */
export class Kv {
  readonly #deps: KvDeps
  readonly #writes = new Slots(() => 1)

  constructor(deps: KvDeps) {
    this.#deps = deps
  }

  header(revision: Revision = this.#deps.store.revision): Header {
    return { cluster: CLUSTER_ID, member: MEMBER_ID, revision, term: 2 }
  }

  keyValue({ name, entry }: Named, keysOnly = false): KeyValue {
    return {
      key: name,
      createRevision: entry.createRevision,
      modRevision: entry.revision,
      version: this.#deps.versions.of(entry),
      value: keysOnly ? NOTHING : entry.value,
      lease: entry.expiresAt ?? this.#deps.leases.of(entry.key),
    }
  }

  named(entry: Entry): Named {
    return { name: Buffer.from(this.#deps.names.outside(entry.key)), entry }
  }

  async range(request: RangeRequest): Promise<RangeResponse> {
    await this.#deps.versions.upToDate()
    const found = await this.#found(keyRange(request.key, request.rangeEnd), request.revision === 0 ? undefined : request.revision)
    const wanted = found.filter(({ entry }) => within(entry, request))
    const count = wanted.length
    if (request.countOnly) return { header: this.header(), kvs: [], more: false, count }
    const sorted = request.sortOrder === 0 && request.sortTarget === 0 ? wanted : wanted.sort(this.#order(request))
    const shown = request.limit > 0 ? sorted.slice(0, request.limit) : sorted
    return { header: this.header(), kvs: shown.map((one) => this.keyValue(one, request.keysOnly)), more: shown.length < count, count }
  }

  put(request: PutRequest): Promise<PutResponse> {
    return this.#writes.run(() => this.#put(request))
  }

  delete(request: DeleteRequest): Promise<DeleteResponse> {
    return this.#writes.run(() => this.#delete(request))
  }

  txn(request: TxnRequest): Promise<TxnResponse> {
    return this.#writes.run(async () => {
      const { maxTxnOps } = this.#deps
      if ([request.compare, request.success, request.failure].some(({ length }) => length > maxTxnOps))
        throw new GrpcError('InvalidArgument', 'etcdserver: too many operations in txn request')
      const puts = [request.success, request.failure].map((ops) => ops.flatMap(({ put }) => (put === undefined ? [] : [keyText(put.key)])))
      if (puts.some((keys) => new Set(keys).size < keys.length))
        throw new GrpcError('InvalidArgument', 'etcdserver: duplicate key given in txn request')
      await this.#deps.versions.upToDate()
      let succeeded = true
      for (const compare of request.compare) succeeded &&= await this.#holds(compare)
      const responses: ResponseOp[] = []
      for (const op of succeeded ? request.success : request.failure) responses.push(await this.#do(op))
      return { header: this.header(), succeeded, responses }
    })
  }

  async compact(revision: Revision): Promise<void> {
    const { store } = this.#deps
    if (revision <= store.compacted && revision !== 0) throw new GrpcError('OutOfRange', COMPACTED)
    if (revision > store.revision) throw new GrpcError('OutOfRange', FUTURE)
    await store.compact(revision)
  }

  /** What hung on a lease that has ended. */
  async expire(keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.#writes.run(() => this.#remove(key))
  }

  async #do(op: RequestOp): Promise<ResponseOp> {
    const nothing = { range: undefined, put: undefined, delete: undefined }
    if (op.range !== undefined) return { ...nothing, range: await this.range(op.range) }
    if (op.put !== undefined) return { ...nothing, put: await this.#put(op.put) }
    if (op.delete !== undefined) return { ...nothing, delete: await this.#delete(op.delete) }
    throw new GrpcError('Unimplemented', 'transactions inside of transactions are not answered here')
  }

  async #put(request: PutRequest): Promise<PutResponse> {
    const { store, names, leases } = this.#deps
    const key = names.inside(keyText(keyRange(request.key, NOTHING).key))
    leases.assertKnown(request.lease)
    await this.#deps.versions.upToDate()
    for (;;) {
      const before = await store.get(key)
      if (before === undefined && (request.ignoreValue || request.ignoreLease))
        throw new GrpcError('InvalidArgument', 'etcdserver: key not found')
      const value = request.ignoreValue ? (before?.value ?? NOTHING) : Buffer.from(request.value)
      const prevKv = request.prevKv && before !== undefined ? this.keyValue(this.named(before)) : undefined
      const expect = before === undefined ? ({ absent: true } as const) : { revision: before.revision }
      const done = await answered(store.commit({ key, expect, value }))
      if (done.kind === 'conflict') continue
      if (!request.ignoreLease) leases.attach(key, request.lease)
      return { header: this.header(), prevKv }
    }
  }

  async #delete(request: DeleteRequest): Promise<DeleteResponse> {
    await this.#deps.versions.upToDate()
    const found = await this.#found(keyRange(request.key, request.rangeEnd))
    const prevKvs = request.prevKv ? found.map((one) => this.keyValue(one)) : []
    let deleted = 0
    for (const { entry } of found) if (await this.#remove(entry.key)) deleted++
    return { header: this.header(), deleted, prevKvs }
  }

  async #remove(key: string): Promise<boolean> {
    const { store, leases } = this.#deps
    for (;;) {
      const before = await store.get(key)
      if (before === undefined) return false
      const done = await answered(store.commit({ key, expect: { revision: before.revision }, value: undefined }))
      if (done.kind === 'conflict') continue
      leases.attach(key, 0)
      return true
    }
  }

  async #found(range: KeyRange, revision?: Revision): Promise<Named[]> {
    const { store, names } = this.#deps
    if (isOne(range) && revision === undefined) {
      const entry = await store.get(names.inside(keyText(range.key)))
      return entry === undefined ? [] : [this.named(entry)]
    }
    const prefix = isOne(range) ? names.inside(keyText(range.key)) : names.insideFolder(commonFolder(range))
    const { entries } = await answered(store.range(prefix, revision === undefined ? {} : { revision }))
    return entries
      .map((entry) => this.named(entry))
      .filter(({ name }) => contains(range, name))
      .sort((a, b) => Buffer.compare(a.name, b.name))
  }

  async #holds(compare: Compare): Promise<boolean> {
    const found = await this.#found(keyRange(compare.key, compare.rangeEnd))
    // A key that does not exist compares as zero, and has no value to compare.
    if (found.length === 0) return compare.target === TARGET.value ? false : compared(compare.result, 0 - wantedOf(compare))
    return found.every((one) => {
      const kv = this.keyValue(one)
      if (compare.target === TARGET.value) return compared(compare.result, Buffer.compare(kv.value, compare.value))
      const actual = [kv.version, kv.createRevision, kv.modRevision, 0, kv.lease][compare.target] ?? 0
      return compared(compare.result, actual - wantedOf(compare))
    })
  }

  #order({ sortOrder, sortTarget }: RangeRequest): (a: Named, b: Named) => number {
    const sign = sortOrder === 2 ? -1 : 1
    const by = (a: Named, b: Named): number => {
      if (sortTarget === 1) return this.#deps.versions.of(a.entry) - this.#deps.versions.of(b.entry)
      if (sortTarget === 2) return a.entry.createRevision - b.entry.createRevision
      if (sortTarget === 3) return a.entry.revision - b.entry.revision
      return sortTarget === 4 ? Buffer.compare(a.entry.value, b.entry.value) : Buffer.compare(a.name, b.name)
    }
    return (a, b) => sign * by(a, b)
  }
}

const NOTHING = new Uint8Array(0)
const TARGET = { value: 3 } as const
const COMPACTED = 'etcdserver: mvcc: required revision has been compacted'
const FUTURE = 'etcdserver: mvcc: required revision is a future revision'

const wantedOf = (compare: Compare): number =>
  [compare.version, compare.createRevision, compare.modRevision, 0, compare.lease][compare.target] ?? 0

/** EQUAL, GREATER, LESS, NOT_EQUAL. */
function compared(result: number, difference: number): boolean {
  if (result === 1) return difference > 0
  if (result === 2) return difference < 0
  return result === 3 ? difference !== 0 : difference === 0
}

const within = ({ revision, createRevision }: Entry, r: RangeRequest): boolean =>
  (r.minModRevision === 0 || revision >= r.minModRevision) &&
  (r.maxModRevision === 0 || revision <= r.maxModRevision) &&
  (r.minCreateRevision === 0 || createRevision >= r.minCreateRevision) &&
  (r.maxCreateRevision === 0 || createRevision <= r.maxCreateRevision)

/** What goes wrong with the store, in etcd's words. */
async function answered<T>(requested: Promise<T>): Promise<T> {
  try {
    return await requested
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    if (error.code === 'compacted') throw new GrpcError('OutOfRange', COMPACTED)
    if (error.code === 'future') throw new GrpcError('OutOfRange', FUTURE)
    if (error.code === 'too-large') throw new GrpcError('InvalidArgument', 'etcdserver: request is too large')
    if (error.code === 'full' || error.code === 'over-quota')
      throw new GrpcError('ResourceExhausted', 'etcdserver: mvcc: database space exceeded')
    throw new GrpcError('Unavailable', error.message)
  }
}
