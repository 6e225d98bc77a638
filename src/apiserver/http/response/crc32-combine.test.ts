import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { combineCrc32 } from './crc32-combine.ts'

test('the checksum of two texts follows from theirs', () => {
  const bytes = fc.uint8Array({ maxLength: 300 })
  fc.assert(
    fc.property(bytes, bytes, (a, b) => {
      assert.equal(combineCrc32(crc32(a), crc32(b), b.length), crc32(Buffer.concat([a, b])))
    }),
  )
  const long = Buffer.alloc(5_000_000, 'abc')
  assert.equal(combineCrc32(crc32('x'), crc32(long), long.length), crc32(Buffer.concat([Buffer.from('x'), long])))
})
