import type { WebSocket } from 'ws'
import { parseRequestUri, UrlError } from '../../../machinery/go/go-url.ts'
import { isWebSocket, offeredProtocols, openWebSocket } from '../../../streaming/web-socket.ts'
import type { Upgrade } from '../connection/connect.ts'
import type { Exchange } from '../exchange.ts'

/** True if a watch is requested over a WebSocket. */
export const wantsWatchSocket = (exchange: Exchange, upgrade: Upgrade | undefined): upgrade is Upgrade =>
  upgrade !== undefined && isWebSocket(exchange)

/**
 * Opens the WebSocket of a watch: one message per event, JSON as text and protobuf as bytes, whatever subprotocol the client named.
 * Undefined if it was refused (403 without an origin, 400 for several subprotocols, as in Kubernetes), or the client has gone.
 */
export async function openWatchSocket(exchange: Exchange, upgrade: Upgrade, encoding: string): Promise<Exchange | undefined> {
  const refuse = (code: number) => {
    exchange.answer(code, {}, '')
    return undefined
  }
  if (!isOrigin(exchange.headers.origin)) return refuse(403)
  const offered = offeredProtocols(exchange)
  if (offered.length > 1) return refuse(400)
  exchange.switched()
  const { method, url, headers } = exchange
  const request = { method, url, headers, query: { all: () => [] }, upgrade }
  const ws = await openWebSocket(request, offered[0] ?? '').catch(() => undefined)
  return ws && socketExchange(exchange, ws, encoding === 'protobuf' ? binaryMessages : textMessages)
}

function isOrigin(origin: string | undefined): boolean {
  if (origin === undefined || origin === '' || origin === 'null') return false
  try {
    parseRequestUri(origin)
    return true
  } catch (error) {
    if (error instanceof UrlError) return false
    throw error
  }
}

type Messages = (chunk: Uint8Array) => Iterable<string | Uint8Array>

/** The exchange with the WebSocket instead of its body. Messages of the client are ignored. */
function socketExchange(exchange: Exchange, ws: WebSocket, messages: Messages): Exchange {
  let sent = 0
  return {
    method: exchange.method,
    url: exchange.url,
    headers: exchange.headers,
    lists: () => exchange.lists(),
    auditId: exchange.auditId,
    fixed: exchange.fixed,
    socket: exchange.socket,
    input: exchange.input,
    started: true,
    status: 101,
    unread: false,
    get gone() {
      return exchange.gone
    },
    get sent() {
      return sent
    },
    answer: () => {},
    start: () => {},
    switched: () => {},
    write(chunk) {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
      sent += bytes.length
      for (const message of messages(bytes)) ws.send(message)
      return !exchange.socket.writableNeedDrain
    },
    end: () => ws.close(1000),
    finish: () => ws.close(1000),
    abort: () => ws.terminate(),
    onDrain: (fn) => exchange.onDrain(fn),
    onClose(fn) {
      // After the client's close frame, nothing waits for it.
      ws.on('close', fn)
      exchange.onClose(fn)
    },
  }
}

/** JSON events end with a newline, and contain no other. */
function* textMessages(chunk: Uint8Array): Iterable<string> {
  const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(0x0a, from)
    const to = end < 0 ? bytes.length : end + 1
    yield bytes.toString('utf8', from, to)
    from = to
  }
}

/** Protobuf events begin with their length, which a message does not need. */
function* binaryMessages(chunk: Uint8Array): Iterable<Uint8Array> {
  const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
  for (let from = 0; from + 4 <= bytes.length; ) {
    const to = from + 4 + bytes.readUInt32BE(from)
    yield bytes.subarray(from + 4, to)
    from = to
  }
}
