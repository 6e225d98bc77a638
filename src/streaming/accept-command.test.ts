/** Both ways into a container, with connections that are cut at any byte. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { VirtualClock } from '../base/clock.ts'
import { untilAborted } from '../base/on-abort.ts'
import { acceptCommand } from './accept-command.ts'
import type { UpgradeRequest } from './accepted.ts'
import { controlFrame, dataHead, FLAG_FIN, FRAME, numbers } from './spdy/frames.ts'
import { createHeaderCodec } from './spdy/header-block.ts'

const WANTED = { stdin: true, stdout: true, stderr: false, tty: false }
const answer = { start: () => assert.fail('refused'), write: () => true, end: () => {} }

const server = net.createServer({ allowHalfOpen: true })
before(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
after(() => server.close())

/** Both ends of a connection. */
async function connected(): Promise<[net.Socket, net.Socket]> {
  const accepted = once(server, 'connection') as Promise<[net.Socket]>
  const client = net.connect((server.address() as net.AddressInfo).port, '127.0.0.1')
  const [socket] = await accepted
  return [client, socket]
}

/** What a client sends: its opening request, then its standard input, one chunk per message, and the end of it. */
interface Wire {
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Buffer
}

/** A masked binary message (RFC 6455, 5.2). */
function webSocketMessage(payload: Buffer): Buffer {
  const mask = Buffer.of(1, 2, 3, 4)
  const length = payload.length < 126 ? Buffer.of(0x80 | payload.length) : Buffer.of(0x80 | 126, payload.length >> 8, payload.length & 255)
  return Buffer.concat([Buffer.of(0x82), length, mask, payload.map((byte, i) => byte ^ (mask[i % 4] ?? 0))])
}

const overWebSocket = async (pieces: readonly Uint8Array[]): Promise<Wire> => ({
  headers: {
    upgrade: 'websocket',
    connection: 'Upgrade',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    'sec-websocket-version': '13',
    'sec-websocket-protocol': 'v5.channel.k8s.io',
  },
  bytes: Buffer.concat([...pieces.map((p) => webSocketMessage(Buffer.concat([Buffer.of(0), p]))), webSocketMessage(Buffer.of(255, 0))]),
})

async function overSpdy(pieces: readonly Uint8Array[]): Promise<Wire> {
  using codec = createHeaderCodec()
  const opening: Buffer[] = []
  for (const [i, streamtype] of ['error', 'stdin', 'stdout'].entries()) {
    const head = Buffer.concat([numbers(1 + 2 * i, 0), Buffer.of(0, 0), await codec.encode({ streamtype })])
    opening.push(controlFrame(FRAME.synStream, 0, head))
  }
  const data = pieces.flatMap((p) => [dataHead(3, 0, p.length), p])
  return {
    headers: { upgrade: 'SPDY/3.1', connection: 'Upgrade', 'x-stream-protocol-version': 'v4.channel.k8s.io' },
    bytes: Buffer.concat([...opening, ...data, dataHead(3, FLAG_FIN, 0)]),
  }
}

/** Sends the bytes in these pieces, and no more; returns what the process has read of its standard input, and how that ended. */
async function served({ headers, bytes }: Wire, cuts: readonly number[], length: number) {
  const [client, socket] = await connected()
  client.on('error', () => {}).resume()
  const request: UpgradeRequest = { method: 'GET', url: '/', headers, query: { all: () => [] }, upgrade: { socket, head: Buffer.alloc(0) } }
  const accepting = acceptCommand(request, answer, WANTED, { clock: new VirtualClock() })
  const reading = accepting.then(
    async (accepted) => {
      if (accepted === undefined) return assert.fail('refused')
      const read: Uint8Array[] = []
      let ended: 'in order' | 'broken off' = 'in order'
      try {
        for await (const chunk of accepted.streams.stdin ?? []) read.push(chunk)
      } catch {
        ended = 'broken off'
      }
      return { accepted, read: Buffer.concat(read), ended }
    },
    () => undefined,
  )
  let from = 0
  for (const to of [...cuts.map((n) => n % (length + 1)).sort((a, b) => a - b), length]) {
    if (to > from) client.write(bytes.subarray(from, to))
    from = to
    await turn()
  }
  if (length < bytes.length) client.destroy()
  const seen = await reading
  const finishing = length === bytes.length ? seen?.accepted.finish({ kind: 'exit', exitCode: 0 }) : undefined
  await turn()
  client.destroy()
  await finishing
  // The process is notified that its client has disconnected.
  if (seen !== undefined && !seen.accepted.gone.aborted) {
    await untilAborted(seen.accepted.gone)
  }
  socket.destroy()
  return seen
}

for (const { name, wire } of [
  { name: 'a WebSocket', wire: overWebSocket },
  { name: 'SPDY', wire: overSpdy },
]) {
  describe(name, () => {
    const pieces = fc.array(fc.uint8Array({ minLength: 1, maxLength: 200 }), { maxLength: 6 })
    const cuts = fc.array(fc.nat(), { maxLength: 6 })

    test('brings what was sent, wherever the connection cuts it', async () => {
      await fc.assert(
        fc.asyncProperty(pieces, cuts, async (sent, at) => {
          const whole = await wire(sent)
          const seen = await served(whole, at, whole.bytes.length)
          assert.equal(seen?.ended, 'in order')
          assert.deepEqual(seen.read, Buffer.concat(sent))
        }),
        { numRuns: 60 },
      )
    })

    test('that is cut at any byte delivers a prefix of it, and is reported as cut off', async () => {
      await fc.assert(
        fc.asyncProperty(pieces, cuts, fc.nat(), async (sent, at, where) => {
          const whole = await wire(sent)
          const seen = await served(whole, at, where % whole.bytes.length)
          if (seen === undefined) return
          assert.equal(seen.ended, 'broken off')
          assert.deepEqual(seen.read, Buffer.concat(sent).subarray(0, seen.read.length))
        }),
        { numRuns: 100 },
      )
    })
  })
}

test('virtual time does not pass while a client opens its streams', async () => {
  const clock = new VirtualClock()
  const { headers, bytes } = await overSpdy([])
  const [client, socket] = await connected()
  client.on('error', () => {}).resume()
  const request: UpgradeRequest = { method: 'GET', url: '/', headers, query: { all: () => [] }, upgrade: { socket, head: Buffer.alloc(0) } }
  const accepting = acceptCommand(request, answer, WANTED, { clock })
  client.write(bytes.subarray(0, 20))
  await turn()
  const passing = clock.advance(60_000)
  client.write(bytes.subarray(20))
  const accepted = await accepting
  await passing
  assert.equal(accepted?.gone.aborted, false)
  client.destroy()
  socket.destroy()
})
