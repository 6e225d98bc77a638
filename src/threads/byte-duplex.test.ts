import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { createBytePipe } from '../base/byte-pipe.ts'
import { linkedPair } from '../base/stream-pair.ts'
import { joinStream, streamOver } from './byte-duplex.ts'
import { linkPair } from './link.double.ts'
import { joinProcess, processOver } from './process-frames.ts'

test('a stream over an exchange carries both directions, and their ends', async () => {
  const [inside, outside] = linkedPair()
  using pair = linkPair({ far: { dial: (_asked, exchange) => joinStream(exchange, inside) } })
  const stream = streamOver(pair.near.open('dial', {}))
  stream.end('question')
  assert.equal(await text(outside.on('end', () => outside.end('answer'))), 'question')
  assert.equal(await text(stream), 'answer')
})

test('letting go of one end of a stream lets go of the other', async () => {
  const [inside, outside] = linkedPair()
  using pair = linkPair({ far: { dial: (_asked, exchange) => joinStream(exchange, inside) } })
  const stream = streamOver(pair.near.open('dial', {})).on('error', () => {})
  stream.destroy()
  await new Promise((resolve) => outside.on('close', resolve))
  assert.equal(outside.destroyed, true)
})

test('a process is fed, read and ended over an exchange', async () => {
  const [stdin, stdout, stderr] = [createBytePipe(), createBytePipe(), createBytePipe()]
  const sizes: number[] = []
  const exit = Promise.withResolvers<{ exitCode: number }>()
  const remote = {
    stdin: stdin.sink,
    stdout: stdout.source,
    stderr: stderr.source,
    resize: ({ width }: { readonly width: number }) => void sizes.push(width),
    exit: exit.promise,
    async [Symbol.asyncDispose]() {},
  }
  using pair = linkPair({ far: { run: (_asked, exchange) => joinProcess(exchange, remote) } })
  const process = processOver(pair.near.open('run', {}))
  process.resize({ width: 80, height: 25 })
  await process.stdin.write(Buffer.from('hello'))
  await process.stdin.end()
  await stderr.sink.write(Buffer.from('warned'))
  await stdout.sink.write(Buffer.from(await text(stdin.source)))
  await Promise.all([stdout.sink.end(), stderr.sink.end()])
  exit.resolve({ exitCode: 3 })
  assert.deepEqual(await Promise.all([text(process.stdout), text(process.stderr)]), ['hello', 'warned'])
  assert.deepEqual(await process.exit, { exitCode: 3 })
  assert.deepEqual(sizes, [80])
})

test('a process whose client leaves is left', async () => {
  const left = Promise.withResolvers<void>()
  const never = createBytePipe()
  const remote = {
    stdin: never.sink,
    stdout: never.source,
    stderr: createBytePipe().source,
    resize() {},
    exit: new Promise<{ exitCode: number }>(() => {}),
    async [Symbol.asyncDispose]() {
      left.resolve()
    },
  }
  using pair = linkPair({ far: { run: (_asked, exchange) => joinProcess(exchange, remote) } })
  const process = processOver(pair.near.open('run', {}))
  await process[Symbol.asyncDispose]()
  await left.promise
  await assert.rejects(process.exit, /the client has gone/)
})
