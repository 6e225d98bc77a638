/** Ingresses served on this machine, by HTTP clients of this machine. */
import assert from 'node:assert/strict'
import http, { type IncomingHttpHeaders } from 'node:http'
import https from 'node:https'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { startCluster } from '../../src/cluster/start-cluster.ts'
import { issueCertificate, newKeyPair } from '../../src/machinery/x509/certificate.ts'
import type { ContainerProcess } from '../../src/node/programs/program.ts'
import { INGRESS_CLASSES, INGRESSES, PODS, SECRETS, SERVICES } from '../../src/resources/refs.ts'
import type { IngressSpec } from '../../src/resources/types/networking.ts'
import { pod, service } from '../../src/testing/builders.ts'
import { waitFor } from '../../src/testing/wait-for.ts'

const namespaced = <T extends object>(ref: T) => ({ ...ref, namespace: 'default' })
const PATIENCE = { timeoutMs: 60_000 }

/** Responds with what it has received; `/break` breaks the connection, an upgrade echoes, one of `/refused` is refused. */
const echo = async (container: ContainerProcess) => {
  const server = http.createServer((request, response) => {
    if (request.url === '/break') return request.socket.destroy()
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method, url, headers } = request
      response.setHeader('set-cookie', ['a=1', 'b=2'])
      response.end(JSON.stringify({ method, url, headers, body: Buffer.concat(chunks).toString() }))
    })
  })
  server.on('upgrade', (request, socket) => {
    if (request.url === '/refused')
      return socket.end('HTTP/1.1 403 Forbidden\r\nTransfer-Encoding: chunked\r\nX-Why: no\r\n\r\n2\r\nno\r\n0\r\n\r\n')
    return socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\n', () => socket.pipe(socket))
  })
  await container.listen(8080, { connection: (socket) => void server.emit('connection', socket) })
}

async function world(t: TestContext) {
  const cluster = await startCluster({ port: 0, ephemeral: true, serviceAddresses: true, images: { 'example/echo': echo } })
  t.after(() => cluster[Symbol.asyncDispose]())
  const client = cluster.client()
  const spec = { containers: [{ name: 'main', image: 'example/echo' }] }
  await waitFor(() => client.create(namespaced(PODS), pod('echo', { metadata: { labels: { app: 'echo' } }, spec })), PATIENCE)
  for (const [name, app] of [
    ['echo', 'echo'],
    ['empty', 'nothing'],
  ] as const) {
    const made = service(name, { app })
    await client.create(namespaced(SERVICES), { ...made, spec: { ...made.spec, ports: [{ name: 'web', port: 8080 }] } })
  }
  const create = (name: string, ingress: IngressSpec) =>
    client.create(namespaced(INGRESSES), { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata: { name }, spec: ingress })
  const portOf = (name: string) =>
    waitFor(
      async () => (await client.get({ ...namespaced(INGRESSES), name })).status?.loadBalancer?.ingress?.[0]?.ports?.[0]?.port,
      PATIENCE,
    )
  return { client, create, portOf }
}

interface Answer {
  readonly status: number
  readonly body: string
  readonly headers: IncomingHttpHeaders
}

const ask = (port: number, options: http.RequestOptions, body = '') =>
  new Promise<Answer>((resolve, reject) => {
    const request = http.request({ host: '127.0.0.1', port, agent: false, ...options }, async (response) => {
      let text = ''
      for await (const chunk of response) text += chunk
      resolve({ status: response.statusCode ?? 0, body: text, headers: response.headers })
    })
    request.on('error', reject)
    request.end(body)
  })
/** What is answered to a POST that is written by hand. */
const sent = (port: number, rest: string) =>
  new Promise<string>((resolve, reject) => {
    let text = ''
    const socket = connect({ host: '127.0.0.1', port }, () => socket.write(`POST / HTTP/1.1\r\nHost: shop.localhost\r\n${rest}`))
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString()
    })
    socket.on('close', () => resolve(text))
    socket.on('error', reject)
  })
const rule = (host: string, name: string, port: { readonly name: string } | { readonly number: number } = { number: 8080 }) => ({
  host,
  http: { paths: [{ path: '/', pathType: 'Prefix' as const, backend: { service: { name, port } } }] },
})

test('Ingresses', { timeout: 240_000 }, async (t) => {
  const { client, create, portOf } = await world(t)
  await create('shop', {
    rules: [rule('shop.localhost', 'echo'), rule('named.localhost', 'echo', { name: 'web' }), rule('empty.localhost', 'empty')],
  })
  const port = await portOf('shop')
  const to = (host: string, more: http.RequestOptions = {}, body?: string) =>
    ask(port, { headers: { host: `${host}:${port}` }, ...more }, body)
  await waitFor(async () => (await to('shop.localhost')).status === 200, PATIENCE)

  await t.test('lead requests with their bodies, and credentials, to a service', async () => {
    const headers = { host: `shop.localhost:${port}`, authorization: 'Bearer t', connection: 'x-hop', 'x-hop': 'h' }
    const { status, body, headers: got } = await to('shop.localhost', { method: 'POST', path: '/a?b=c', headers }, 'text')
    const seen = JSON.parse(body)
    assert.deepEqual([status, seen.method, seen.url, seen.body], [200, 'POST', '/a?b=c', 'text'])
    assert.deepEqual(
      [seen.headers.host, seen.headers.authorization, seen.headers['x-hop']],
      [`shop.localhost:${port}`, 'Bearer t', undefined],
    )
    assert.deepEqual([seen.headers['x-forwarded-host'], seen.headers['x-forwarded-proto']], [`shop.localhost:${port}`, 'http'])
    assert.deepEqual(got['set-cookie'], ['a=1', 'b=2'])
  })
  await t.test('find ports by name', async () => assert.equal((await to('named.localhost')).status, 200))
  await t.test('answer 404 without a rule, 503 without endpoints, 502 for a backend that breaks', async () => {
    assert.equal((await to('other.localhost')).status, 404)
    assert.equal((await to('empty.localhost')).status, 503)
    assert.equal((await to('shop.localhost', { path: '/break' })).status, 502)
  })
  await t.test('connect upgrades', async () => {
    const headers = { host: 'shop.localhost', connection: 'Upgrade', upgrade: 'echo' }
    const text = await new Promise<string>((resolve, reject) => {
      const request = http.request({ host: '127.0.0.1', port, agent: false, headers })
      request.on('upgrade', (_response, socket) => {
        socket.once('data', (chunk: Buffer) => {
          socket.destroy()
          resolve(chunk.toString())
        })
        socket.write('hello')
      })
      request.on('error', reject)
      request.end()
    })
    assert.equal(text, 'hello')
  })
  await t.test('give back what refuses an upgrade', async () => {
    const headers = { host: 'shop.localhost', connection: 'Upgrade', upgrade: 'echo' }
    const { status, body, headers: got } = await ask(port, { path: '/refused', headers })
    assert.deepEqual([status, body, got['x-why']], [403, 'no', 'no'])
  })
  await t.test('lead a body to the backend as a body, whatever the method: no request is hidden in one', async () => {
    const hidden = 'GET /hidden HTTP/1.1\r\nHost: shop.localhost\r\n\r\n'
    for (const method of ['GET', 'DELETE', 'HEAD', 'OPTIONS', 'POST']) {
      const headers = { host: 'shop.localhost', 'transfer-encoding': 'chunked' }
      const { status, body } = await ask(port, { method, headers }, hidden)
      assert.equal(status, 200, method)
      if (method !== 'HEAD') assert.equal(JSON.parse(body).body, hidden, method)
    }
  })
  await t.test('refuse heads of more than 16 KiB, and two lengths', async () => {
    assert.equal((await to('shop.localhost', { headers: { host: 'shop.localhost', 'x-large': 'a'.repeat(20_000) } })).status, 431)
    assert.match(await sent(port, 'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'), /^HTTP\/1.1 400 /)
  })
  await t.test('of classes are served if the class names this controller', async () => {
    await create('mine', { ingressClassName: 'mine', rules: [rule('mine.localhost', 'echo')] })
    await create('theirs', { ingressClassName: 'nginx', rules: [rule('theirs.localhost', 'echo')] })
    assert.equal((await to('mine.localhost')).status, 404)
    const ours = { kind: 'IngressClass', metadata: { name: 'mine' }, spec: { controller: 'bowsprit.dev/ingress' } } as const
    await client.create(INGRESS_CLASSES, { apiVersion: 'networking.k8s.io/v1', ...ours })
    await waitFor(async () => (await to('mine.localhost')).status === 200, PATIENCE)
    assert.equal((await to('theirs.localhost')).status, 404)
    assert.deepEqual((await client.get({ ...namespaced(INGRESSES), name: 'theirs' })).status, { loadBalancer: {} })
  })
  await t.test('that are deleted are not served', async () => {
    await client.delete({ ...namespaced(INGRESSES), name: 'shop' })
    await waitFor(async () => (await to('shop.localhost')).status === 404, PATIENCE)
  })
})

/** A certificate that signs itself, and its key. */
function certificateOf(host: string) {
  const { privateKey, publicKey } = newKeyPair()
  const subject = { commonName: host, organizations: [] }
  const now = Date.now()
  const span = { notBefore: now - 60_000, notAfter: now + 3_600_000 }
  const cert = issueCertificate({ subject, publicKey, ...span, usages: ['server'], dnsNames: [host] }, { key: privateKey, subject })
  return { cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
}

/** The response, or the code of the error of the handshake. */
const askSecurely = (port: number, servername: string, ca: string) =>
  new Promise<string>((resolve) => {
    const options = { host: '127.0.0.1', port, servername, ca, agent: false, headers: { host: servername } }
    const request = https.request(options, async (response) => {
      let text = ''
      for await (const chunk of response) text += chunk
      resolve(text)
    })
    request.on('error', (error) => resolve('code' in error ? String(error.code) : error.message))
    request.end()
  })

test('Ingresses with tls are served over HTTPS, each host with the certificate of its Secret', { timeout: 120_000 }, async (t) => {
  const { client, create } = await world(t)
  const shop = certificateOf('shop.localhost')
  const wild = certificateOf('*.wild.localhost')
  const secret = (name: string, { cert, key }: typeof shop) => ({
    apiVersion: 'v1' as const,
    kind: 'Secret' as const,
    metadata: { name },
    type: 'kubernetes.io/tls',
    stringData: { 'tls.crt': cert, 'tls.key': key },
  })
  await client.create(namespaced(SECRETS), secret('wild', wild))
  await create('secure', {
    tls: [
      { hosts: ['shop.localhost'], secretName: 'shop' },
      { hosts: ['*.wild.localhost'], secretName: 'wild' },
    ],
    defaultBackend: { service: { name: 'echo', port: { number: 8080 } } },
  })
  const port = await waitFor(async () => {
    const { status } = await client.get({ ...namespaced(INGRESSES), name: 'secure' })
    return status?.loadBalancer?.ingress?.[0]?.ports?.[1]?.port
  }, PATIENCE)
  const answer = await askSecurely(port, 'a.wild.localhost', wild.cert)
  assert.equal(JSON.parse(answer).headers['x-forwarded-proto'], 'https')
  assert.match(await askSecurely(port, 'shop.localhost', shop.cert), /^ERR_SSL|^ECONNRESET$/, 'its Secret is not there')
  await client.create(namespaced(SECRETS), secret('shop', shop))
  await waitFor(async () => (await askSecurely(port, 'shop.localhost', shop.cert)).startsWith('{'), PATIENCE)
  assert.match(await askSecurely(port, 'other.localhost', shop.cert), /^ERR_SSL|^ECONNRESET$/)
})
