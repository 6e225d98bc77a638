import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { systemClock } from '../../base/clock.ts'
import { silentLogger } from '../../base/logger.ts'
import { systemRandom } from '../../base/random.ts'
import { storeContract } from '../store.contract.ts'
import { type Store, StoreError } from '../store.ts'
import { openEtcdStore } from './etcd-store.ts'
import { ordersProgress } from './orders-progress.ts'
import { findEtcd, startRealEtcd } from './real-etcd.double.ts'

const found = findEtcd()
const skip = 'why' in found ? found.why : false
const program = 'program' in found ? found.program : ''

const DEPS = { clock: systemClock, random: systemRandom(), log: silentLogger }

const open = (url: URL, prefix = '/registry/') =>
  openEtcdStore({ urls: [url], tls: { ca: undefined, cert: undefined, key: undefined }, prefix }, DEPS)

/** A store that takes its etcd with it. */
async function openAlone(): Promise<Store> {
  const etcd = await startRealEtcd(program)
  const store = await open(etcd.url)
  const close = store[Symbol.asyncDispose].bind(store)
  return Object.assign(store, {
    [Symbol.asyncDispose]: async () => {
      await close()
      await etcd[Symbol.asyncDispose]()
    },
  })
}

if (skip === false) storeContract('etcd', openAlone, { numRuns: 5 })

const bytes = (text: string) => Buffer.from(text)
const put = (key: string, value = 'v') => ({ key, expect: { absent: true }, value: bytes(value) }) as const

/** `etcd Version: 3.6.7`. */
const version = program === '' ? '' : (/Version: (\S+)/.exec(execFileSync(program, ['--version']).toString())?.[1] ?? '')
const old = ordersProgress(version) ? false : `etcd ${version} cannot be asked for progress`

test('etcd: a watcher sees the revision of keys outside of its prefix', { skip: skip || old }, async () => {
  await using etcd = await startRealEtcd(program)
  await using store = await open(etcd.url)
  await using other = await open(etcd.url, '/elsewhere/')
  const watcher = store.watch('', 1)
  const first = watcher.changes[Symbol.asyncIterator]().next()
  await other.commit(put('a'))
  assert.equal(await store.latest(), 2)
  assert.deepEqual((await first).value, [])
  assert.equal(watcher.reached, 2)
  await watcher[Symbol.asyncDispose]()
})

test('etcd: a write below its prefix brings a watcher to a revision outside, whatever the version', { skip }, async () => {
  await using etcd = await startRealEtcd(program)
  await using store = await open(etcd.url)
  await using other = await open(etcd.url, '/elsewhere/')
  const watcher = store.watch('', 1)
  await other.commit(put('a'))
  assert.equal(await store.latest(), 2)
  await store.commit(put('b'))
  for await (const changes of watcher.changes) if (changes.some(({ revision }) => revision === 3)) break
  assert.equal(watcher.reached, 3)
})

test('etcd: a watch goes on where it was when etcd is started again', { skip }, async () => {
  await using etcd = await startRealEtcd(program)
  await using store = await open(etcd.url)
  const iterator = store.watch('', 1).changes[Symbol.asyncIterator]()
  await store.commit(put('a'))
  assert.equal((await iterator.next()).value?.[0]?.revision, 2)
  const next = iterator.next()
  await etcd.restart()
  await store.commit(put('b'))
  assert.equal((await next).value?.at(-1)?.revision, 3)
})

test('etcd: keys with a lease share it, and end', { skip }, async () => {
  await using etcd = await startRealEtcd(program)
  await using store = await open(etcd.url)
  const results = await Promise.all(['a', 'b'].map((key) => store.commit({ ...put(key), ttlMs: 1000 })))
  assert.deepEqual(results.map(({ kind }) => kind).sort(), ['stored', 'stored'])
  const gone: string[] = []
  for await (const changes of store.watch('', 3).changes) {
    for (const change of changes) if (change.kind === 'delete') gone.push(change.key)
    if (gone.length === 2) break
  }
  assert.deepEqual(gone.sort(), ['a', 'b'])
})

test('etcd: more keys than one response holds are read in pages, at one revision', { skip }, async () => {
  await using etcd = await startRealEtcd(program)
  await using store = await open(etcd.url)
  const names = Array.from({ length: 10_050 }, (_, i) => `k${String(i).padStart(5, '0')}`)
  for (let i = 0; i < names.length; i += 500) await Promise.all(names.slice(i, i + 500).map((key) => store.commit(put(key))))
  const { entries, revision, more } = await store.range('k')
  assert.deepEqual([entries.length, revision, more], [10_050, 10_051, false])
  assert.deepEqual(
    entries.map(({ key }) => key),
    names,
  )
})

test('etcd: a value that etcd refuses is too large, in its words', { skip }, async () => {
  await using etcd = await startRealEtcd(program)
  await using store = await open(etcd.url)
  const refused = (size: number, message: RegExp) =>
    assert.rejects(
      store.commit(put('a', 'x'.repeat(size))),
      (e) => e instanceof StoreError && e.code === 'too-large' && message.test(e.message),
    )
  await refused(1_600_000, /^etcdserver: request is too large$/)
  await refused(2_200_000, /^rpc error: code = ResourceExhausted desc = trying to send message larger than max \(\d+ vs\. 2097152\)$/)
})

test('etcd: without a server a call fails when its time is over', { skip }, async () => {
  await using etcd = await startRealEtcd(program)
  await etcd.kill()
  await using store = await openEtcdStore(
    { urls: [etcd.url], tls: { ca: undefined, cert: undefined, key: undefined }, prefix: '/', readTimeoutMs: 300, writeTimeoutMs: 300 },
    DEPS,
  )
  const late = (e: unknown) => e instanceof StoreError && e.code === 'timeout' && e.message === 'context deadline exceeded'
  await assert.rejects(store.latest(), late)
  await assert.rejects(store.commit(put('a')), late)
})
