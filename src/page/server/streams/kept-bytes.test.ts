import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KeptBytes } from './kept-bytes.ts'

test('bytes are taken in order, 64 KiB at once', () => {
  const kept = new KeptBytes()
  void kept.write(new Uint8Array(60_000).fill(1))
  void kept.write(new Uint8Array(60_000).fill(2))
  const first = kept.take()
  assert.deepEqual([first.bytes.length, first.bytes[0], first.bytes.at(-1), first.hasMore], [65_536, 1, 2, true])
  const second = kept.take()
  assert.deepEqual([second.bytes.length, second.bytes[0], second.hasMore], [54_464, 2, false])
  assert.equal(kept.take().bytes.length, 0)
})

test('a stream waits while a browser does not take what it has written', async () => {
  const kept = new KeptBytes()
  await kept.write(new Uint8Array(100_000))
  let hasRoom = false
  const waiting = kept.write(new Uint8Array(200_000)).then(() => {
    hasRoom = true
  })
  await Promise.resolve()
  assert.equal(hasRoom, false)
  kept.take()
  await waiting
  assert.equal(hasRoom, true)
})
