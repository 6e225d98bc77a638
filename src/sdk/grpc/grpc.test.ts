import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { systemClock, VirtualClock } from '../../base/clock.ts'
import { untilAborted } from '../../base/on-abort.ts'
import { message, text } from '../../machinery/protobuf/plain-message.ts'
import { connectUnix } from './connect-unix.ts'
import { GrpcError } from './grpc-error.ts'
import { serverStream, unary } from './method.ts'
import { answer, SocketError, serveUnix, tell } from './serve-unix.ts'

const Word = message({ word: text(1) })
const SAY = unary('/test.Words/Say', Word, Word)
const COUNT = serverStream('/test.Words/Count', Word, Word)

async function open(t: { after(fn: () => void): void }, clock = systemClock) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'grpc-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const ended: string[] = []
  const socket = path.join(folder, 's.sock')
  const server = await serveUnix(
    socket,
    [
      answer(SAY, ({ word }) => {
        if (word === 'hang') return new Promise(() => {})
        if (word === 'bad') throw new Error('no such word')
        if (word === 'worse') throw new GrpcError('NotFound', 'nowhere')
        return { word: word.toUpperCase() }
      }),
      tell(COUNT, async function* ({ word }, signal) {
        yield { word: 'one' }
        if (word === 'worse') throw new GrpcError('NotFound', 'nowhere')
        yield { word: 'two' }
        await untilAborted(signal)
        ended.push('left')
      }),
    ],
    { clock, mostBytes: 100_000 },
  )
  return { socket, server, ended, connection: await connectUnix(socket, { clock, mostBytes: 100_000 }) }
}

const limits = { signal: new AbortController().signal, timeoutMs: 5000 }

test('a call is answered; what the server throws comes with its code', async (t) => {
  const { connection, server } = await open(t)
  assert.deepEqual(await connection.call(SAY, { word: 'hello' }, limits), { word: 'HELLO' })
  await assert.rejects(connection.call(SAY, { word: 'bad' }, limits), { message: 'rpc error: code = Unknown desc = no such word' })
  await assert.rejects(connection.call(SAY, { word: 'worse' }, limits), { code: 'NotFound', details: 'nowhere' })
  connection[Symbol.dispose]()
  await server[Symbol.asyncDispose]()
})

test('a call ends when its time is over, by the clock it was given', async (t) => {
  const clock = new VirtualClock(0, { patienceMs: 50 })
  const { connection, server } = await open(t, clock)
  const call = assert.rejects(connection.call(SAY, { word: 'hang' }, { ...limits, timeoutMs: 1000 }), { code: 'DeadlineExceeded' })
  await clock.advance(1001)
  await call
  connection[Symbol.dispose]()
  await server[Symbol.asyncDispose]()
})

test('a stream delivers messages in order; its server learns that the client has left', async (t) => {
  const { connection, server, ended } = await open(t)
  const seen: string[] = []
  for await (const { word } of connection.stream(COUNT, { word: '' }, limits.signal)) {
    seen.push(word)
    if (word === 'two') break
  }
  assert.deepEqual(seen, ['one', 'two'])
  while (ended.length === 0) await systemClock.sleep(1).then(() => connection.call(SAY, { word: 'x' }, limits))
  connection[Symbol.dispose]()
  await server[Symbol.asyncDispose]()
})

test('what a stream throws reaches the client with its code', async (t) => {
  const { connection, server } = await open(t)
  const seen: string[] = []
  const read = async () => {
    for await (const { word } of connection.stream(COUNT, { word: 'worse' }, AbortSignal.timeout(5000))) seen.push(word)
  }
  await assert.rejects(read(), { code: 'NotFound', details: 'nowhere' })
  assert.deepEqual(seen, ['one'])
  connection[Symbol.dispose]()
  await server[Symbol.asyncDispose]()
})

test('a stream whose server dies fails; a new server on the same path is found by a new connection', async (t) => {
  const { connection, server, socket } = await open(t)
  const seen: string[] = []
  const reading = (async () => {
    for await (const { word } of connection.stream(COUNT, { word: '' }, limits.signal)) {
      seen.push(word)
      if (word === 'two') await server[Symbol.asyncDispose]()
    }
  })()
  await assert.rejects(reading, GrpcError)
  const again = await serveUnix(socket, [answer(SAY, ({ word }) => ({ word }))], { clock: systemClock })
  const other = await connectUnix(socket, { clock: systemClock })
  assert.deepEqual(await other.call(SAY, { word: 'back' }, limits), { word: 'back' })
  other[Symbol.dispose]()
  connection[Symbol.dispose]()
  await again[Symbol.asyncDispose]()
})

test('messages beyond the limit are refused on both sides, and both live on', async (t) => {
  const { connection, server } = await open(t)
  await assert.rejects(connection.call(SAY, { word: 'x'.repeat(200_000) }, limits), { code: 'ResourceExhausted' })
  assert.deepEqual(await connection.call(SAY, { word: 'still here' }, limits), { word: 'STILL HERE' })
  connection[Symbol.dispose]()
  await server[Symbol.asyncDispose]()
})

test('without a server the call fails at once and names the address', async (t) => {
  const { server, socket, connection } = await open(t)
  await server[Symbol.asyncDispose]()
  await assert.rejects(connection.call(SAY, { word: 'x' }, limits), { code: 'Unavailable' })
  connection[Symbol.dispose]()
  await assert.rejects(serveUnix(`/tmp/${'x'.repeat(120)}.sock`, [], { clock: systemClock }), SocketError)
  assert.ok(socket)
})
