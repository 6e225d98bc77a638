import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { framed, MessageReader } from './message-reader.ts'

test('messages are the same however their bytes are cut', () => {
  const messages = fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 8 })
  fc.assert(
    fc.property(messages, fc.array(fc.integer({ min: 1, max: 40 })), (sent, cuts) => {
      const bytes = Buffer.concat(sent.map(framed))
      const reader = new MessageReader()
      const read: Buffer[] = []
      let at = 0
      for (const cut of [...cuts, bytes.length]) {
        reader.push(bytes.subarray(at, at + cut), (message) => void read.push(Buffer.from(message)))
        at = Math.min(bytes.length, at + cut)
      }
      assert.deepEqual(
        read,
        sent.map((message) => Buffer.from(message)),
      )
      assert.equal(reader.partial, false)
    }),
  )
})

const REFUSED: readonly (readonly [name: string, prefix: Buffer, code: string])[] = [
  ['a compressed message', Buffer.from([1, 0, 0, 0, 1]), 'Internal'],
  ['a message of four gigabytes', Buffer.from([0, 0xff, 0xff, 0xff, 0xff]), 'ResourceExhausted'],
]
for (const [name, prefix, code] of REFUSED)
  test(`refused: ${name}`, () => {
    assert.throws(() => new MessageReader().push(prefix, () => {}), { name: 'GrpcError', code })
  })
