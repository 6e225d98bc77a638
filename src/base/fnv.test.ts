import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fnv32, fnv32a, fnv64a, fnv128a } from './fnv.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

test('the hashes of the test vectors of Go and of the draft', () => {
  assert.equal(fnv32(bytes('')).toString(16), '811c9dc5')
  assert.equal(fnv32(bytes('abc')).toString(16), '439c2f4b')
  assert.equal(fnv32a(bytes('abc')).toString(16), '1a47e90b')
  assert.equal(fnv64a(bytes('abc')).toString(16), 'e71fa2190541574b')
  assert.equal(fnv128a(bytes('')), '6c62272e07bb014262b821756295c58d')
  assert.equal(fnv128a(bytes('a')), 'd228cb696f1a8caf78912b704e4a8964')
  assert.equal(fnv128a(bytes('abc')), 'a68d622cec8b5822836dbc7977af7f3b')
})

test('128 bits by words are what big integers give', () => {
  const slow = (data: Uint8Array) =>
    data.reduce((hash, byte) => BigInt.asUintN(128, (hash ^ BigInt(byte)) * (2n ** 88n + 0x13bn)), 0x6c62272e07bb014262b821756295c58dn)
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (data) => assert.equal(BigInt(`0x${fnv128a(data)}`), slow(data))))
})
