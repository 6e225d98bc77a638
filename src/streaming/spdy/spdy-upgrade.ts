import type { Duplex } from 'node:stream'
import { byKey } from '../../base/by-text.ts'
import { goQuote } from '../../machinery/field-error.ts'
import type { UpgradeRequest, UpgradeResponse } from '../accepted.ts'
import { wireOf } from '../wire.ts'

/** An upgrade to SPDY/3.1 that both sides agree on. */
export interface SpdyUpgrade {
  readonly protocol: string
  readonly socket: Duplex
  readonly head: Buffer
}

const TEXT = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' }

/** Negotiates the protocol above SPDY and sends 101; undefined if there is none: the error response is upstream's. */
export function negotiateSpdy(request: UpgradeRequest, answer: UpgradeResponse, served: readonly string[]): SpdyUpgrade | undefined {
  const refuse = (code: number, headers: Readonly<Record<string, string>>, why: string) => {
    const body = Buffer.from(`unable to upgrade: ${why}\n`)
    answer.start(code, { ...TEXT, ...headers, 'content-length': String(body.length) })
    answer.write(body)
    answer.end()
    return undefined
  }
  const header = request.headers['x-stream-protocol-version']
  if (header === undefined) {
    const count = headersBehindProxy(request).size
    return refuse(400, {}, `header X-Stream-Protocol-Version does not exist in request with ${count} headers`)
  }
  const offered = [header].flat().flatMap((h) => h.split(',').map((p) => p.trim()))
  const protocol = offered.find((p) => served.includes(p))
  if (protocol === undefined) {
    const text = `client supports [${offered.join(' ')}], server accepts [${served.join(' ')}]`
    const last = served.at(-1) ?? ''
    return refuse(403, { 'x-accepted-stream-protocol-versions': last }, `unable to negotiate protocol: ${text}`)
  }
  if (request.headers.upgrade?.toLowerCase() !== 'spdy/3.1' || request.upgrade === undefined) {
    return refuse(
      400,
      { 'x-stream-protocol-version': protocol },
      `missing upgrade headers in request: http.Header{${[...headersBehindProxy(request)].map(([name, value]) => `${goQuote(name)}:[]string{${goQuote(value)}}`).join(', ')}}`,
    )
  }
  const { socket, head } = request.upgrade
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: ${protocol}\r\n\r\n`,
  )
  return { protocol, socket, head }
}

/** The headers as the runtime's server gets them, by name: with those that the kubelet and Go's client add. */
function headersBehindProxy({ headers, remoteAddress = '127.0.0.1' }: UpgradeRequest): ReadonlyMap<string, string> {
  const { host: _, 'x-forwarded-for': before, ...own } = headers
  const all = { 'user-agent': 'Go-http-client/1.1', ...own, 'x-forwarded-for': [before ?? [], remoteAddress].flat().join(', ') }
  const canonical = (name: string) => name.replace(/(^|-)[a-z]/g, (c) => c.toUpperCase())
  return new Map(
    Object.entries(all)
      .map(([name, value]) => [canonical(name), String(value)] as const)
      .sort(byKey),
  )
}

/** The bytes of the connection after the handshake. */
export function spdyWire({ socket, head }: SpdyUpgrade) {
  if (head.length > 0) socket.unshift(head)
  return wireOf(socket)
}
