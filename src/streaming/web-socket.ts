import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { RawData, WebSocket } from 'ws'
import { quietErrors } from '../base/quiet.ts'
import type { UpgradeRequest, UpgradeResponse } from './accepted.ts'

/** The largest message a client may send. Upstream's clients send 32 KiB. */
const MOST_MESSAGE_BYTES = 1024 * 1024

/** Limit of received bytes that are not processed yet; beyond it, the client is not read. */
const MOST_WAITING_BYTES = 256 * 1024

/** What a message that waits counts at least: also an empty one is held in memory. */
const LEAST_COUNTED_BYTES = 1024

/** The subprotocols that the client offers, in its order. */
export const offeredProtocols = (request: Pick<UpgradeRequest, 'headers'>): string[] =>
  (request.headers['sec-websocket-protocol'] ?? '')
    .split(',')
    .map((p) => p.trim())
    .filter((p) => p !== '')

/** Whether this is a WebSocket's opening handshake. */
export const isWebSocket = (request: Pick<UpgradeRequest, 'headers'>): boolean => request.headers.upgrade?.toLowerCase() === 'websocket'

/** Why a handshake is refused; undefined: it is accepted. `protocol` is the one that both sides support. */
export function refusedHandshake(request: Pick<UpgradeRequest, 'method'>, protocol: string | undefined): Refusal | undefined {
  if (request.method !== 'GET') return { code: 405, text: 'bad method' }
  return protocol === undefined ? { code: 403, text: '' } : undefined
}

interface Refusal {
  readonly code: number
  readonly text: string
}

export function refuseHandshake(answer: UpgradeResponse, { code, text }: Refusal = { code: 403, text: '' }): void {
  answer.start(code, { 'content-length': String(text.length) })
  if (text !== '') answer.write(Buffer.from(text))
  answer.end()
}

/** Accepts the opening handshake. `protocol` is one of those that the client offered, or `''` for none. */
export async function openWebSocket(request: UpgradeRequest, protocol: string): Promise<WebSocket> {
  const { socket, head } = request.upgrade ?? {}
  if (socket === undefined || head === undefined) throw new Error('a WebSocket needs an upgrade')
  const { WebSocketServer } = await import('ws')
  const server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MOST_MESSAGE_BYTES,
  })
  // The library accepts no protocol with a slash in its name (`SPDY/3.1+portforward.k8s.io`): it gets none, and the response names it.
  const { 'sec-websocket-protocol': _, ...headers } = request.headers
  if (protocol !== '') server.on('headers', (lines) => lines.push(`Sec-WebSocket-Protocol: ${protocol}`))
  const requested = { method: request.method, url: request.url, headers } as IncomingMessage
  return new Promise((resolve, reject) => {
    const gone = () => reject(new Error('the client went away in the handshake'))
    socket.once('close', gone)
    server.handleUpgrade(requested, socket as Duplex, head, (ws) => {
      socket.off('close', gone)
      quietErrors(ws, 'the close event follows')
      resolve(ws)
    })
  })
}

export interface ChannelSocket {
  /** Calls `fn` for each message, one after the other; a client that sends faster is not read meanwhile. */
  receive(fn: (channel: number, bytes: Buffer) => Promise<void>): void
  /** Resolves when the message is sent. */
  send(channel: number, bytes: Uint8Array): Promise<void>
  /** Closes with code 1000, and resolves when the connection has ended. */
  close(): Promise<void>
  /** Closes the connection at once. */
  destroy(): void
  readonly closed: Promise<void>
}

/** A WebSocket whose messages begin with the number of their channel: a byte, or a digit before base64 text. */
export function channelSocket(ws: WebSocket, base64: boolean): ChannelSocket {
  const closed = new Promise<void>((resolve) => {
    ws.once('close', () => resolve())
  })
  return {
    closed,
    receive(fn) {
      let turn = Promise.resolve()
      let waiting = 0
      ws.on('message', (data: RawData) => {
        const message = data as Buffer
        if (message.length === 0) return
        const channel = base64 ? (message[0] ?? 0) - 48 : (message[0] ?? 0)
        const bytes = base64 ? Buffer.from(message.toString('latin1', 1), 'base64') : message.subarray(1)
        const counted = Math.max(bytes.length, LEAST_COUNTED_BYTES)
        waiting += counted
        if (waiting > MOST_WAITING_BYTES) ws.pause()
        turn = turn
          .then(() => fn(channel, bytes))
          .then(
            () => {
              waiting -= counted
              if (ws.isPaused && waiting <= MOST_WAITING_BYTES) ws.resume()
            },
            () => ws.terminate(),
          )
      })
    },
    send: (channel, bytes) =>
      new Promise((resolve, reject) => {
        if (ws.readyState !== ws.OPEN) return reject(new Error('the connection was closed'))
        const done = (error?: Error | null) => (error ? reject(error) : resolve())
        if (base64) ws.send(`${channel}${Buffer.from(bytes).toString('base64')}`, done)
        else ws.send(Buffer.concat([Buffer.of(channel), bytes]), done)
      }),
    close() {
      ws.resume()
      ws.close(1000)
      return closed
    },
    destroy: () => ws.terminate(),
  }
}
