import type { WebSocket } from 'ws'
import { createBytePipe } from '../base/byte-pipe.ts'
import { messageOf } from '../base/message-of.ts'
import { quiet } from '../base/quiet.ts'
import { badRequest } from '../machinery/status-error.ts'
import type { ForwardPort, UpgradeRequest, UpgradeResponse } from './accepted.ts'
import { createSpdySession, type SpdyStream } from './spdy/spdy-session.ts'
import { negotiateSpdy, spdyWire } from './spdy/spdy-upgrade.ts'
import { channelSocket, isWebSocket, offeredProtocols, openWebSocket, refusedHandshake, refuseHandshake } from './web-socket.ts'
import { wireOf } from './wire.ts'

const TUNNEL = 'SPDY/3.1+portforward.k8s.io'
const CHANNEL_PROTOCOLS = ['v4.channel.k8s.io', 'v4.base64.channel.k8s.io']
const SPDY_PROTOCOLS = ['portforward.k8s.io']
/** Each port has two channels, and a channel's number is a byte. */
const MOST_PORTS = 128

/**
 * Serves a port-forward until its client disconnects, or (over WebSocket channels) all its connections have ended. Throws a `StatusError`
 * if the request is not an upgrade, or has no port.
 */
export async function acceptPorts(request: UpgradeRequest, answer: UpgradeResponse, forward: ForwardPort): Promise<void> {
  if (request.local?.kind === 'ports') return request.local.accept(forward)
  if (request.upgrade === undefined) throw badRequest('Upgrade request required')
  if (!isWebSocket(request)) {
    const upgrade = negotiateSpdy(request, answer, SPDY_PROTOCOLS)
    return upgrade && overSpdy(spdyWire(upgrade), forward)
  }
  const offered = offeredProtocols(request)
  const protocol = offered.length === 0 ? '' : offered.find((p) => p === TUNNEL || CHANNEL_PROTOCOLS.includes(p))
  const refusal = refusedHandshake(request, protocol)
  if (protocol === undefined || refusal !== undefined) return refuseHandshake(answer, refusal)
  if (protocol === TUNNEL) {
    const { createWebSocketStream } = await import('ws')
    return overSpdy(wireOf(createWebSocketStream(await openWebSocket(request, TUNNEL))), forward)
  }
  const ports = forwardedPorts([...request.query.all('port'), ...request.query.all('ports')])
  return overChannels(await openWebSocket(request, protocol), protocol.includes('base64'), { ports, forward })
}

/** Whether the client uses SPDY inside its WebSocket: it sends its ports later. */
export const tunnels = (request: Pick<UpgradeRequest, 'headers'>): boolean => offeredProtocols(request).includes(TUNNEL)

/** The ports in a WebSocket's query. Throws a `StatusError` if there is none, or an invalid one. */
export function forwardedPorts(given: readonly string[]): number[] {
  if (given.length === 0) throw badRequest('query parameter "port" is required')
  if (given.includes('')) throw badRequest('query parameter "port" cannot be empty')
  const texts = given.flatMap((t) => t.split(','))
  if (texts.length > MOST_PORTS) throw badRequest(`${texts.length} ports are requested, but one connection forwards at most ${MOST_PORTS}`)
  return texts.map((text) => {
    const port = /^\d+$/.test(text) ? Number(text) : Number.NaN
    if (Number.isNaN(port))
      throw badRequest(
        `unable to parse ${JSON.stringify(text)} as a port: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`,
      )
    if (port > 65535)
      throw badRequest(
        `unable to parse ${JSON.stringify(text)} as a port: strconv.ParseUint: parsing ${JSON.stringify(text)}: value out of range`,
      )
    if (port === 0) throw badRequest(`port ${JSON.stringify(text)} must be > 0`)
    return port
  })
}

/** Each connection is a pair of streams with the same `requestid`: errors and data. */
async function overSpdy(wire: ReturnType<typeof wireOf>, forward: ForwardPort): Promise<void> {
  const session = createSpdySession(wire)
  const waiting = new Map<string, SpdyStream>()
  try {
    await session.run((stream) => {
      const { streamtype, port, requestid } = stream.headers
      const number = Number(port)
      if ((streamtype !== 'data' && streamtype !== 'error') || !Number.isInteger(number) || number < 1 || number > 65535)
        return stream.reset()
      const key = requestid ?? `port ${port}`
      const first = waiting.get(key)
      if (first === undefined) {
        waiting.set(key, stream)
        // A client that resets it waits for nothing: its place is free again.
        void stream.closed.then(() => waiting.get(key) === stream && waiting.delete(key))
        return
      }
      waiting.delete(key)
      const [data, error] = streamtype === 'data' ? [stream, first] : [first, stream]
      void carry(data, error, () => forward(number, data))
    })
  } finally {
    wire.destroy()
  }
}

async function carry(data: SpdyStream, error: SpdyStream, run: () => Promise<void>): Promise<void> {
  try {
    await run()
  } catch (cause) {
    await quiet(error.sink.write(Buffer.from(messageOf(cause))), 'the client may have gone')
  }
  // Else a client that still sends would block its other connections.
  data.stopReading()
  error.stopReading()
  await error.sink.end()
  await data.sink.end()
}

/** Two channels per port: data and errors; each begins with the port's number in two bytes, low byte first. */
async function overChannels(
  ws: WebSocket,
  base64: boolean,
  { ports, forward }: { ports: readonly number[]; forward: ForwardPort },
): Promise<void> {
  const socket = channelSocket(ws, base64)
  const incoming = ports.map(() => createBytePipe())
  socket.receive(async (channel, bytes) => {
    const pipe = channel % 2 === 0 ? incoming[channel / 2] : undefined
    if (pipe !== undefined) await quiet(pipe.sink.write(bytes), 'the port no longer reads')
  })
  void socket.closed.then(() => {
    for (const pipe of incoming) pipe.destroy(new Error('the client has gone'))
  })
  for (const [i, port] of ports.entries()) {
    const number = Buffer.of(port & 0xff, port >> 8)
    await quiet(socket.send(2 * i, number), 'the client may have gone')
    await quiet(socket.send(2 * i + 1, number), 'the client may have gone')
  }
  const connections = ports.map(async (port, i) => {
    const pipe = incoming[i]
    if (pipe === undefined) return
    try {
      await forward(port, { source: pipe.source, sink: { write: (chunk) => socket.send(2 * i, chunk), end: async () => {} } })
    } catch (cause) {
      await quiet(socket.send(2 * i + 1, Buffer.from(messageOf(cause))), 'the client may have gone')
    }
    pipe.destroy(new Error('the connection has ended'))
  })
  await Promise.race([Promise.allSettled(connections), socket.closed])
  await socket.close()
}
