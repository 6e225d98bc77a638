/** Time limits of connections: requests that do not end, idle connections, responses that are not read. The socket clock is virtual. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import http2 from 'node:http2'
import { after, before, test } from 'node:test'
import tls from 'node:tls'
import { systemClock, VirtualClock } from '../../src/base/clock.ts'
import type { Cluster } from '../../src/cluster/cluster.ts'
import { SERVICE_ACCOUNTS } from '../../src/resources/refs.ts'
import { requestToken } from '../../src/sdk/client/subresources.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'

const REVIEW = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
/** Starts at the real time, because certificates are created with the machine's clock. */
const socketClock = new VirtualClock(systemClock.now())
let cluster: Cluster
let access: { readonly host: string; readonly port: number; readonly ca: Buffer; readonly cert: Buffer; readonly key: Buffer }
let token: string
let admin: http2.ClientHttp2Session

before(async () => {
  cluster = await startCluster({ parts: ['server'] }, { socketClock })
  const address = new URL(await cluster.listen())
  const kubeconfig = cluster.kubeconfig()
  const data = (name: string) => Buffer.from(new RegExp(`${name}-data: (\\S+)`).exec(kubeconfig)?.[1] ?? '', 'base64')
  access = {
    host: address.hostname,
    port: Number(address.port),
    ca: data('certificate-authority'),
    cert: data('client-certificate'),
    key: data('client-key'),
  }
  const client = cluster.client()
  await client.create(
    { ...SERVICE_ACCOUNTS, namespace: 'default' },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'poor' } },
  )
  token = (await requestToken(client, { namespace: 'default', name: 'poor' })).token
  admin = connect()
})
after(async () => {
  admin.destroy()
  await cluster[Symbol.asyncDispose]()
})

const connect = (more: http2.SecureClientSessionOptions = {}) => {
  const session = http2.connect(`https://${access.host}:${access.port}`, { ...access, ...more })
  session.on('error', () => {})
  return session
}

interface Reply {
  readonly code: number
  readonly text: string
}

function ask(session: http2.ClientHttp2Session, headers: http2.OutgoingHttpHeaders, body?: string, end = true) {
  const stream = session.request(headers, { endStream: body === undefined && end })
  const reply = new Promise<Reply>((resolve) => {
    let code = 0
    let text = ''
    stream.on('response', (h) => {
      code = Number(h[':status'])
    })
    stream.on('data', (part) => {
      text += String(part)
    })
    stream.on('error', () => {})
    stream.on('close', () => resolve({ code, text }))
  })
  if (body !== undefined && end) stream.end(body)
  else if (body !== undefined) stream.write(body)
  return { stream, reply }
}

const running = async () =>
  Number(
    /^apiserver_current_inflight_requests\{request_kind="mutating"\} (\d+)/m.exec(
      (await ask(admin, { ':path': '/metrics' }).reply).text,
    )?.[1],
  )

test('a body that never ends gets 504 after 60 seconds, and its seat is released', async () => {
  const session = connect()
  const post = { ':method': 'POST', ':path': REVIEW, 'content-type': 'application/json', authorization: `Bearer ${token}` }
  const hanging = Array.from({ length: 20 }, () => ask(session, post, '{', false))
  while ((await running()) < 20) await new Promise((resolve) => setImmediate(resolve))
  await socketClock.advance(59_000)
  assert.equal(await running(), 20)
  await socketClock.advance(3_000)
  for (const { reply } of hanging) {
    const { code, text } = await reply
    assert.equal(code, 504)
    assert.equal(JSON.parse(text).reason, 'Timeout')
  }
  assert.equal(await running(), 0)
  session.destroy()
})

test('a client can shorten the limit of 60 seconds', async () => {
  const session = connect()
  const post = { ':method': 'POST', ':path': `${REVIEW}?timeout=5s`, 'content-type': 'application/json' }
  const { reply } = ask(session, post, '{', false)
  while ((await running()) < 1) await new Promise((resolve) => setImmediate(resolve))
  await socketClock.advance(5_000)
  assert.equal((await reply).code, 504)
  const review = 'group="authorization.k8s.io",resource="selfsubjectaccessreviews",scope="resource",subresource="",verb="POST",version="v1"'
  const metrics = (await ask(session, { ':path': '/metrics' }).reply).text
  assert.match(metrics, new RegExp(`^apiserver_request_terminations_total\\{code="504",component="apiserver",${review}\\} [1-9]`, 'm'))
  assert.match(metrics, new RegExp(`^apiserver_request_aborts_total\\{${review}\\} [1-9]`, 'm'))
  const bad = await ask(session, { ':path': '/api/v1/namespaces?timeout=never' }).reply
  assert.equal(bad.code, 400)
  assert.match(bad.text, /invalid timeout specified in the request URL/)
  session.destroy()
})

test('a response that is not read is reset after 60 seconds, and a watch is not', async () => {
  const session = connect({ settings: { initialWindowSize: 0 } })
  const large = ask(session, { ':path': '/openapi/v2' })
  const watch = ask(session, { ':path': '/api/v1/namespaces?watch=true' })
  await Promise.all([once(large.stream, 'response'), once(watch.stream, 'response')])
  let watching = true
  watch.stream.on('close', () => {
    watching = false
  })
  await socketClock.advance(62_000)
  await large.reply
  assert.notEqual(large.stream.rstCode, 0)
  assert.equal(watching, true)
  session.destroy()
})

test('idle HTTP/2 connections are closed, also without a preface and in the middle of a head', async () => {
  const raw = async (...first: readonly Buffer[]) => {
    const socket = tls.connect({ ...access, servername: 'localhost', ALPNProtocols: ['h2'] })
    socket.on('error', () => {})
    socket.resume()
    await once(socket, 'secureConnect')
    socket.write(Buffer.concat(first))
    return once(socket, 'close')
  }
  const preface = Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])])
  const closed = [raw(), raw(preface), raw(preface, Buffer.from([0, 0, 3, 1, 1, 0, 0, 0, 1, 0x82, 0x87, 0x84]))]
  const watching = connect()
  const { stream, reply } = ask(watching, { ':path': '/api/v1/namespaces?watch=true' })
  await once(stream, 'response')
  await ask(admin, { ':path': '/livez' }).reply
  await socketClock.advance(120_000)
  await Promise.all(closed)
  assert.equal(watching.destroyed, false)
  stream.close()
  await reply
  const gone = once(watching, 'close')
  await ask(connect(), { ':path': '/livez' }).reply
  await socketClock.advance(120_000)
  await gone
})
