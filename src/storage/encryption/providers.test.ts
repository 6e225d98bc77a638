import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemRandomBytes } from '../../base/random.ts'
import { aesCbc } from './aes-cbc.ts'
import { aesGcm, seededAesGcm } from './aes-gcm.ts'
import { identity } from './identity.ts'
import { prefixedTransformers } from './prefixed-transformers.ts'
import { secretbox } from './secretbox.ts'
import { TransformError, type ValueTransformer } from './value-transformer.ts'

const secret = (length: number, fill = 7) => new Uint8Array(length).fill(fill)
const bytes = (text: string) => Buffer.from(text)

const PROVIDERS: Readonly<Record<string, ValueTransformer>> = {
  'aescbc 16': aesCbc(secret(16), systemRandomBytes),
  'aescbc 24': aesCbc(secret(24), systemRandomBytes),
  'aescbc 32': aesCbc(secret(32), systemRandomBytes),
  'aesgcm 16': aesGcm(secret(16), systemRandomBytes),
  'aesgcm 24': aesGcm(secret(24), systemRandomBytes),
  'aesgcm 32': aesGcm(secret(32), systemRandomBytes),
  seeded: seededAesGcm(secret(32), systemRandomBytes),
  secretbox: secretbox(secret(32), systemRandomBytes),
}

for (const [name, provider] of Object.entries(PROVIDERS))
  test(`${name}: what was written is read back, is not visible, and differs each time`, async () => {
    for (const length of [0, 1, 15, 16, 17, 5000]) {
      const value = Buffer.alloc(length, 'correct horse ')
      const stored = Buffer.from(provider.toStorage(value, '/a'))
      assert.deepEqual(await provider.fromStorage(stored, '/a'), { value, stale: false })
      assert.equal(stored.includes('correct'), false)
      assert.notDeepEqual(stored, provider.toStorage(value, '/a'))
    }
  })

const DAMAGES: readonly (readonly [provider: string, damage: (stored: Buffer) => Uint8Array, message: string])[] = [
  ['aescbc 32', (b) => b.subarray(0, 15), 'the stored data was shorter than the required size'],
  ['aescbc 32', (b) => b.subarray(0, -1), 'the stored data is not a multiple of the block size'],
  ['aescbc 32', (b) => b.subarray(0, 16), 'invalid PKCS7 data (empty or not padded)'],
  ['aesgcm 32', (b) => b.subarray(0, 11), 'the stored data was shorter than the required size'],
  ['aesgcm 32', (b) => b.subarray(0, 20), 'cipher: message authentication failed'],
  ['aesgcm 32', (b) => b.subarray(0, -1), 'cipher: message authentication failed'],
  ['seeded', (b) => b.subarray(0, 31), 'the stored data was shorter than the required size'],
  ['seeded', (b) => b.subarray(0, 43), 'the stored data was shorter than the required size'],
  ['secretbox', (b) => b.subarray(0, 39), 'the stored data was shorter than the required size'],
  ['secretbox', (b) => b.subarray(0, -1), 'output array was not large enough for encryption'],
]
for (const [name, damage, message] of DAMAGES)
  test(`${name}: ${message}`, async () => {
    const provider = PROVIDERS[name] ?? identity
    const stored = Buffer.from(provider.toStorage(bytes('a value'), '/a'))
    await assert.rejects(provider.fromStorage(damage(stored), '/a'), (e) => e instanceof TransformError && e.message === message)
  })

test('what authenticates the key refuses a value that was moved; aescbc and secretbox do not', async () => {
  for (const [name, moves] of Object.entries({ 'aescbc 32': true, secretbox: true, 'aesgcm 32': false, seeded: false })) {
    const provider = PROVIDERS[name] ?? identity
    const read = provider.fromStorage(provider.toStorage(bytes('a value'), '/a'), '/b')
    if (moves) assert.deepEqual((await read).value, bytes('a value'))
    else await assert.rejects(read, { message: 'cipher: message authentication failed' })
  }
})

const keys = (...fills: readonly [number, ...number[]]) => {
  const [first, ...rest] = fills.map((fill) => ({
    prefix: 'k8s:enc:aescbc:v1:a:',
    transformer: aesCbc(secret(32, fill), systemRandomBytes),
  }))
  assert.ok(first)
  return { first, rest }
}

test('the first transformer writes with its prefix; what another one reads is stale', async () => {
  const old = keys(1).first
  const { first, rest } = keys(2, 1)
  const rotated = prefixedTransformers({ transformers: [first, ...rest, { prefix: '', transformer: identity }], unmatched: 'none' })
  const stored = prefixedTransformers({ transformers: [old], unmatched: 'none' }).toStorage(bytes('x'), '/a')
  assert.ok(Buffer.from(stored).toString('latin1').startsWith('k8s:enc:aescbc:v1:a:'))
  assert.deepEqual(await rotated.fromStorage(stored, '/a'), { value: bytes('x'), stale: true })
  assert.deepEqual(await rotated.fromStorage(bytes('{}'), '/a'), { value: bytes('{}'), stale: true })
  assert.deepEqual(await rotated.fromStorage(rotated.toStorage(bytes('x'), '/a'), '/a'), { value: bytes('x'), stale: false })
})

test('identity in front reads encrypted values by the providers behind it', async () => {
  const { first } = keys(1)
  const stored = prefixedTransformers({ transformers: [first], unmatched: 'none' }).toStorage(bytes('x'), '/a')
  const plain = prefixedTransformers({ transformers: [{ prefix: '', transformer: identity }, first], unmatched: 'none' })
  assert.deepEqual(await plain.fromStorage(stored, '/a'), { value: bytes('x'), stale: true })
  assert.deepEqual(plain.toStorage(bytes('x'), '/a'), bytes('x'))
  const alone = prefixedTransformers({ transformers: [{ prefix: '', transformer: identity }], unmatched: 'no matching prefix found' })
  await assert.rejects(alone.fromStorage(stored, '/a'), { message: 'no matching prefix found' })
})

test('transformations are recorded with their prefix', async () => {
  const seen: string[] = []
  const recorder = {
    now: () => 0,
    record: (t: { type: string; prefix: string; error?: unknown }) => seen.push(`${t.type} ${t.prefix} ${t.error === undefined}`),
  }
  const one = prefixedTransformers({ transformers: [keys(1).first], unmatched: 'none', recorder })
  await one.fromStorage(one.toStorage(bytes('x'), '/a'), '/a')
  await assert.rejects(one.fromStorage(bytes('{}'), '/a'))
  assert.deepEqual(seen, ['to_storage k8s:enc:aescbc:v1:a: true', 'from_storage k8s:enc:aescbc:v1:a: true', 'from_storage unknown false'])
})
