import http from 'node:http'
import type { Duplex } from 'node:stream'
import tls from 'node:tls'
import { issueCertificate, newKeyPair } from '../../../../machinery/x509/certificate.ts'
import { alwaysServing } from './health-server.ts'

/** How a record of TLS begins, and HTTP/2. */
const HANDSHAKE = 0x16
const PREFACE = 'PRI * HTTP/2.0'
const METHOD = /^[A-Z]{3,7} /
/** Paths of an API. A client must not take the page for the program's own API: these are not found. */
const API = /^\/(apis?|openapi)(\/|$)/
const YEAR_MS = 365 * 24 * 3_600_000

/**
 * Serves a port behind which no program runs: it accepts connections, shows a page, reports gRPC health as serving, and speaks TLS with a
 * self-signed certificate. It changes nothing: requests with methods other than reads are refused.
 */
export function answering(text: string, nowMs: number): (connection: Duplex) => void {
  const pages = http.createServer((request, response) => {
    const looked = request.method === 'GET' || request.method === 'HEAD'
    const found = looked && !API.test(request.url ?? '')
    response.writeHead(found ? 200 : looked ? 404 : 501, { 'content-type': 'text/plain; charset=utf-8' })
    response.end(request.method === 'HEAD' ? undefined : text)
    request.resume()
  })
  pages.on('clientError', (_error, socket) => socket.destroy())
  const health = alwaysServing()
  let certificate: { readonly cert: string; readonly key: string } | undefined
  const plain = (connection: Duplex, first: Buffer) => {
    connection.unshift(first)
    const said = first.toString('latin1', 0, PREFACE.length)
    if (said === PREFACE) health.emit('connection', connection)
    else if (METHOD.test(said)) pages.emit('connection', connection)
    else connection.resume() // a protocol of its own: it is heard, and nothing is said
  }
  const take = (connection: Duplex, then: (first: Buffer) => void) => {
    connection.on('error', () => connection.destroy())
    connection.once('end', () => connection.end())
    connection.once('readable', () => {
      const first: unknown = connection.read()
      if (first instanceof Uint8Array && first.length > 0) then(Buffer.from(first))
    })
  }
  return (connection) =>
    take(connection, (first) => {
      if (first[0] !== HANDSHAKE) return plain(connection, first)
      certificate ??= ownCertificate(nowMs)
      connection.unshift(first)
      const secured = new tls.TLSSocket(connection, { isServer: true, ...certificate })
      take(secured, (inner) => plain(secured, inner))
    })
}

function ownCertificate(nowMs: number): { readonly cert: string; readonly key: string } {
  const { privateKey, publicKey } = newKeyPair()
  const subject = { commonName: 'simulated', organizations: [] }
  const validity = { notBefore: nowMs - YEAR_MS, notAfter: nowMs + YEAR_MS }
  const cert = issueCertificate(
    { subject, publicKey, ...validity, usages: ['server'], dnsNames: ['localhost'] },
    { key: privateKey, subject },
  )
  return { cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
}
