import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createBytePipe } from './byte-pipe.ts'

const text = (s: string) => new TextEncoder().encode(s)

test('bytes come out as they went in, however they are cut', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 30 }),
      fc.integer({ min: 0, max: 60 }),
      async (chunks, limit) => {
        const pipe = createBytePipe(limit)
        const writing = (async () => {
          for (const c of chunks) await pipe.sink.write(c)
          await pipe.sink.end()
        })()
        const out: Uint8Array[] = []
        for await (const c of pipe.source) out.push(c)
        await writing
        assert.deepEqual(Buffer.concat(out), Buffer.concat(chunks))
      },
    ),
  )
})

test('a writer of single bytes waits too: each of them takes memory', async () => {
  const pipe = createBytePipe()
  let written = 0
  const writing = (async () => {
    for (; written < 10_000; written++) await pipe.sink.write(text('a'))
    await pipe.sink.end()
  })()
  for (let i = 0; i < 50_000; i++) await Promise.resolve()
  assert.equal(written, 2048)
  let read = 0
  for await (const _ of pipe.source) read++
  await writing
  assert.equal(read, 10_000)
})

test('a writer waits while the reader is behind', async () => {
  const pipe = createBytePipe(4)
  let written = 0
  const writing = (async () => {
    for (let i = 0; i < 10; i++) {
      await pipe.sink.write(text('abc'))
      written++
    }
    await pipe.sink.end()
  })()
  for (let i = 0; i < 20; i++) await Promise.resolve()
  assert.equal(written, 1, 'the second chunk is over the bound and waits')
  for await (const _ of pipe.source);
  await writing
  assert.equal(written, 10)
})

test('a broken pipe fails both ends, after what was written before', async () => {
  const pipe = createBytePipe(2)
  const blocked = pipe.sink.write(text('last words'))
  pipe.destroy(new Error('gone'))
  await assert.rejects(blocked, /gone/)
  const read: string[] = []
  await assert.rejects(async () => {
    for await (const c of pipe.source) read.push(Buffer.from(c).toString())
  }, /gone/)
  assert.deepEqual(read, ['last words'])
  await assert.rejects(pipe.sink.write(text('x')), /gone/)
})

test('a reader that leaves makes the writer stop', async () => {
  const pipe = createBytePipe(1)
  const writing = (async () => {
    for (;;) await pipe.sink.write(text('zz'))
  })()
  for await (const _ of pipe.source) break
  await assert.rejects(writing, /the reader has gone/)
})
