import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import { systemRandomBytes } from '../../base/random.ts'
import { openMemoryStore } from '../memory/memory-store.ts'
import { storeContract } from '../store.contract.ts'
import { StoreError } from '../store.ts'
import { aesGcm } from './aes-gcm.ts'
import { EncryptingStore } from './encrypting-store.ts'
import { identity } from './identity.ts'
import { prefixedTransformers } from './prefixed-transformers.ts'
import type { ValueTransformer } from './value-transformer.ts'

const aes = (fill: number): ValueTransformer => aesGcm(new Uint8Array(32).fill(fill), systemRandomBytes)
const keyed = (...fills: readonly [number, ...number[]]): ValueTransformer => {
  const [first, ...rest] = fills.map((fill) => ({ prefix: `k8s:enc:aesgcm:v1:${fill}:`, transformer: aes(fill) }))
  assert.ok(first)
  return prefixedTransformers({
    transformers: [first, ...rest, { prefix: '', transformer: identity }],
    unmatched: 'no matching prefix found',
  })
}

storeContract('encrypting', async (clock) => new EncryptingStore(openMemoryStore({}, { clock }), () => keyed(1)), { ordered: true })

const bytes = (text: string) => Buffer.from(text)

function open() {
  const inner = openMemoryStore({}, { clock: new VirtualClock() })
  let transformer = keyed(1)
  const store = new EncryptingStore(inner, (key) => (key.startsWith('/plain/') ? identity : transformer))
  const put = (key: string, value = 'a secret') => store.commit({ key, expect: { absent: true }, value: bytes(value) })
  return { inner, store, put, rotate: (...fills: [number, ...number[]]) => (transformer = keyed(...fills)) }
}

test('values are encrypted in the other store, and plain where nothing encrypts them', async () => {
  const { inner, store, put } = open()
  await put('/secrets/a')
  await put('/plain/a')
  const stored = async (key: string) => Buffer.from((await inner.get(key))?.value ?? []).toString('latin1')
  assert.match(await stored('/secrets/a'), /^k8s:enc:aesgcm:v1:1:/)
  assert.equal((await stored('/secrets/a')).includes('a secret'), false)
  assert.equal(await stored('/plain/a'), 'a secret')
  assert.equal((await store.get('/plain/a'))?.stale, undefined)
})

test('what was written under an earlier key is read, and is stale', async () => {
  const { store, put, rotate } = open()
  await put('/secrets/a')
  assert.equal((await store.get('/secrets/a'))?.stale, false)
  rotate(2, 1)
  const { entries } = await store.range('')
  assert.deepEqual(
    entries.map(({ value, stale }) => [Buffer.from(value).toString(), stale]),
    [['a secret', true]],
  )
  await store.commit({ key: '/secrets/a', expect: { revision: 2 }, value: bytes('a secret') })
  assert.equal((await store.get('/secrets/a'))?.stale, false)
})

test('a value that cannot be decrypted is unreadable; the others are read', async () => {
  const { inner, store, put } = open()
  await put('/secrets/a')
  await inner.commit({ key: '/secrets/b', expect: { absent: true }, value: bytes('k8s:enc:aesgcm:v1:9:nonsense') })
  await inner.commit({ key: '/plain/b', expect: { absent: true }, value: bytes('k8s:enc:aesgcm:v1:9:nonsense') })
  const { entries } = await store.range('')
  assert.deepEqual(
    entries.map(({ key, unreadable }) => [key, unreadable?.message]),
    [
      ['/plain/b', 'identity transformer tried to read encrypted data'],
      ['/secrets/a', undefined],
      ['/secrets/b', 'no matching prefix found'],
    ],
  )
  assert.throws(
    () => entries[2]?.value,
    (e) => e instanceof StoreError && e.code === 'untransformable',
  )
  const taken = await put('/secrets/b')
  assert.equal(taken.kind === 'conflict' && taken.current?.unreadable?.code, 'untransformable')
})

test('what cannot be encrypted is not stored', async () => {
  const inner = openMemoryStore({}, { clock: new VirtualClock() })
  const store = new EncryptingStore(inner, () => aesGcm(new Uint8Array(32), () => new Uint8Array(0)))
  await assert.rejects(store.commit({ key: 'a', expect: { absent: true }, value: bytes('x') }))
  assert.equal(await inner.get('a'), undefined)
})
