/** Port-forwards as clients of Kubernetes open them: channels of a WebSocket, SPDY, and SPDY inside of a WebSocket. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { test } from 'node:test'
import { WebSocket } from 'ws'
import { isStatus } from '../machinery/status-error.ts'
import { acceptPorts, forwardedPorts, tunnels } from './accept-ports.ts'
import type { ForwardPort, UpgradeRequest } from './accepted.ts'
import { controlFrame, dataHead, FLAG_FIN, FRAME, type Frame, numbers, RST, readFrames } from './spdy/frames.ts'
import { createHeaderCodec } from './spdy/header-block.ts'
import { refusalDouble, upgradeServer } from './upgrade.double.ts'

const named: readonly (readonly [given: readonly string[], ports: readonly number[] | string])[] = [
  [['80'], [80]],
  [
    ['80', '443'],
    [80, 443],
  ],
  [
    ['80,443', '8080'],
    [80, 443, 8080],
  ],
  [['1'], [1]],
  [['65535'], [65535]],
  [['0080'], [80]],
  [[], 'query parameter "port" is required'],
  [[''], 'query parameter "port" cannot be empty'],
  [['80', ''], 'query parameter "port" cannot be empty'],
  [['0'], 'port "0" must be > 0'],
  [['65536'], 'unable to parse "65536" as a port: strconv.ParseUint: parsing "65536": value out of range'],
  [
    ['99999999999999999999'],
    'unable to parse "99999999999999999999" as a port: strconv.ParseUint: parsing "99999999999999999999": value out of range',
  ],
  [['http'], 'unable to parse "http" as a port: strconv.ParseUint: parsing "http": invalid syntax'],
  [['-1'], 'unable to parse "-1" as a port: strconv.ParseUint: parsing "-1": invalid syntax'],
  [['80,'], 'unable to parse "" as a port: strconv.ParseUint: parsing "": invalid syntax'],
  [['8 0'], 'unable to parse "8 0" as a port: strconv.ParseUint: parsing "8 0": invalid syntax'],
]
for (const [given, expected] of named)
  test(`ports ${JSON.stringify(given)}: ${typeof expected === 'string' ? expected : expected.join(' ')}`, () => {
    if (typeof expected !== 'string') return assert.deepEqual(forwardedPorts(given), expected)
    const isRefusal = (error: unknown) => isStatus(error) && error.status.code === 400 && error.message === expected
    assert.throws(() => forwardedPorts(given), isRefusal)
  })

test('one connection forwards 128 ports at most', () => {
  assert.equal(forwardedPorts([Array(128).fill('80').join()]).length, 128)
  assert.throws(() => forwardedPorts([Array(64).fill('80').join(), Array(65).fill('81').join()]), /129 ports are requested/)
})

const offers: readonly (readonly [protocols: string | undefined, tunnels: boolean])[] = [
  ['SPDY/3.1+portforward.k8s.io', true],
  ['v4.channel.k8s.io, SPDY/3.1+portforward.k8s.io', true],
  ['v4.channel.k8s.io', false],
  [undefined, false],
]
for (const [protocols, expected] of offers)
  test(`a client that offers ${protocols} ${expected ? 'tunnels' : 'does not tunnel'}`, () => {
    assert.equal(tunnels({ headers: { 'sec-websocket-protocol': protocols } }), expected)
  })

/** Replies with its input in capitals after the port's number; port 7 cannot be reached. */
const shout: ForwardPort = async (port, { source, sink }) => {
  if (port === 7) throw new Error('dial tcp 127.0.0.1:7: connect: connection refused')
  for await (const chunk of source) {
    const text = Buffer.from(chunk).toString()
    await sink.write(Buffer.from(`${port}:${text.toUpperCase()}`))
    if (text.includes('bye')) return
  }
}

const plain = (headers: Record<string, string>, upgrade?: UpgradeRequest['upgrade'], method = 'GET'): UpgradeRequest => ({
  method,
  url: '/',
  headers,
  query: { all: () => ['80'] },
  ...(upgrade && { upgrade }),
})

test('what is no upgrade is refused', async () => {
  await assert.rejects(acceptPorts(plain({}), refusalDouble(), shout), (error) => isStatus(error) && error.status.code === 400)
})

const refusals: readonly (readonly [rule: string, method: string, headers: Record<string, string>, status: number, body: string])[] = [
  ['a protocol of nobody', 'GET', { upgrade: 'websocket', 'sec-websocket-protocol': 'chat' }, 403, ''],
  ['another method', 'POST', { upgrade: 'websocket', 'sec-websocket-protocol': 'v4.channel.k8s.io' }, 405, 'bad method'],
  [
    'SPDY of another protocol',
    'POST',
    { upgrade: 'SPDY/3.1', 'x-stream-protocol-version': 'v9.k8s.io' },
    403,
    'unable to upgrade: unable to negotiate protocol: client supports [v9.k8s.io], server accepts [portforward.k8s.io]\n',
  ],
]
for (const [rule, method, headers, status, body] of refusals)
  test(`${rule} gets status ${status}`, async () => {
    const socket = new net.Socket()
    const answer = refusalDouble()
    await acceptPorts(plain(headers, { socket, head: Buffer.alloc(0) }, method), answer, shout)
    assert.deepEqual([answer.said.status, answer.said.body, answer.said.ended], [status, body, true])
  })

test('a client of the same process brings its own connections', async () => {
  const seen: ForwardPort[] = []
  const accept = async (forward: ForwardPort) => void seen.push(forward)
  await acceptPorts({ ...plain({}), local: { kind: 'ports', accept } }, refusalDouble(), shout)
  assert.deepEqual(seen, [shout])
})

/** All messages of a WebSocket until it closes, as channel and bytes; `send` is called when it is open. */
async function channels(url: string, protocol: string | undefined, sent: readonly (string | Buffer)[]) {
  const ws = new WebSocket(url, protocol === undefined ? [] : [protocol])
  const seen: Buffer[] = []
  ws.on('message', (data) => seen.push(data as Buffer))
  ws.on('open', () => {
    for (const message of sent) ws.send(message)
  })
  const [code] = (await once(ws, 'close')) as [number]
  return { seen, code, protocol: ws.protocol }
}

const on = (channel: number, text: string) => Buffer.concat([Buffer.of(channel), Buffer.from(text)])

for (const protocol of ['v4.channel.k8s.io', undefined])
  test(`channels of ${protocol ?? 'no protocol'}: each port has one for data and one for errors, each names its port first`, async () => {
    await using server = await upgradeServer((request, answer) => void acceptPorts(request, answer, shout))
    const { seen, code } = await channels(`${server.url}/?port=8080&ports=7`, protocol, [on(0, 'hello, bye')])
    assert.equal(code, 1000)
    const of = (channel: number) => Buffer.concat(seen.filter((m) => m[0] === channel).map((m) => m.subarray(1)))
    // 8080 is 0x1f90; the low byte comes first.
    assert.deepEqual(of(0), Buffer.concat([Buffer.of(0x90, 0x1f), Buffer.from('8080:HELLO, BYE')]))
    assert.deepEqual(of(1), Buffer.of(0x90, 0x1f))
    assert.deepEqual(of(2), Buffer.of(7, 0))
    assert.deepEqual(of(3), Buffer.concat([Buffer.of(7, 0), Buffer.from('dial tcp 127.0.0.1:7: connect: connection refused')]))
  })

test('channels of base64 are texts that begin with a digit', async () => {
  await using server = await upgradeServer((request, answer) => void acceptPorts(request, answer, shout))
  const { seen } = await channels(`${server.url}/?port=80`, 'v4.base64.channel.k8s.io', [`0${Buffer.from('bye').toString('base64')}`])
  const texts = seen.map((m) => `${m.toString()[0]} ${Buffer.from(m.toString().slice(1), 'base64').toString('latin1')}`)
  assert.deepEqual(texts, ['0 P\0', '1 P\0', '0 80:BYE'])
})

test('what is sent to a channel for errors, or of no port, is passed over', async () => {
  await using server = await upgradeServer((request, answer) => void acceptPorts(request, answer, shout))
  const { seen, code } = await channels(`${server.url}/?port=80`, 'v4.channel.k8s.io', [
    on(1, 'x'),
    on(9, 'y'),
    Buffer.alloc(0),
    on(0, 'bye'),
  ])
  assert.equal(seen.at(-1)?.toString(), '\x0080:BYE')
  assert.equal(code, 1000)
})

/** A SPDY client below any byte stream: opens stream pairs and tells what came on them. */
function spdyClient(write: (bytes: Buffer) => void, source: AsyncIterable<Uint8Array>) {
  const codec = createHeaderCodec()
  const frames = readFrames(source)
  return {
    async open(id: number, headers: Record<string, string>) {
      write(controlFrame(FRAME.synStream, 0, Buffer.concat([numbers(id, 0), Buffer.of(0, 0), await codec.encode(headers)])))
    },
    reset(id: number) {
      write(controlFrame(FRAME.rstStream, 0, numbers(id, RST.cancel)))
    },
    data(id: number, text: string) {
      write(Buffer.concat([dataHead(id, 0, text.length), Buffer.from(text)]))
    },
    end(id: number) {
      write(dataHead(id, FLAG_FIN, 0))
    },
    /** Reads until these streams have ended (FIN or RST); returns their texts, or `!` and the code for a reset one. */
    async until(...ids: readonly number[]): Promise<Record<number, string>> {
      const texts: Record<number, string> = Object.fromEntries(ids.map((id) => [id, '']))
      const open = new Set(ids)
      const take = (frame: Frame) => {
        if (frame.kind === 'data') {
          texts[frame.stream] += frame.bytes.toString()
          if (frame.fin) open.delete(frame.stream)
        } else if (frame.type === FRAME.rstStream) {
          const id = frame.payload.readUInt32BE(0)
          texts[id] += `!${frame.payload.readUInt32BE(4)}`
          open.delete(id)
        }
      }
      while (open.size > 0) {
        const { value } = await frames.next()
        if (value === undefined) break
        take(value)
      }
      return texts
    },
  }
}

/** A connection that was upgraded to SPDY. */
async function overSpdy(port: number) {
  const socket = net.connect(port, '127.0.0.1')
  const headers = ['Connection: Upgrade', 'Upgrade: SPDY/3.1', 'X-Stream-Protocol-Version: portforward.k8s.io', 'Host: x']
  socket.write(`POST / HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`)
  const [first] = (await once(socket, 'data')) as [Buffer]
  assert.match(first.toString(), /^HTTP\/1\.1 101 [\s\S]*X-Stream-Protocol-Version: portforward\.k8s\.io\r\n\r\n$/)
  return { client: spdyClient((bytes) => void socket.write(bytes), socket), close: () => socket.destroy() }
}

/** A masked binary message (RFC 6455, 5.2) of fewer than 64 KiB. */
function webSocketMessage(payload: Buffer): Buffer {
  const mask = Buffer.of(1, 2, 3, 4)
  const length = payload.length < 126 ? Buffer.of(0x80 | payload.length) : Buffer.of(0x80 | 126, payload.length >> 8, payload.length & 255)
  return Buffer.concat([Buffer.of(0x82), length, mask, payload.map((byte, i) => byte ^ (mask[i % 4] ?? 0))])
}

/** The payloads of a server's messages, each of fewer than 64 KiB. */
async function* payloads(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held = Buffer.alloc(0)
  for await (const chunk of source) {
    held = Buffer.concat([held, chunk])
    for (;;) {
      const short = held.length < 2 ? 0 : held.readUInt8(1)
      const head = short === 126 ? 4 : 2
      if (held.length < head) break
      const length = short === 126 ? held.readUInt16BE(2) : short
      if (held.length < head + length) break
      yield held.subarray(head, head + length)
      held = held.subarray(head + length)
    }
  }
}

/** The same inside a WebSocket. Written by hand, because the library's client rejects protocols with a slash in their name. */
async function overTunnel(port: number) {
  const socket = net.connect(port, '127.0.0.1')
  const headers = {
    Host: 'x',
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Protocol': 'SPDY/3.1+portforward.k8s.io',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`GET / HTTP/1.1\r\n${lines.join('')}\r\n`)
  const [first] = (await once(socket, 'data')) as [Buffer]
  // The accept key of the example in RFC 6455, 1.3.
  assert.match(first.toString(), /^HTTP\/1\.1 101 [\s\S]*s3pPLMBiTxaQ9kYGzzhZRbK\+xOo=[\s\S]*SPDY\/3\.1\+portforward\.k8s\.io\r\n/)
  return { client: spdyClient((bytes) => void socket.write(webSocketMessage(bytes)), payloads(socket)), close: () => socket.destroy() }
}

test('a pair of streams with one request id is a connection, whichever comes first', async () => {
  await using server = await upgradeServer((request, answer) => void acceptPorts(request, answer, shout).catch(() => {}))
  const { client, close } = await overSpdy(server.port)
  await client.open(1, { streamtype: 'error', port: '80', requestid: '0' })
  await client.open(3, { streamtype: 'data', port: '81', requestid: '1' })
  await client.open(5, { streamtype: 'data', port: '80', requestid: '0' })
  await client.open(7, { streamtype: 'error', port: '81', requestid: '1' })
  client.data(5, 'a bye')
  client.data(3, 'b bye')
  assert.deepEqual(await client.until(1, 3, 5, 7), { 1: '', 3: '81:B BYE', 5: '80:A BYE', 7: '' })
  close()
})

test('an unreachable port is reported on the error stream', async () => {
  await using server = await upgradeServer((request, answer) => void acceptPorts(request, answer, shout).catch(() => {}))
  const { client, close } = await overSpdy(server.port)
  await client.open(1, { streamtype: 'error', port: '7', requestid: '0' })
  await client.open(3, { streamtype: 'data', port: '7', requestid: '0' })
  assert.deepEqual(await client.until(1, 3), { 1: 'dial tcp 127.0.0.1:7: connect: connection refused', 3: '' })
  close()
})

test('streams without a request id are paired by their port', async () => {
  await using server = await upgradeServer((request, answer) => void acceptPorts(request, answer, shout).catch(() => {}))
  const { client, close } = await overSpdy(server.port)
  await client.open(1, { streamtype: 'error', port: '80' })
  await client.open(3, { streamtype: 'data', port: '80' })
  client.data(3, 'bye')
  assert.deepEqual(await client.until(1, 3), { 1: '', 3: '80:BYE' })
  close()
})

test('a stream that its client resets waits for no other one', async () => {
  await using server = await upgradeServer((request, answer) => void acceptPorts(request, answer, shout).catch(() => {}))
  const { client, close } = await overSpdy(server.port)
  await client.open(1, { streamtype: 'data', port: '80', requestid: '0' })
  client.reset(1)
  await client.open(3, { streamtype: 'error', port: '80', requestid: '0' })
  await client.open(5, { streamtype: 'data', port: '80', requestid: '0' })
  client.data(5, 'bye')
  assert.deepEqual(await client.until(3, 5), { 3: '', 5: '80:BYE' })
  close()
})

const odd: readonly (readonly [rule: string, headers: Record<string, string>])[] = [
  ['of another type', { streamtype: 'stdin', port: '80' }],
  ['of no type', { port: '80' }],
  ['to port 0', { streamtype: 'data', port: '0' }],
  ['to a port beyond the last', { streamtype: 'data', port: '65536' }],
  ['to what is no port', { streamtype: 'data', port: 'http' }],
  ['to a fraction', { streamtype: 'data', port: '8.5' }],
]
for (const [rule, headers] of odd)
  test(`a stream ${rule} is reset, and the session continues`, async () => {
    await using server = await upgradeServer((request, answer) => void acceptPorts(request, answer, shout).catch(() => {}))
    const { client, close } = await overSpdy(server.port)
    await client.open(1, headers)
    assert.deepEqual(await client.until(1), { 1: `!${RST.cancel}` })
    await client.open(3, { streamtype: 'error', port: '80', requestid: '0' })
    await client.open(5, { streamtype: 'data', port: '80', requestid: '0' })
    client.data(5, 'bye')
    assert.deepEqual(await client.until(3, 5), { 3: '', 5: '80:BYE' })
    close()
  })

test('SPDY inside of a WebSocket is the same', async () => {
  await using server = await upgradeServer((request, answer) => void acceptPorts(request, answer, shout).catch(() => {}))
  const { client, close } = await overTunnel(server.port)
  await client.open(1, { streamtype: 'error', port: '80', requestid: '0' })
  await client.open(3, { streamtype: 'data', port: '80', requestid: '0' })
  client.data(3, 'bye')
  assert.deepEqual(await client.until(1, 3), { 1: '', 3: '80:BYE' })
  close()
})

/** Half-closed connections: port 80 answers when its client has ended, 81 ends without having read, 82 cannot be reached. */
const halfClosed: ForwardPort = async (port, { source, sink }) => {
  if (port === 82) throw new Error('connection refused')
  if (port === 81) return sink.end()
  let length = 0
  for await (const chunk of source) length += chunk.length
  await sink.write(Buffer.from(`${length} bytes`))
}

test('a client that has ended its half gets the answer', async () => {
  await using server = await upgradeServer((request, answer) => void acceptPorts(request, answer, halfClosed).catch(() => {}))
  const { client, close } = await overSpdy(server.port)
  await client.open(1, { streamtype: 'error', port: '80', requestid: '0' })
  await client.open(3, { streamtype: 'data', port: '80', requestid: '0' })
  client.data(3, 'hello')
  client.end(3)
  client.data(3, 'more than the end')
  assert.deepEqual(await client.until(1, 3), { 1: '', 3: '5 bytes' })
  close()
})

for (const port of [81, 82])
  test(`a client that sends on to port ${port}, which has ended, blocks none of its other connections`, async () => {
    await using server = await upgradeServer((request, answer) => void acceptPorts(request, answer, halfClosed).catch(() => {}))
    const { client, close } = await overSpdy(server.port)
    for (const [id, streamtype] of [
      [1, 'error'],
      [3, 'data'],
    ] as const)
      await client.open(id, { streamtype, port: `${port}`, requestid: '0' })
    await client.until(1, 3)
    for (const id of [1, 3]) for (let i = 0; i < 64; i++) client.data(id, 'x'.repeat(16_384))
    await client.open(5, { streamtype: 'error', port: '80', requestid: '1' })
    await client.open(7, { streamtype: 'data', port: '80', requestid: '1' })
    client.data(7, 'hello')
    client.end(7)
    assert.deepEqual(await client.until(5, 7), { 5: '', 7: '5 bytes' })
    close()
  })

test('channels of a port that has ended block no other port', async () => {
  await using server = await upgradeServer((request, answer) => void acceptPorts(request, answer, halfClosed))
  const ws = new WebSocket(`${server.url}/?port=81&port=83`, 'v4.channel.k8s.io')
  await once(ws, 'open')
  for (let i = 0; i < 64; i++) ws.send(on(0, 'x'.repeat(16_384)))
  ws.ping()
  await once(ws, 'pong')
  ws.terminate()
})
