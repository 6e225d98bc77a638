import http, { type IncomingMessage } from 'node:http'
import http2, { type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2'
import { type Duplex, Readable } from 'node:stream'
import type { Clock } from '../../base/clock.ts'
import { onAbort, orAborted } from '../../base/on-abort.ts'
import { quietErrors } from '../../base/quiet.ts'
import { readWhole } from '../../base/read-whole.ts'
import type { Dialled } from './dial.ts'
import { goNetworkError, NetworkError } from './network-error.ts'

/** A request to send; header names are in HTTP/1.1 spelling. */
export interface OutgoingRequest {
  readonly method: string
  /** Path and query, encoded. */
  readonly target: string
  readonly host: string
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  /** Undefined: none. */
  readonly body?: Readable | Uint8Array
  readonly signal: AbortSignal
}

export interface IncomingResponse {
  readonly status: number
  /** Alternating names and values, with names as received. */
  readonly rawHeaders: readonly string[]
  /** Ends with an error if the response is cut off. Must be read or destroyed. */
  readonly body: Readable
}

/** The result of an upgrade. */
export interface Switched {
  readonly answer: IncomingResponse
  /** Undefined: the server refused; its response has the reason. */
  readonly socket?: Duplex
  readonly head?: Buffer
}

/** A connection pool for one server. Everything rejects with a `NetworkError`. */
export interface Connections extends Disposable {
  /** Requests whose response has not ended. */
  readonly active: number
  send(request: OutgoingRequest): Promise<IncomingResponse>
  /** Upgrades to another protocol, on a connection of its own. */
  upgrade(request: OutgoingRequest): Promise<Switched>
}

export interface ConnectionsDeps {
  /** Opens a connection with one of these protocols. */
  readonly dial: (protocols: readonly ('h2' | 'http/1.1')[]) => Promise<Dialled>
  readonly clock: Clock
}

/** The bytes of a response. @throws {NetworkError} if there are more than `mostBytes` */
export const wholeOf = (body: Readable, mostBytes: number): Promise<Buffer> =>
  readWhole(body, mostBytes, () => new NetworkError('unreachable', `the answer is longer than ${mostBytes} bytes`))

const MEGABYTE = 1 << 20
/** The most streams per connection, even if the server allows more. */
const STREAMS_PER_SESSION = 250
/** Connections of one server. One that allows no streams, or one, must not have a connection for each request. */
const MOST_SESSIONS = 256
/** How many connections one request opens in vain before it fails. */
const MOST_UNUSABLE = 3
/** The interval of pings on an active connection; it is closed if the reply is late, as in Go's client. */
const PING_EVERY_MS = 30_000
const PING_ANSWER_MS = 15_000
/** The most idle HTTP/1.1 connections. */
const MOST_IDLE = 128
const BOTH = ['h2', 'http/1.1'] as const

interface Session {
  readonly session: ClientHttp2Session
  streams: number
}

/** Uses HTTP/2 if the server offers it, else HTTP/1.1: the first connection decides. */
export function createConnections({ dial, clock }: ConnectionsDeps): Connections {
  const sessions = new Set<Session>()
  /** Connections of the protocol detection that turned out to be HTTP/1.1. */
  const spare: Duplex[] = []
  let speaks: 'h2' | 'http/1.1' | undefined
  let opening: Promise<void> | undefined
  /** How many requests a connection has been chosen for. */
  let placed = 0
  let active = 0
  let closed = false
  const agent = new http.Agent({ keepAlive: true, maxFreeSockets: MOST_IDLE, scheduling: 'lifo' })
  Object.assign(agent, {
    createConnection(_options: unknown, done: (error: Error | null, socket?: Duplex) => void) {
      const waiting = spare.pop()
      if (waiting !== undefined && !waiting.destroyed) return waiting
      dial(['http/1.1']).then(
        ({ socket }) => done(null, socket),
        (error: Error) => done(error),
      )
      return undefined
    },
  })

  const adopt = ({ socket, protocol }: Dialled) => {
    if (closed) return void socket.destroy()
    speaks = protocol
    if (protocol === 'http/1.1') spare.push(socket)
    else sessions.add(openSession(socket, { clock, sessions }))
  }
  const room = (): Session | undefined => {
    for (const one of sessions) {
      const limit = Math.min(one.session.remoteSettings?.maxConcurrentStreams ?? STREAMS_PER_SESSION, STREAMS_PER_SESSION)
      if (one.streams < limit && !one.session.closed && !one.session.destroyed) return one
    }
    return undefined
  }
  /** One at a time: concurrent callers share the result. */
  const open = (): Promise<void> => {
    opening ??= dial(BOTH)
      .then(adopt)
      .finally(() => {
        opening = undefined
      })
    return opening
  }
  /** Whether another connection could take a request; other waiting requests may have filled it already. */
  const opensUsable = async (signal: AbortSignal): Promise<boolean> => {
    const before = placed
    await orAborted(open(), signal)
    return placed > before || room() !== undefined || speaks === 'http/1.1'
  }
  const send = async (request: OutgoingRequest): Promise<IncomingResponse> => {
    for (let tries = 0, unusable = 0; ; ) {
      const session = speaks === 'http/1.1' ? undefined : room()
      if (session === undefined && speaks !== 'http/1.1') {
        if (sessions.size >= MOST_SESSIONS || unusable >= MOST_UNUSABLE)
          throw new NetworkError('unreachable', 'http2: no connection of the server takes a stream')
        if (!(await opensUsable(request.signal))) unusable++
        continue
      }
      placed++
      try {
        return session === undefined ? await sendHttp1(agent, request) : await sendHttp2(session, request)
      } catch (error) {
        // A reused connection that was closed meanwhile is retried, if that cannot repeat a side effect.
        if (!(error instanceof Stale) || request.signal.aborted || tries++ > 2) throw networkError(error)
        speaks = undefined
      }
    }
  }
  return {
    get active() {
      return active
    },
    async send(request) {
      active++
      try {
        const answer = await send(request)
        answer.body.once('close', () => active--)
        return answer
      } catch (error) {
        active--
        throw request.signal.aborted ? request.signal.reason : networkError(error)
      }
    },
    async upgrade(request) {
      const { socket } = await orAborted(dial(['http/1.1']), request.signal)
      return upgradeOver(socket, request)
    },
    [Symbol.dispose]() {
      closed = true
      agent.destroy()
      for (const socket of spare) socket.destroy()
      for (const { session } of sessions) session.destroy()
      sessions.clear()
    },
  }
}

/** A reused connection was closed before any part of a response arrived. */
class Stale extends Error {}

const networkError = (error: unknown): NetworkError =>
  error instanceof NetworkError ? error : new NetworkError('unreachable', goNetworkError(error), error)

function openSession(socket: Duplex, { clock, sessions }: { readonly clock: Clock; readonly sessions: Set<Session> }): Session {
  const session = http2.connect('https://server', {
    createConnection: () => socket,
    settings: { initialWindowSize: MEGABYTE, enablePush: false },
  })
  const one: Session = { session, streams: 0 }
  const drop = () => sessions.delete(one)
  session.once('connect', () => session.setLocalWindowSize(16 * MEGABYTE))
  session.on('error', drop)
  session.on('goaway', drop)
  session.on('close', drop)
  session.unref()
  const ask = () => {
    if (session.destroyed || session.closed) return
    clock.after(PING_EVERY_MS, ask)
    if (one.streams === 0) return
    const cancel = clock.after(PING_ANSWER_MS, () => session.destroy(new Error('http2: client connection lost')))
    session.ping(() => cancel())
  }
  clock.after(PING_EVERY_MS, ask)
  return one
}

/** Methods without side effects. */
const IDEMPOTENT = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])
const mayRepeat = ({ method, body }: OutgoingRequest) => body === undefined && IDEMPOTENT.has(method)

function sendHttp2(one: Session, request: OutgoingRequest): Promise<IncomingResponse> {
  return new Promise((resolve, reject) => {
    let stream: ClientHttp2Stream
    try {
      stream = one.session.request(
        { ':method': request.method, ':path': request.target, ':authority': request.host, ':scheme': 'https', ...lowered(request.headers) },
        { endStream: request.body === undefined },
      )
    } catch (error) {
      // The connection has just ended.
      return reject(new Stale('', { cause: error }))
    }
    if (one.streams++ === 0) one.session.ref()
    let answered = false
    const aborting = onAbort(request.signal, () => {
      // `close` would end an unfinished body first, and the server would take it for complete.
      if (stream.writableEnded) stream.close(http2.constants.NGHTTP2_CANCEL)
      else stream.destroy(new Error('given up'))
    })
    stream.once('close', () => {
      aborting[Symbol.dispose]()
      if (--one.streams === 0) one.session.unref()
      if (!answered) reject(new NetworkError('unreachable', 'EOF'))
    })
    stream.on('error', (error) => {
      if (answered) return
      const refused = stream.rstCode === http2.constants.NGHTTP2_REFUSED_STREAM
      reject(mayRepeat(request) && (refused || one.session.destroyed) ? new Stale('', { cause: error }) : error)
    })
    stream.on('response', (headers, _flags, raw: readonly string[]) => {
      answered = true
      resolve({ status: Number(headers[':status']), rawHeaders: withoutPseudo(raw), body: bodyOf(stream) })
    })
    if (!request.signal.aborted) sendBody(request, stream)
  })
}

/**
 * The body of a stream. Node treats an HTTP/2 stream whose last frame has arrived before the first read as cut off: readers (`for await`,
 * `finished`) fail then, and small responses arrive in one frame.
 */
function bodyOf(stream: ClientHttp2Stream): Readable {
  const body = new Readable({
    read: () => void stream.resume(),
    destroy(error, done) {
      stream.destroy()
      done(error)
    },
  })
  stream.on('data', (chunk: Buffer) => {
    if (!body.push(chunk)) stream.pause()
  })
  // A stream that was reset ends like a complete one.
  const isWhole = () => stream.readableEnded && (stream.rstCode ?? 0) === 0
  stream.on('end', () => {
    if (isWhole()) body.push(null)
  })
  stream.on('error', (error) => body.destroy(error))
  quietErrors(body, 'until its reader reads the error there may be no listener')
  stream.on('close', () => {
    if (!isWhole()) body.destroy(new Error('the answer was cut off'))
  })
  return body
}

function lowered(headers: OutgoingRequest['headers']): Record<string, string | readonly string[]> {
  const out: Record<string, string | readonly string[]> = {}
  for (const name in headers) {
    const value = headers[name]
    if (value !== undefined) out[name.toLowerCase()] = value
  }
  return out
}

function withoutPseudo(raw: readonly string[]): readonly string[] {
  let at = 0
  while (raw[at]?.startsWith(':')) at += 2
  return at === 0 ? raw : raw.slice(at)
}

function sendHttp1(agent: http.Agent, request: OutgoingRequest): Promise<IncomingResponse> {
  return new Promise((resolve, reject) => {
    const sent = http.request({ agent, method: request.method, path: request.target, headers: http1Headers(request) })
    // Go sends no Connection header; the connection is kept all the same.
    sent.removeHeader('connection')
    const aborting = onAbort(request.signal, () => sent.destroy(new Error('given up')))
    let answered = false
    sent.on('error', (error: NodeJS.ErrnoException) => {
      const closed = error.code === 'ECONNRESET' || error.code === 'EPIPE'
      reject(!answered && sent.reusedSocket && closed && mayRepeat(request) ? new Stale('', { cause: error }) : error)
    })
    sent.on('close', () => aborting[Symbol.dispose]())
    sent.on('response', (answer) => {
      answered = true
      resolve(answerOf(answer))
    })
    // An upgrade that was not requested cannot be forwarded.
    sent.on('upgrade', (_answer, socket) => {
      socket.destroy()
      reject(new NetworkError('unreachable', 'net/http: HTTP/1.x transport connection broken: unexpected 101 response'))
    })
    if (!request.signal.aborted) sendBody(request, sent)
  })
}

const http1Headers = ({ host, headers }: OutgoingRequest) => ({ Host: host, ...(headers as Record<string, string | string[]>) })

const answerOf = (answer: IncomingMessage): IncomingResponse => ({
  status: answer.statusCode ?? 0,
  rawHeaders: answer.rawHeaders,
  body: answer,
})

function sendBody({ body }: OutgoingRequest, to: http.ClientRequest | ClientHttp2Stream): void {
  if (body === undefined) {
    if (to instanceof http.ClientRequest) to.end()
    return
  }
  if (body instanceof Uint8Array) return void to.end(body)
  body.pipe(to)
  // A body that is cut off must not look complete to the other side.
  const broke = () => {
    if (!body.readableEnded) to.destroy(new Error('the body was cut off'))
  }
  body.once('error', broke)
  body.once('close', broke)
}

/** The time limit of an upgrade is that of the request's signal. */
function upgradeOver(socket: Duplex, request: OutgoingRequest): Promise<Switched> {
  return new Promise((resolve, reject) => {
    const aborting = onAbort(request.signal, () => socket.destroy(new Error('given up')))
    const sent = http.request({
      method: request.method,
      path: request.target,
      headers: http1Headers(request),
      createConnection: () => socket,
    })
    sent.on('error', (error) => {
      aborting[Symbol.dispose]()
      socket.destroy()
      reject(networkError(error))
    })
    sent.on('upgrade', (answer, _socket, head) => {
      aborting[Symbol.dispose]()
      resolve({ answer: answerOf(answer), socket, head })
    })
    sent.on('response', (answer) => {
      aborting[Symbol.dispose]()
      answer.once('close', () => socket.destroy())
      resolve({ answer: answerOf(answer) })
    })
    sent.end()
  })
}
