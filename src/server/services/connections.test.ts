import assert from 'node:assert/strict'
import http2, { type ServerHttp2Stream } from 'node:http2'
import type { Duplex } from 'node:stream'
import { test } from 'node:test'
import { systemClock } from '../../base/clock.ts'
import { createStreamPair } from '../../base/stream-pair.ts'
import { nextTurn } from '../../base/turns.ts'
import { createConnections, type IncomingResponse } from './connections.ts'

const turn = () => new Promise<void>((resolve) => nextTurn(resolve))

/** The response of an HTTP/2 server to one request. */
async function answered(answer: (stream: ServerHttp2Stream) => void): Promise<IncomingResponse> {
  const server = http2.createServer()
  server.on('stream', answer)
  const connections = createConnections({
    clock: systemClock,
    async dial() {
      const [near, far] = createStreamPair({ near: { address: '10.0.0.1', port: 1 }, far: { address: '10.0.0.2', port: 2 } })
      server.emit('connection', far)
      return { socket: near, protocol: 'h2' }
    },
  })
  const signal = new AbortController().signal
  const found = await connections.send({ method: 'GET', target: '/', host: 'server', headers: {}, signal })
  found.body.once('close', () => connections[Symbol.dispose]())
  return found
}

async function textOf({ body }: IncomingResponse): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of body) parts.push(part)
  return Buffer.concat(parts).toString()
}

test('an HTTP/2 response that arrives completely before it is read is complete', async () => {
  const answer = await answered((stream) => {
    stream.respond({ ':status': 200 })
    stream.end('small')
  })
  for (let i = 0; i < 20; i++) await turn()
  assert.equal(await textOf(answer), 'small')
})

test("a long response is read at the reader's pace, and completely", async () => {
  const text = 'x'.repeat(3_000_000)
  const answer = await answered((stream) => {
    stream.respond({ ':status': 200 })
    stream.end(text)
  })
  for (let i = 0; i < 20; i++) await turn()
  assert.ok(answer.body.readableLength < 500_000, 'it waits for its reader')
  assert.equal((await textOf(answer)).length, text.length)
})

const CUTS: Readonly<Record<string, (stream: ServerHttp2Stream) => void>> = {
  'its stream is reset': (stream) => stream.destroy(new Error('no more')),
  'its connection ends': (stream) => stream.session?.destroy(),
}
for (const [how, cut] of Object.entries(CUTS))
  test(`a response that is cut off fails its reader: ${how}`, async () => {
    const answer = await answered((stream) => {
      stream.on('error', () => {})
      stream.respond({ ':status': 200 })
      stream.write('half', () => nextTurn(() => cut(stream)))
    })
    for (let i = 0; i < 20; i++) await turn()
    await assert.rejects(textOf(answer))
  })

/** Connections to a server that does something with each of them; `opened` counts them. */
function hostileServer(settings: http2.Settings, greet: (far: Duplex) => void) {
  const server = http2.createServer({ settings })
  server.on('stream', (stream: ServerHttp2Stream) => stream.respond({ ':status': 200 }, { endStream: true }))
  const counted = { opened: 0 }
  const connections = createConnections({
    clock: systemClock,
    async dial() {
      const [near, far] = createStreamPair({ near: { address: '10.0.0.1', port: 1 }, far: { address: '10.0.0.2', port: 2 } })
      counted.opened++
      server.emit('connection', far)
      greet(near)
      return { socket: near, protocol: 'h2' }
    },
  })
  const get = () =>
    connections
      .send({ method: 'GET', target: '/', host: 'server', headers: {}, signal: new AbortController().signal })
      .then(async (got) => {
        got.body.resume()
        for (let i = 0; i < 10; i++) await turn()
      })
  return { connections, counted, get }
}

test('many requests at once share as few connections as their streams need', async () => {
  const { connections, counted, get } = hostileServer({}, () => {})
  await Promise.all(Array.from({ length: 2000 }, get))
  // Before a server names a limit, 100 streams are assumed.
  assert.ok(counted.opened <= 20, `${counted.opened}`)
  connections[Symbol.dispose]()
})

test('a server that allows no streams gets a limited number of connections', async () => {
  const { connections, counted, get } = hostileServer({ maxConcurrentStreams: 0 }, () => {})
  const errors: string[] = []
  for (let i = 0; i < 300; i++) {
    get().catch((error: Error) => errors.push(error.message))
    for (let turns = 0; turns < 10; turns++) await turn()
  }
  assert.equal(counted.opened, 256)
  assert.match(errors.at(-1) ?? '', /no connection of the server takes a stream/)
  connections[Symbol.dispose]()
})

test('a request to a server whose connections end at once fails after a few of them', async () => {
  const { connections, counted, get } = hostileServer({}, (near) => near.destroy())
  await assert.rejects(get(), /EOF|no connection/)
  assert.ok(counted.opened <= 4, `${counted.opened}`)
  connections[Symbol.dispose]()
})
