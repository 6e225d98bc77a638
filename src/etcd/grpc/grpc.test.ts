import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { Client, type ClientDuplexStream, credentials, type ServiceError } from '@grpc/grpc-js'
import { systemClock } from '../../base/clock.ts'
import { seededRandom } from '../../base/random.ts'
import type { MessageType } from '../../machinery/protobuf/plain-message.ts'
import * as m from '../../storage/etcd/messages.ts'
import { readEtcdFlags } from '../flags.ts'
import { runEtcd } from '../run-etcd.ts'

const bytes = (text: string) => Buffer.from(text)
const text = (value: Uint8Array) => Buffer.from(value).toString()
const raw = (b: Buffer) => b
const RANGE = m.rangeRequest.decode(Buffer.alloc(0))
const PUT = m.putRequest.decode(Buffer.alloc(0))
const DELETE = m.deleteRequest.decode(Buffer.alloc(0))
const COMPARE = m.txnRequest.decode(Buffer.from([0x0a, 0])).compare[0]
const NO_OP = { range: undefined, put: undefined, delete: undefined }

/** An etcd, and a client of its v3 API. */
async function house() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-etcd-'))
  const flags = readEtcdFlags(
    [`--data-dir=${folder}/data`, '--listen-client-urls=http://127.0.0.1:0', '--listen-peer-urls=http://127.0.0.1:0', '--unsafe-no-fsync'],
    {},
  )
  const etcd = await runEtcd(flags, { clock: systemClock, random: seededRandom(1), log: () => {} })
  const client = new Client(`127.0.0.1:${etcd.clientPorts[0]}`, credentials.createInsecure())
  const call = <Q, A>(method: string, request: MessageType<Q>, response: MessageType<A>, message: Q): Promise<A> =>
    new Promise((resolve, reject) =>
      client.makeUnaryRequest(`/etcdserverpb.${method}`, raw, raw, request.encode(message), (error, answer) => {
        if (answer === undefined) reject(error)
        else resolve(response.decode(answer))
      }),
    )
  const kv = {
    put: (key: string, value: string, more: Partial<m.PutRequest> = {}) =>
      call('KV/Put', m.putRequest, m.putResponse, { ...PUT, key: bytes(key), value: bytes(value), ...more }),
    range: (key: string, end = '', more: Partial<m.RangeRequest> = {}) =>
      call('KV/Range', m.rangeRequest, m.rangeResponse, { ...RANGE, key: bytes(key), rangeEnd: bytes(end), ...more }),
    delete: (key: string, end = '') =>
      call('KV/DeleteRange', m.deleteRequest, m.deleteResponse, { ...DELETE, key: bytes(key), rangeEnd: bytes(end), prevKv: true }),
    txn: (request: m.TxnRequest) => call('KV/Txn', m.txnRequest, m.txnResponse, request),
  }
  const watch = () => {
    const stream: ClientDuplexStream<Buffer, Buffer> = client.makeBidiStreamRequest('/etcdserverpb.Watch/Watch', raw, raw)
    stream.on('error', () => {})
    const answers = stream[Symbol.asyncIterator]()
    return {
      create: (key: string, more: Partial<m.WatchCreate> = {}) =>
        void stream.write(
          m.watchRequest.encode({ create: m.watchCreate.of({ key: bytes(key), ...more }), cancel: undefined, progress: undefined }),
        ),
      cancel: (watchId: number) =>
        void stream.write(m.watchRequest.encode({ create: undefined, cancel: { watchId }, progress: undefined })),
      next: async () => m.watchResponse.decode((await answers.next()).value as Buffer),
      end: () => stream.cancel(),
    }
  }
  return {
    call,
    kv,
    watch,
    async [Symbol.asyncDispose]() {
      client.close()
      await etcd[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const shown = (kvs: readonly m.KeyValue[]) =>
  kvs.map((kv) => `${text(kv.key)}=${text(kv.value)}@${kv.modRevision}/${kv.createRevision} v${kv.version}`)
const failsWith = (code: number, details: RegExp) => (error: unknown) => {
  const { code: got, details: said } = error as ServiceError
  return got === code && details.test(said)
}

test('what is put is read, counted, paged, sorted and deleted', async () => {
  await using at = await house()
  await at.kv.put('/a', '1')
  await at.kv.put('/b', '2')
  const again = await at.kv.put('/a', '3', { prevKv: true })
  assert.deepEqual([again.header?.revision, again.prevKv && shown([again.prevKv])], [4, ['/a=1@2/2 v1']])
  assert.deepEqual(shown((await at.kv.range('/a')).kvs), ['/a=3@4/2 v2'])
  assert.deepEqual(shown((await at.kv.range('/', '0')).kvs), ['/a=3@4/2 v2', '/b=2@3/3 v1'])
  const page = await at.kv.range('\0', '\0', { limit: 1 })
  assert.deepEqual([shown(page.kvs), page.more, page.count], [['/a=3@4/2 v2'], true, 2])
  assert.deepEqual(shown((await at.kv.range('/', '0', { sortOrder: 2, sortTarget: 3 })).kvs), ['/a=3@4/2 v2', '/b=2@3/3 v1'])
  assert.deepEqual(shown((await at.kv.range('/', '0', { sortOrder: 2 })).kvs)[0], '/b=2@3/3 v1')
  assert.deepEqual(shown((await at.kv.range('/', '0', { revision: 2 })).kvs), ['/a=1@2/2 v1'])
  assert.deepEqual(shown((await at.kv.range('/', '0', { keysOnly: true, minModRevision: 4 })).kvs), ['/a=@4/2 v2'])
  assert.deepEqual((await at.kv.range('/', '0', { countOnly: true })).count, 2)
  const gone = await at.kv.delete('/', '0')
  assert.deepEqual([gone.deleted, shown(gone.prevKvs)], [2, ['/a=3@4/2 v2', '/b=2@3/3 v1']])
  assert.equal((await at.kv.range('\0', '\0')).count, 0)
  await at.kv.put('/a', 'new')
  assert.deepEqual(shown((await at.kv.range('/a')).kvs), ['/a=new@7/7 v1'])
})

test('a transaction writes when what it compares holds, as Kubernetes writes', async () => {
  await using at = await house()
  assert.ok(COMPARE)
  const compare = { ...COMPARE, key: bytes('/k') }
  const create = (value: string): m.TxnRequest => ({
    compare: [{ ...compare, target: 2, modRevision: 0 }],
    success: [{ ...NO_OP, put: { ...PUT, key: bytes('/k'), value: bytes(value) } }],
    failure: [{ ...NO_OP, range: { ...RANGE, key: bytes('/k') } }],
  })
  assert.equal((await at.kv.txn(create('1'))).succeeded, true)
  const refused = await at.kv.txn(create('2'))
  assert.deepEqual([refused.succeeded, shown(refused.responses[0]?.range?.kvs ?? [])], [false, ['/k=1@2/2 v1']])
  for (const [held, expected] of [
    [{ target: 0, version: 1 }, true],
    [{ target: 0, version: 1, result: 1 }, false],
    [{ target: 1, createRevision: 3, result: 2 }, true],
    [{ target: 3, value: bytes('1') }, true],
    [{ target: 3, value: bytes('2'), result: 3 }, true],
    [{ target: 4, lease: 1 }, false],
  ] as const)
    assert.equal((await at.kv.txn({ compare: [{ ...compare, ...held }], success: [], failure: [] })).succeeded, expected)
  const both = [NO_OP, NO_OP].map((op) => ({ ...op, put: { ...PUT, key: bytes('/x') } }))
  await assert.rejects(at.kv.txn({ compare: [], success: both, failure: [] }), failsWith(3, /duplicate key/))
})

test('a watch yields changes, past ones too, until it is cancelled', async () => {
  await using at = await house()
  await at.kv.put('/w/a', '1')
  const stream = at.watch()
  stream.create('/w/', { rangeEnd: bytes('/w0'), startRevision: 2, prevKv: true })
  assert.deepEqual(await stream.next().then(({ created, watchId }) => [created, watchId]), [true, 0])
  assert.deepEqual(
    (await stream.next()).events.map((e) => e.kv && shown([e.kv])),
    [['/w/a=1@2/2 v1']],
  )
  await at.kv.put('/other', 'x')
  await at.kv.put('/w/a', '2')
  const [change] = (await stream.next()).events
  assert.deepEqual([change?.prevKv && text(change.prevKv.value), change?.kv && shown([change.kv])], ['1', ['/w/a=2@4/2 v2']])
  await at.kv.delete('/w/a')
  const [gone] = (await stream.next()).events
  assert.deepEqual([gone?.type, gone?.kv?.modRevision], [1, 5])
  stream.cancel(0)
  assert.equal((await stream.next()).canceled, true)
  await at.call('KV/Compact', m.compactRequest, m.headerOnly, { revision: 5, physical: false })
  stream.create('/w/', { startRevision: 2 })
  assert.equal((await stream.next()).created, true)
  assert.deepEqual(await stream.next().then(({ canceled, compactRevision }) => [canceled, compactRevision]), [true, 5])
  await assert.rejects(at.kv.range('/w/a', '', { revision: 2 }), failsWith(11, /has been compacted/))
  await assert.rejects(at.kv.range('/w/a', '', { revision: 99 }), failsWith(11, /future revision/))
  stream.end()
})

test('what hangs on a lease goes with it', async () => {
  await using at = await house()
  const { id } = await at.call('Lease/LeaseGrant', m.leaseGrantRequest, m.leaseGrantResponse, { ttl: 60, id: 0 })
  await at.kv.put('/l', '1', { lease: id })
  const time = await at.call('Lease/LeaseTimeToLive', m.leaseTimeToLiveRequest, m.leaseTimeToLiveResponse, { id, keys: true })
  assert.deepEqual([time.grantedTtl, time.keys], [60, ['/l']])
  const stream = at.watch()
  stream.create('/l')
  await stream.next()
  await at.call('Lease/LeaseRevoke', m.leaseId, m.headerOnly, { id })
  assert.equal((await stream.next()).events[0]?.type, 1)
  assert.equal((await at.kv.range('/l')).count, 0)
  await assert.rejects(at.kv.put('/l', '2', { lease: id }), failsWith(5, /requested lease not found/))
  stream.end()
})

test('status and members are served; other methods are unimplemented', async () => {
  await using at = await house()
  const status = await at.call('Maintenance/Status', m.nothing, m.statusResponse, {})
  assert.match(status.version, /^3\.6\./)
  assert.ok(status.dbSize > 0)
  assert.equal((await at.call('Cluster/MemberList', m.nothing, m.memberListResponse, {})).members[0]?.name, 'default')
  await assert.rejects(at.call('Auth/AuthEnable', m.nothing, m.nothing, {}), failsWith(12, /./))
  await assert.rejects(at.kv.put('', 'x'), failsWith(3, /key is not provided/))
})

test('a transaction has as many comparisons and operations as etcd allows, a stream as many watches as are sensible', async () => {
  await using at = await house()
  assert.ok(COMPARE !== undefined)
  const compare = (count: number) => Array<m.Compare>(count).fill({ ...COMPARE, key: bytes('/a') })
  const reads = (count: number) => Array<m.RequestOp>(count).fill({ ...NO_OP, range: { ...RANGE, key: bytes('/a') } })
  const most = await at.kv.txn({ compare: compare(128), success: reads(128), failure: reads(128) })
  assert.equal(most.responses.length, 128)
  const tooMany = failsWith(3, /too many operations in txn request/)
  await assert.rejects(at.kv.txn({ compare: compare(129), success: [], failure: [] }), tooMany)
  await assert.rejects(at.kv.txn({ compare: [], success: [], failure: reads(129) }), tooMany)
  const stream = at.watch()
  for (let i = 0; i <= 10_000; i++) stream.create('/a')
  let last = await stream.next()
  for (let i = 1; i <= 10_000; i++) last = await stream.next()
  assert.deepEqual([last.canceled, last.cancelReason], [true, 'too many watches on one stream'])
  stream.end()
})
