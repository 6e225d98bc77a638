import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { readWhole } from './read-whole.ts'

const stream = () => Readable.from([Buffer.from('abc'), Buffer.from('def')])
const tooLong = () => new Error('too long')

test('all bytes are read, up to the limit', async () => {
  assert.equal(String(await readWhole(stream(), 6, tooLong)), 'abcdef')
})

test('a longer stream is refused, and destroyed', async () => {
  const body = stream()
  await assert.rejects(readWhole(body, 5, tooLong), { message: 'too long' })
  assert.equal(body.destroyed, true)
})
