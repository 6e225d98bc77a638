import { once } from 'node:events'
import http from 'node:http'
import https from 'node:https'
import type { Duplex } from 'node:stream'
import { quiet, quietErrors } from '../../base/quiet.ts'
import { wireOf } from '../wire.ts'
import { createSpdySession, type SpdySession } from './spdy-session.ts'

/** The client's end of a SPDY/3.1 connection; disposing closes it. */
export interface SpdyConnection extends Disposable {
  readonly session: Pick<SpdySession, 'open'>
  /** Resolves when the connection has ended. */
  readonly closed: Promise<void>
}

/** Where streams are served: a URL, and what TLS needs. */
export interface SpdyTarget {
  readonly url: string
  readonly tls?: https.RequestOptions
}

/** Connects to a server of streams, in one of these protocols. Rejects with what the server says where it refuses. */
export async function dialSpdy({ url, tls }: SpdyTarget, protocols: readonly string[], signal: AbortSignal): Promise<SpdyConnection> {
  const request = (tls === undefined ? http : https).request(url, {
    ...tls,
    method: 'POST',
    headers: { connection: 'Upgrade', upgrade: 'SPDY/3.1', 'x-stream-protocol-version': [...protocols], 'content-length': 0 },
    signal,
  })
  request.end()
  const socket = await upgraded(request)
  const wire = wireOf(socket)
  const session = createSpdySession(wire)
  const closed = quiet(
    session.run((stream) => stream.reset()),
    'a connection that breaks ends its streams',
  )
  return { session, closed, [Symbol.dispose]: () => socket.destroy() }
}

async function upgraded(request: http.ClientRequest): Promise<Duplex> {
  const { promise, resolve, reject } = Promise.withResolvers<Duplex>()
  request.on('error', reject)
  request.on('upgrade', (_response, socket, head) => {
    quietErrors(socket, 'its new owner reads the close')
    if (head.length > 0) socket.unshift(head)
    resolve(socket)
  })
  request.on('response', (response) => void refusal(response).then(reject, reject))
  return promise
}

async function refusal(response: http.IncomingMessage): Promise<Error> {
  let body = ''
  response.setEncoding('utf8').on('data', (text: string) => {
    body += text
  })
  await once(response, 'end')
  return new Error(`unable to upgrade connection: ${body.trim() || `HTTP ${response.statusCode}`}`)
}
