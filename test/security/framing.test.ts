/**
 * SPDY and WebSocket frames by hand, against exec, attach and port-forward: bad lengths, compression bombs, unmasked frames, thousands of
 * streams and pings. The server ends the connection in question, logs no error, and goes on serving the others.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, beforeEach, test } from 'node:test'
import type tls from 'node:tls'
import { constants, deflateSync } from 'node:zlib'
import { PODS } from '../../src/resources/refs.ts'
import type { NodeStreams } from '../../src/server/actions/node-streams.ts'
import { SPDY_DICTIONARY } from '../../src/streaming/spdy/dictionary.ts'
import { controlFrame, FRAME, numbers } from '../../src/streaming/spdy/frames.ts'
import { createHeaderCodec } from '../../src/streaming/spdy/header-block.ts'
import { type AttackedCluster, closedByServer, nextChunk, openAttackedCluster, upgrade } from './attacked-cluster.ts'

/** Processes and ports that never read, and end with their client. */
const PLAYED: NodeStreams = {
  exec: async () => async (_, gone) => {
    await once(gone, 'abort')
    return { exitCode: 0 }
  },
  attach: async () => async (_, gone) => {
    await once(gone, 'abort')
    return { exitCode: 0 }
  },
  portForward: async () => () => new Promise(() => {}),
}

const ONE = '/api/v1/namespaces/default/pods/one'
let attacked: AttackedCluster
let socket: tls.TLSSocket

before(async () => {
  attacked = await openAttackedCluster({}, { streams: PLAYED })
  const client = attacked.cluster.client()
  const target = { ...PODS, namespace: 'default' }
  await client.create(target, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'one' },
    spec: { containers: [{ name: 'main', image: 'app' }] },
  })
  for await (const events of client.watch(target, { fieldSelector: 'metadata.name=one' })) {
    if (events.some((e) => e.type !== 'BOOKMARK' && e.object.status?.phase === 'Running')) break
  }
})
after(() => attacked[Symbol.asyncDispose]())

const spdy = (path: string, protocol: string) =>
  upgrade(socket, `POST ${ONE}/${path}`, { Upgrade: 'SPDY/3.1', 'X-Stream-Protocol-Version': protocol, 'Content-Length': '0' })

const webSocket = (path: string, protocol: string) =>
  upgrade(socket, `GET ${ONE}/${path}`, {
    Upgrade: 'websocket',
    'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
    'Sec-WebSocket-Version': '13',
    ...(protocol !== '' && { 'Sec-WebSocket-Protocol': protocol }),
  })

beforeEach(async () => {
  socket = await attacked.connect()
})

/** Whether it serves, and how often it has told of errors that it did not foresee. */
async function unharmed(): Promise<void> {
  assert.equal((await attacked.cluster.client().list(PODS)).items.length, 1)
  assert.deepEqual(attacked.errors, [])
}

const bomb = deflateSync(Buffer.alloc(10_000_000), { dictionary: SPDY_DICTIONARY, finishFlush: constants.Z_SYNC_FLUSH })
const spdyBytes: readonly (readonly [what: string, bytes: Buffer])[] = [
  ['a RST_STREAM that is cut short', controlFrame(FRAME.rstStream, 0, Buffer.alloc(2))],
  ['a SYN_STREAM that is cut short', controlFrame(FRAME.synStream, 0, Buffer.alloc(4))],
  ['HEADERS of no bytes', controlFrame(FRAME.headers, 1, Buffer.alloc(0))],
  ['a header block that is not compressed', controlFrame(FRAME.synStream, 0, Buffer.alloc(300, 0x5a))],
  ['a header block of ten megabytes', controlFrame(FRAME.synStream, 0, Buffer.concat([numbers(1, 0), Buffer.of(0, 0), bomb]))],
  ['a control frame of 16 MiB', Buffer.of(0x80, 3, 0, 1, 0, 0xff, 0xff, 0xff)],
  ['another version', Buffer.of(0x80, 2, 0, 1, 0, 0, 0, 0)],
]
for (const [path, protocol] of [
  ['portforward', 'portforward.k8s.io'],
  ['exec?command=x&stdin=true&stdout=true', 'v4.channel.k8s.io'],
  ['attach?stdin=true&stdout=true', 'v4.channel.k8s.io'],
] as const)
  for (const [what, bytes] of spdyBytes)
    test(`SPDY of ${path.replace(/\?.*/, '')}: ${what} ends the connection`, async () => {
      await spdy(path, protocol)
      socket.write(bytes)
      await closedByServer(socket)
      await unharmed()
    })

const fragment = Buffer.of(0x00, 0x80, 0, 0, 0, 0)
const webSocketBytes: readonly (readonly [what: string, bytes: Buffer])[] = [
  ['a frame without a mask', Buffer.of(0x82, 2, 0, 1)],
  ['a length of 2^63', Buffer.of(0x82, 0xff, 0x7f, 255, 255, 255, 255, 255, 255, 255)],
  ['a message of 16 MiB', Buffer.of(0x82, 0xff, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0)],
  ['100,000 fragments of nothing', Buffer.concat([Buffer.of(0x02, 0x80, 0, 0, 0, 0), ...Array<Buffer>(100_000).fill(fragment)])],
  ['a compressed frame that nobody has agreed on', Buffer.of(0xc2, 0x80, 0, 0, 0, 0)],
  ['an unknown opcode', Buffer.of(0x8b, 0x80, 0, 0, 0, 0)],
  ['a fragmented ping', Buffer.of(0x09, 0x80, 0, 0, 0, 0)],
  ['a ping of 126 bytes', Buffer.concat([Buffer.of(0x89, 0xfe, 0, 126), Buffer.alloc(130)])],
  ['a close of one byte', Buffer.of(0x88, 0x81, 0, 0, 0, 0, 9)],
  ['a text that is not UTF-8', Buffer.of(0x81, 0x82, 0, 0, 0, 0, 0xff, 0xfe)],
]
for (const [path, protocol] of [
  ['portforward?port=80', 'v4.channel.k8s.io'],
  ['portforward?port=80', 'SPDY/3.1+portforward.k8s.io'],
  ['exec?command=x&stdin=true&stdout=true', 'v5.channel.k8s.io'],
] as const)
  for (const [what, bytes] of webSocketBytes)
    test(`WebSocket of ${path.replace(/\?.*/, '')} (${protocol}): ${what} ends the connection`, async () => {
      await webSocket(path, protocol)
      socket.write(bytes)
      await closedByServer(socket)
      await unharmed()
    })

test('streams that are opened and reset leave nothing behind: an id may be used again', async () => {
  await spdy('portforward', 'portforward.k8s.io')
  const codec = createHeaderCodec()
  const headers = { streamtype: 'data', port: '80', requestid: '0', filler: 'x'.repeat(1000) }
  for (let id = 1; id < 4000; id += 2) {
    const block = await codec.encode(headers)
    socket.write(controlFrame(FRAME.synStream, 0, Buffer.concat([numbers(id, 0), Buffer.of(0, 0), block])))
    socket.write(controlFrame(FRAME.rstStream, 0, numbers(id, 5)))
  }
  socket.write(controlFrame(FRAME.ping, 0, numbers(7)))
  const ping = controlFrame(FRAME.ping, 0, numbers(7))
  let seen = Buffer.alloc(0)
  // All replies before it: the session is alive, and has refused none of 2,000 streams.
  while (!seen.includes(ping)) seen = Buffer.concat([seen, await nextChunk(socket)])
  assert.equal(seen.includes(Buffer.of(0x80, 3, 0, FRAME.rstStream)), false)
  socket.destroy()
  await unharmed()
})

test('pings whose answers the client does not read end the connection', async () => {
  await webSocket('exec?command=x&stdin=true&stdout=true', 'v4.channel.k8s.io')
  const ping = Buffer.concat([Buffer.of(0x89, 0x80 | 125, 0, 0, 0, 0), Buffer.alloc(125)])
  const pings = Buffer.concat(Array<Buffer>(500).fill(ping))
  const closed = closedByServer(socket)
  const feed = () => {
    while (!socket.destroyed && socket.write(pings));
  }
  socket.pause().on('drain', feed)
  feed()
  await closed
  await unharmed()
})

test('a request for 20,000 ports is refused', async () => {
  socket.write(
    `GET ${ONE}/portforward?ports=${Array(20_000).fill('80').join()} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: v4.channel.k8s.io\r\n\r\n',
  )
  let answer = ''
  const closed = closedByServer(socket)
  socket.on('data', (chunk) => {
    answer += String(chunk)
  })
  await closed
  assert.match(answer, /^HTTP\/1\.1 400 [\s\S]*20000 ports are requested, but one connection forwards at most 128/)
})
