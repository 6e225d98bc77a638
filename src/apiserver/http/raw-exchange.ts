import { type IncomingHttpHeaders, STATUS_CODES } from 'node:http'
import { type Duplex, Readable } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { type Exchange, withServerHeaders } from './exchange.ts'
import { lists } from './header-lists.ts'
import { sendable, sendableCode } from './header-value.ts'
import type { Headers } from './headers.ts'

export interface RawRequest {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: readonly string[]
}

/**
 * Responds in HTTP/1.1 on a bare socket: for upgrades, and for methods that Node's parser does not know. The connection ends with the
 * response.
 */
export function rawExchange(request: RawRequest, socket: Duplex): Exchange {
  let sentStatus = 0
  let sent = 0
  const head = (status: number, headers: Headers) => {
    sentStatus = sendableCode(status)
    const lines = Object.entries(sendable(headers)).flatMap(([name, value]) =>
      typeof value === 'string' ? [`${name}: ${value}`] : value.map((v) => `${name}: ${v}`),
    )
    return `HTTP/1.1 ${sentStatus} ${STATUS_CODES[sentStatus] ?? ''}\r\n${[...lines, 'connection: close'].join('\r\n')}\r\n\r\n`
  }
  return {
    method: request.method ?? 'GET',
    url: request.url ?? '/',
    headers: request.headers,
    lists: () => lists(request.rawHeaders),
    socket: socket as TLSSocket,
    auditId: '',
    fixed: undefined,
    input: Readable.from([]),
    get started() {
      return sentStatus !== 0
    },
    get status() {
      return sentStatus
    },
    get sent() {
      return sent
    },
    answer(status, headers, body) {
      if (sentStatus !== 0) return
      const bytes = Buffer.from(body)
      sent = bytes.length
      socket.write(head(status, { ...withServerHeaders(headers, this), 'content-length': String(bytes.length) }), 'latin1')
      socket.end(bytes)
    },
    start(status, headers) {
      if (sentStatus !== 0) return
      socket.write(head(status, withServerHeaders(headers, this)), 'latin1')
    },
    switched() {
      sentStatus = 101
    },
    write(chunk) {
      sent += chunk.length
      return socket.write(chunk)
    },
    end: () => {
      socket.end()
    },
    get gone() {
      return socket.destroyed
    },
    unread: false,
    finish: () => {
      socket.end()
    },
    abort: () => {
      socket.destroy()
    },
    onDrain: (fn) => {
      socket.on('drain', fn)
    },
    onClose: (fn) => {
      if (socket.destroyed) fn()
      else socket.on('close', fn)
    },
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what no header may hold.
const FORBIDDEN = /[\x00-\x08\x0a-\x1f\x7f]/

/** Parses the head of a request that Node's parser rejected; undefined if it is not HTTP. */
export function parseHead(packet: Buffer): RawRequest | undefined {
  const [line = '', ...rest] = packet.toString('latin1').split('\r\n\r\n')[0]?.split('\r\n') ?? []
  const match = /^([A-Z]{1,20}) (\/\S*) HTTP\/1\.[01]$/.exec(line)
  // A bare CR or LF must not end a line: another reader might take it for one.
  if (match === null || rest.some((l) => FORBIDDEN.test(l))) return undefined
  const rawHeaders = rest.flatMap((l) => {
    const at = l.indexOf(':')
    return at < 1 ? [] : [l.slice(0, at), l.slice(at + 1).trim()]
  })
  const headers: IncomingHttpHeaders = {}
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) headers[(rawHeaders[i] ?? '').toLowerCase()] = rawHeaders[i + 1]
  return { method: match[1] ?? '', url: match[2] ?? '', headers, rawHeaders }
}
