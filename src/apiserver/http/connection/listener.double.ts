import http2 from 'node:http2'
import https from 'node:https'
import { type Clock, systemClock } from '../../../base/clock.ts'
import { type Logger, silentLogger } from '../../../base/logger.ts'
import { quietErrors } from '../../../base/quiet.ts'
import { type CertificateRequest, issueCertificate, issuerFrom, newKeyPair } from '../../../machinery/x509/certificate.ts'
import type { Exchange } from '../exchange.ts'
import type { Upgrade } from './connect.ts'
import { createListener } from './listener.ts'

interface Pair {
  readonly certificate: string
  readonly key: string
}

const privatePem = (pair: ReturnType<typeof newKeyPair>) => pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

/** A certificate authority; signed by `issuer`, or by itself. */
export function makeAuthority(commonName: string, issuer?: Pair): Pair {
  const pair = newKeyPair()
  const subject = { commonName, organizations: [] }
  const request = { subject, publicKey: pair.publicKey, ...span(), authority: true }
  const signer = issuer === undefined ? { key: pair.privateKey, subject } : issuerFrom(issuer.certificate, issuer.key)
  return { certificate: issueCertificate(request, signer), key: privatePem(pair) }
}

/** A certificate that the authority signed. */
export function makeLeaf(issuer: Pair, commonName: string, more: Partial<CertificateRequest> = {}): Pair {
  const pair = newKeyPair()
  const request = { subject: { commonName, organizations: [] }, publicKey: pair.publicKey, ...span(), usages: ['client'] as const, ...more }
  return { certificate: issueCertificate(request, issuerFrom(issuer.certificate, issuer.key)), key: privatePem(pair) }
}

const span = () => ({ notBefore: systemClock.now() - 3_600_000, notAfter: systemClock.now() + 3_600_000 })

/** The response as a client saw it. `code` 0: the exchange was aborted. */
export interface Seen {
  readonly code: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: string
}

export interface TestRequest {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  readonly tls?: Pair
}

/** A listener with certificates, and clients of both protocols. */
export async function listenerDouble(
  handle: (exchange: Exchange, upgrade?: Upgrade) => Promise<void>,
  options: {
    readonly log?: Logger
    readonly clock?: Clock
    readonly clientCa?: string
    readonly frontProxyCa?: string
    readonly handshakeFailed?: () => void
    readonly goaway?: () => boolean
  } = {},
) {
  const ca = makeAuthority('test-ca')
  const serving = makeLeaf(ca, 'localhost', { usages: ['server'], dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'] })
  const tls = {
    cert: serving.certificate,
    key: serving.key,
    clientCa: options.clientCa ?? ca.certificate,
    ...(options.frontProxyCa !== undefined && { frontProxyCa: options.frontProxyCa }),
  }
  const listener = createListener({ host: '127.0.0.1', port: 0, tls }, handle, {
    log: options.log ?? silentLogger,
    clock: options.clock ?? systemClock,
    handshakeFailed: options.handshakeFailed,
    goaway: options.goaway,
  })
  const port = await listener.open()
  const trust = (tls: Pair | undefined) => ({ ca: ca.certificate, ...(tls && { cert: tls.certificate, key: tls.key }) })
  const ask1 = ({ method = 'GET', path = '/', headers = {}, body, tls }: TestRequest = {}) =>
    new Promise<Seen>((resolve) => {
      const request = https.request({ host: '127.0.0.1', port, method, path, headers, agent: false, ...trust(tls) }, async (response) => {
        let text = ''
        try {
          for await (const part of response) text += String(part)
        } catch {
          return resolve({ code: 0, headers: response.headers, body: text })
        }
        resolve({ code: response.statusCode ?? 0, headers: response.headers, body: text })
      })
      request.on('error', () => resolve({ code: 0, headers: {}, body: '' }))
      request.end(body)
    })
  const ask2 = ({ method = 'GET', path = '/', headers = {}, body, tls }: TestRequest = {}) =>
    new Promise<Seen>((resolve) => {
      const session = http2.connect(`https://127.0.0.1:${port}`, trust(tls))
      quietErrors(session, 'its stream reports the error')
      const stream = session.request({ ':method': method, ':path': path, ...headers }, { endStream: body === undefined })
      let text = ''
      let got: Seen['headers'] = {}
      let code = 0
      let broken = false
      stream.on('response', (h) => {
        got = h as Seen['headers']
        code = Number(h[':status'])
      })
      stream.on('data', (part) => {
        text += String(part)
      })
      stream.on('error', () => {
        broken = true
      })
      stream.on('close', () => {
        session.destroy()
        resolve({ code: broken || stream.rstCode !== 0 ? 0 : code, headers: got, body: text })
      })
      if (body !== undefined) stream.end(body)
    })
  const renew = (leaf: Pair) => listener.renew({ ...tls, cert: leaf.certificate, key: leaf.key })
  const drain = (limitMs: number) => listener.drain(limitMs)
  return { ca, port, renew, drain, ask1, ask2, [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose]() }
}
