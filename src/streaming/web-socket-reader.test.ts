/** Logs over a WebSocket, as the kubelet and the API server serve them (`binary.k8s.io`, `base64.binary.k8s.io`). */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { test } from 'node:test'
import { WebSocket } from 'ws'
import type { UpgradeRequest } from './accepted.ts'
import { refusalDouble, upgradeServer } from './upgrade.double.ts'
import { type ReaderResponse, type StreamedResponse, webSocketReader } from './web-socket-reader.ts'

const request = (headers: Record<string, string>, method = 'GET', upgrades = true): UpgradeRequest => ({
  method,
  url: '/',
  headers,
  query: { all: () => [] },
  ...(upgrades && { upgrade: { socket: new net.Socket(), head: Buffer.alloc(0) } }),
})

function streamedRefusal() {
  const refusal = refusalDouble()
  const answer: StreamedResponse = { ...refusal, drained: async () => {} }
  return { answer, said: refusal.said }
}

const others: readonly (readonly [rule: string, UpgradeRequest])[] = [
  ['a plain request', request({}, 'GET', false)],
  ['an upgrade to SPDY', request({ upgrade: 'SPDY/3.1' })],
  ['the headers of a handshake over HTTP/2', request({ upgrade: 'websocket' }, 'GET', false)],
]
for (const [rule, requested] of others)
  test(`${rule} gets a plain response`, () => assert.equal(webSocketReader(requested, streamedRefusal().answer), undefined))

/** Serves the chunks to one client that offers these protocols; returns its messages, as text, and its close code. */
async function read(protocols: readonly string[], pieces: readonly string[]) {
  let served: Promise<void> = Promise.resolve()
  await using server = await upgradeServer((requested, answer) => {
    const reader = webSocketReader(requested, { ...answer, drained: async () => {} })
    assert.ok(reader)
    served = serve(reader, pieces)
  })
  const ws = new WebSocket(server.url, [...protocols])
  const messages: string[] = []
  const kinds = new Set<string>()
  ws.on('message', (data, binary) => {
    messages.push(String(data))
    kinds.add(binary ? 'binary' : 'text')
  })
  const [code] = (await once(ws, 'close')) as [number]
  await served
  return { messages, kinds: [...kinds], code, protocol: ws.protocol }
}

async function serve(reader: ReaderResponse, pieces: readonly string[]): Promise<void> {
  reader.start(200, {})
  for (const piece of pieces) if (!reader.write(Buffer.from(piece))) await reader.drained()
  reader.end()
  await reader.closed
}

const base64 = (text: string) => Buffer.from(text).toString('base64')
const reads: readonly (readonly [protocols: readonly string[], messages: readonly string[], protocol: string])[] = [
  [[], ['', 'one\n', 'two\n'], ''],
  [['binary.k8s.io'], ['', 'one\n', 'two\n'], 'binary.k8s.io'],
  [['base64.binary.k8s.io'], ['', base64('one\n'), base64('two\n')], 'base64.binary.k8s.io'],
  [['chat', 'base64.binary.k8s.io'], ['', base64('one\n'), base64('two\n')], 'base64.binary.k8s.io'],
  [['binary.k8s.io', 'base64.binary.k8s.io'], ['', 'one\n', 'two\n'], 'binary.k8s.io'],
]
for (const [protocols, messages, protocol] of reads)
  test(`a client that offers [${protocols.join(', ')}] reads an empty message, then a message a piece`, async () => {
    assert.deepEqual(await read(protocols, ['one\n', '', 'two\n']), {
      messages,
      // Kubernetes sends the empty message as bytes, whatever the protocol.
      kinds: protocol.startsWith('base64') ? ['binary', 'text'] : ['binary'],
      code: 1000,
      protocol,
    })
  })

test('a stream without a piece is one empty message', async () => {
  assert.deepEqual((await read([], [])).messages, [''])
})

test('an error stays a plain response', async () => {
  const { answer, said } = streamedRefusal()
  const reader = webSocketReader(request({ upgrade: 'websocket' }), answer)
  assert.ok(reader)
  reader.start(404, { 'content-type': 'application/json' })
  assert.equal(reader.write(Buffer.from('{}')), true)
  await reader.drained()
  reader.end()
  await reader.closed
  assert.deepEqual(said, { status: 404, headers: { 'content-type': 'application/json' }, body: '{}', ended: true })
})

const refused: readonly (readonly [rule: string, UpgradeRequest, status: number, body: string])[] = [
  ['a protocol that nobody speaks', request({ upgrade: 'websocket', 'sec-websocket-protocol': 'chat' }), 403, ''],
  ['another method', request({ upgrade: 'websocket' }, 'POST'), 405, 'bad method'],
]
for (const [rule, requested, status, body] of refused)
  test(`${rule} is refused with ${status}, and what follows is not written`, async () => {
    const { answer, said } = streamedRefusal()
    const reader = webSocketReader(requested, answer)
    assert.ok(reader)
    reader.start(200, { 'content-type': 'text/plain' })
    assert.deepEqual([said.status, said.body, said.ended], [status, body, true])
    await reader.closed
  })

test('a client that disconnects ends it', async () => {
  let reader: ReaderResponse | undefined
  await using server = await upgradeServer((requested, answer) => {
    reader = webSocketReader(requested, { ...answer, drained: async () => {} })
    reader?.start(200, {})
  })
  const ws = new WebSocket(server.url)
  await once(ws, 'message')
  ws.terminate()
  await reader?.closed
  assert.equal(reader?.write(Buffer.from('late')), false)
  await reader?.drained()
  reader?.end()
})
