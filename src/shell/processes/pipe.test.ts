import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { BrokenPipeError, createPipe, inputFrom, inputOf } from './pipe.ts'
import type { Input } from './process.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

async function all(input: Input): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  for (let piece = await input.read(); piece !== undefined; piece = await input.read()) pieces.push(piece)
  return Buffer.concat(pieces)
}

const PIECES = fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 20 })

test('what is written comes out in its order', async () => {
  await fc.assert(
    fc.asyncProperty(PIECES, async (pieces) => {
      const { input, sink } = createPipe()
      const write = async () => {
        for (const piece of pieces) await sink.write(piece)
        await sink.end()
      }
      const [read] = await Promise.all([all(input), write()])
      assert.deepEqual(Buffer.from(read), Buffer.concat(pieces))
    }),
  )
})

test('what is given back is read again first', async () => {
  await fc.assert(
    fc.asyncProperty(PIECES, fc.nat(60), async (pieces, taken) => {
      const { input, sink } = createPipe()
      for (const piece of pieces) await sink.write(piece)
      await sink.end()
      const first = (await input.read()) ?? new Uint8Array()
      input.unread(first.subarray(Math.min(taken, first.length)))
      const rest = await all(input)
      assert.deepEqual(Buffer.concat([first.subarray(0, taken), rest]), Buffer.concat(pieces))
    }),
  )
})

test('a writer waits while the pipe is full', async () => {
  const { input, sink } = createPipe()
  await sink.write(new Uint8Array(70_000))
  let written = false
  const more = sink.write(bytes('x')).then(() => {
    written = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(written, false)
  await input.read()
  await more
})

test('a writer whose reader has gone is ended', async () => {
  const { input, sink } = createPipe()
  await sink.write(new Uint8Array(70_000))
  const waiting = assert.rejects(sink.write(bytes('x')), BrokenPipeError)
  input.close()
  await waiting
  await assert.rejects(sink.write(bytes('y')), BrokenPipeError)
})

test('a read that is given up loses nothing', async () => {
  const { input, sink } = createPipe()
  const abort = new AbortController()
  const given = assert.rejects(input.read(abort.signal), /enough/)
  abort.abort(new Error('enough'))
  await given
  await sink.write(bytes('later'))
  assert.equal(Buffer.from((await input.read()) ?? []).toString(), 'later')
})

test('bytes are read in pieces no larger than a pipe holds', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(200_000), async (length) => {
      const input = inputOf(new Uint8Array(length).fill(7))
      let read = 0
      for (let piece = await input.read(); piece !== undefined; piece = await input.read()) {
        assert.ok(piece.length <= 65_536)
        read += piece.length
      }
      assert.equal(read, length)
    }),
    { numRuns: 30 },
  )
})

test('a stream is read by several readers, one after the other', async () => {
  async function* stream() {
    yield bytes('one ')
    yield bytes('two ')
  }
  const input = inputFrom(stream())
  const first = await input.read()
  input.unread(bytes('again '))
  assert.equal(Buffer.concat([first ?? new Uint8Array(), await all(input)]).toString(), 'one again two ')
})
