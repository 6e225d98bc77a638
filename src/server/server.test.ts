import assert from 'node:assert/strict'
import { once } from 'node:events'
import http2 from 'node:http2'
import https from 'node:https'
import { createConnection } from 'node:net'
import { after, before, test } from 'node:test'
import type { Cluster } from '../cluster/cluster.ts'
import { startCluster } from '../cluster/start-cluster.ts'
import { isStatus } from '../machinery/status-error.ts'
import { CONFIG_MAPS } from '../resources/refs.ts'
import type { ConfigMap } from '../resources/types/core.ts'

let cluster: Cluster
let tls: { ca: Buffer; cert: Buffer; key: Buffer }

before(async () => {
  cluster = await startCluster({ parts: ['server'], ephemeral: true, port: 0 }, { freeze: true })
  await cluster.listen()
  const kubeconfig = cluster.kubeconfig()
  const pem = (name: string) => Buffer.from(new RegExp(`${name}-data: (\\S+)`).exec(kubeconfig)?.[1] ?? '', 'base64')
  tls = { ca: pem('certificate-authority'), cert: pem('client-certificate'), key: pem('client-key') }
})
after(async () => cluster[Symbol.asyncDispose]())

interface Reply {
  readonly code: number
  readonly headers: Record<string, unknown>
  readonly body: string
}

function h1(method: string, path: string, body?: string | Buffer, headers: Record<string, string> = {}): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const request = https.request(`${cluster.address}${path}`, { method, ...tls, headers, agent: false }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('end', () => resolve({ code: response.statusCode ?? 0, headers: response.headers, body: String(Buffer.concat(parts)) }))
    })
    request.on('error', reject)
    request.end(body)
  })
}

const MAPS = { ...CONFIG_MAPS, namespace: 'default' }
const map = (name: string, data: Record<string, string> = {}): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
})

test('what is written in the process is read over HTTPS, and the other way round', async () => {
  const client = cluster.client()
  await client.create(MAPS, map('both', { a: '1' }))
  const read = await h1('GET', '/api/v1/namespaces/default/configmaps/both')
  assert.equal(JSON.parse(read.body).data.a, '1')
  const put = await h1('PATCH', '/api/v1/namespaces/default/configmaps/both', '{"data":{"a":"2"}}', {
    'content-type': 'application/merge-patch+json',
  })
  assert.equal(put.code, 200)
  assert.equal((await client.get({ ...MAPS, name: 'both' })).data?.a, '2')
})

test('concurrent unconditional patches all arrive', async () => {
  const client = cluster.client()
  await client.create(MAPS, map('busy'))
  await Promise.all(Array.from({ length: 20 }, (_, i) => client.patch({ ...MAPS, name: 'busy' }, 'merge', { data: { [`k${i}`]: 'x' } })))
  assert.equal(Object.keys((await client.get({ ...MAPS, name: 'busy' })).data ?? {}).length, 20)
})

test('a stale write is a conflict, and a no-op keeps the revision', async () => {
  const client = cluster.client()
  const first = await client.create(MAPS, map('stale', { a: '1' }))
  const same = await client.update({ ...MAPS, name: 'stale' }, map('stale', { a: '1' }))
  assert.equal(same.metadata.resourceVersion, first.metadata.resourceVersion)
  await client.update({ ...MAPS, name: 'stale' }, map('stale', { a: '2' }))
  const late = { ...map('stale', { a: '3' }), metadata: { ...first.metadata } }
  await assert.rejects(client.update({ ...MAPS, name: 'stale' }, late), (e) => isStatus(e, 'Conflict'))
})

test('a watch over HTTP/2 delivers events', async () => {
  const session = http2.connect(cluster.address, tls)
  const stream = session.request({
    ':path': '/api/v1/namespaces/default/configmaps?watch=1&resourceVersion=0&labelSelector=w',
  })
  const parts: Buffer[] = []
  const ended = new Promise<void>((resolve) =>
    stream.on('data', (part: Buffer) => {
      parts.push(part)
      if (String(Buffer.concat(parts)).includes('DELETED')) resolve()
    }),
  )
  await new Promise((resolve) => stream.on('response', resolve))
  const client = cluster.client()
  await client.create(MAPS, { ...map('seen'), metadata: { name: 'seen', labels: { w: '1' } } })
  await client.delete({ ...MAPS, name: 'seen' })
  await ended
  session.destroy()
  const events = String(Buffer.concat(parts))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).type)
  assert.deepEqual(events, ['ADDED', 'DELETED'])
})

test('bodies beyond 3 MiB are refused, and the server continues', async () => {
  const reply = await h1('POST', '/api/v1/namespaces/default/configmaps', Buffer.alloc(4 * 1024 * 1024, 32)).catch((e: Error) => e)
  if (!(reply instanceof Error)) assert.equal(reply.code, 413)
  assert.equal((await h1('GET', '/healthz')).body, 'ok')
})

test('a body that is announced as too large is refused when it passes 3 MiB, not before', async () => {
  const length = 3 * 1024 * 1024 + 1
  const headers = { 'content-length': String(length) }
  const request = https.request(`${cluster.address}/api/v1/namespaces/default/configmaps`, {
    method: 'POST',
    ...tls,
    headers,
    agent: false,
  })
  const response = once(request, 'response')
  let responded = false
  request.on('response', () => {
    responded = true
  })
  await new Promise((resolve) => request.write(Buffer.alloc(length - 1, 32), resolve))
  assert.equal((await h1('GET', '/healthz')).body, 'ok')
  assert.equal(responded, false)
  request.end(' ')
  const [{ statusCode }] = await response
  assert.equal(statusCode, 413)
  request.destroy()
})

test('nothing is stored of a body that breaks off', async () => {
  await new Promise<void>((resolve) => {
    const request = https.request(`${cluster.address}/api/v1/namespaces/default/configmaps`, {
      method: 'POST',
      ...tls,
      agent: false,
      headers: { 'content-length': '1000' },
    })
    request.on('error', () => resolve())
    request.write(JSON.stringify(map('broken')))
    setTimeout(() => request.destroy(), 20)
  })
  assert.equal((await h1('GET', '/api/v1/namespaces/default/configmaps/broken')).code, 404)
})

test('hundreds of half-open connections do no harm', async () => {
  const port = Number(new URL(cluster.address).port)
  const sockets = await Promise.all(
    Array.from(
      { length: 500 },
      () =>
        new Promise<ReturnType<typeof createConnection>>((resolve) => {
          const socket = createConnection(port, '127.0.0.1', () => resolve(socket))
          socket.on('error', () => {})
          socket.write('\x16\x03')
        }),
    ),
  )
  assert.equal((await h1('GET', '/healthz')).code, 200)
  for (const socket of sockets) socket.destroy()
})

test('prototype names are keys like any other', async () => {
  const body =
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"proto"},"data":{"constructor":"a","__proto__":"b","toString":"c"}}'
  assert.equal((await h1('POST', '/api/v1/namespaces/default/configmaps', body)).code, 201)
  const { data } = JSON.parse((await h1('GET', '/api/v1/namespaces/default/configmaps/proto')).body)
  assert.deepEqual(Object.keys(data).sort(), ['__proto__', 'constructor', 'toString'])
  assert.equal(({} as Record<string, unknown>).polluted, undefined)
})

test('large responses are compressed for clients that accept it', async () => {
  const client = cluster.client()
  for (let i = 0; i < 20; i++) await client.create(MAPS, map(`large-${i}`, { a: 'x'.repeat(20_000) }))
  const reply = await h1('GET', '/api/v1/namespaces/default/configmaps', undefined, { 'accept-encoding': 'gzip' })
  assert.equal(reply.headers['content-encoding'], 'gzip')
  const plain = await h1('GET', '/api/v1/namespaces/default/configmaps')
  assert.ok(plain.body.length > 400_000)
})

test('paging over HTTPS returns every object once, with one revision', async () => {
  const names: string[] = []
  const revisions = new Set<string>()
  let token = ''
  do {
    const reply = await h1('GET', `/api/v1/namespaces/default/configmaps?limit=7&continue=${token}`)
    const list = JSON.parse(reply.body)
    names.push(...list.items.map((o: { metadata: { name: string } }) => o.metadata.name))
    revisions.add(list.metadata.resourceVersion)
    token = list.metadata.continue ?? ''
    await cluster.client().patch({ ...MAPS, name: 'busy' }, 'merge', { data: { page: String(names.length) } })
  } while (token !== '')
  assert.equal(new Set(names).size, names.length)
  assert.equal(revisions.size, 1)
})
