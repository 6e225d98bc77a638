/** Why an etcd cannot be reached is said in words: certificates that are not trusted, or not shown, and ports that do something else. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { test } from 'node:test'
import tls from 'node:tls'
import { makeAuthority, makeLeaf } from '../../apiserver/http/connection/listener.double.ts'
import { systemClock } from '../../base/clock.ts'
import { EtcdConnection } from './etcd-connection.ts'
import { rangeRequest } from './messages.ts'
import { RANGE } from './methods.ts'

const authority = makeAuthority('etcd')
const foreign = makeAuthority('another')
const own = makeLeaf(authority, 'etcd', { usages: ['server'], ipAddresses: ['127.0.0.1'] })
const named = makeLeaf(authority, 'etcd', { usages: ['server'], dnsNames: ['etcd.example'] })
const client = makeLeaf(foreign, 'root', { usages: ['client'] })
const past = { notBefore: 0, notAfter: 1000 }
const elsewhere = makeLeaf(authority, 'etcd', { usages: ['server'], ipAddresses: ['127.0.0.9'] })
const expired = makeLeaf(authority, 'etcd', { usages: ['server'], ipAddresses: ['127.0.0.1'], ...past })
const expiredClient = makeLeaf(authority, 'root', { usages: ['client'], ...past })
const NOTHING = { ca: undefined, cert: undefined, key: undefined }

const secure = (leaf: typeof own, options: tls.TlsOptions = {}) =>
  tls.createServer({ cert: leaf.certificate, key: leaf.key, ALPNProtocols: ['h2'], ...options })
const demanding = () => secure(own, { ca: authority.certificate, requestCert: true, rejectUnauthorized: true })

const ROWS: readonly (readonly [what: string, server: () => Server, scheme: string, files: typeof NOTHING | object, reason: RegExp])[] = [
  ['another authority', () => secure(own), 'https', { ca: foreign.certificate }, /x509: certificate signed by unknown authority$/],
  [
    'another name',
    () => secure(named),
    'https',
    { ca: authority.certificate },
    /x509: cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs$/,
  ],
  [
    'another address',
    () => secure(elsewhere),
    'https',
    { ca: authority.certificate },
    /x509: certificate is valid for 127.0.0.9, not 127.0.0.1$/,
  ],
  [
    'a certificate that has expired',
    () => secure(expired),
    'https',
    { ca: authority.certificate },
    /x509: certificate has expired or is not yet valid$/,
  ],
  ['no client certificate', demanding, 'https', { ca: authority.certificate }, /remote error: tls: certificate required$/],
  [
    'the client certificate of another authority',
    demanding,
    'https',
    { ca: authority.certificate, cert: client.certificate, key: client.key },
    /(remote error: tls: unknown certificate authority|the connection was closed)$/,
  ],
  [
    'a client certificate that has expired',
    demanding,
    'https',
    { ca: authority.certificate, cert: expiredClient.certificate, key: expiredClient.key },
    /(remote error: tls: expired certificate|the connection was closed)$/,
  ],
  ['a port without TLS', () => createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')), 'https', NOTHING, /./],
  [
    'a port of another protocol',
    () => createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
    'http',
    NOTHING,
    /a frame of \d+ bytes$/,
  ],
]
for (const [what, open, scheme, files, reason] of ROWS)
  test(`an etcd cannot be reached: ${what}`, async () => {
    const server = open().listen(0, '127.0.0.1')
    server.on('tlsClientError', () => {})
    await once(server, 'listening')
    const reasons: string[] = []
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
    const members = { urls: [new URL(`${scheme}://${host}`)], tls: { ...NOTHING, ...files } }
    using connection = new EtcdConnection(members, { clock: systemClock, unreachable: (why) => void reasons.push(why) })
    const call = connection.call(RANGE, rangeRequest.of({}), { timeoutMs: 500, repeatable: true })
    await assert.rejects(call, { code: 'DeadlineExceeded' })
    server.close()
    assert.match(reasons.at(-1) ?? '', reason)
    assert.ok(reasons.every((why) => why.startsWith(`no connection to ${host}: `)))
  })
