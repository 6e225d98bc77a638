/**
 * Servers behind APIServices that misbehave over HTTP/2: streams that are reset, connections that end with each request, floods of headers,
 * small bodies that unpack to large ones. Each costs its own requests; others are served, and the log stays empty.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import http2, { type Http2SecureServer, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { API_SERVICES, CONFIG_MAPS, SERVICES } from '../../src/resources/refs.ts'
import { testCertificate } from '../../src/testing/test-certificate.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { type AttackedCluster, openAttackedCluster } from './attacked-cluster.ts'

const GROUP = 'evil.example.com'
const PATH = `/apis/${GROUP}/v1/namespaces/default/things`
const DISCOVERY = JSON.stringify({
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: `${GROUP}/v1`,
  resources: [{ name: 'things', kind: 'Thing', namespaced: true, verbs: ['get', 'list'] }],
})

let attacked: AttackedCluster
let server: Http2SecureServer
/** What the server does with a request for its objects. */
let play: (stream: ServerHttp2Stream) => void

const sound = (stream: ServerHttp2Stream) => {
  stream.respond({ ':status': 200, 'content-type': 'application/json' })
  stream.end('{"kind":"ThingList","apiVersion":"evil.example.com/v1","metadata":{},"items":[]}')
}

before(async () => {
  const { cert, key } = testCertificate()
  server = http2.createSecureServer({ cert, key })
  server.on('sessionError', () => {})
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    stream.on('error', () => {})
    if (headers[':path']?.startsWith(PATH)) return play(stream)
    stream.respond({ ':status': 200, 'content-type': 'application/json' })
    stream.end(DISCOVERY)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  attacked = await openAttackedCluster({ parts: ['server'] })
  const client = attacked.cluster.client()
  const { port } = server.address() as AddressInfo
  await client.create(
    { ...SERVICES, namespace: 'default' },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'evil', annotations: { 'bowsprit.dev/local-port': String(port) } },
      spec: { ports: [{ port: 443 }] },
    },
  )
  const service = { namespace: 'default', name: 'evil' }
  await client.create(API_SERVICES, {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: `v1.${GROUP}` },
    spec: { group: GROUP, version: 'v1', groupPriorityMinimum: 1000, versionPriority: 15, insecureSkipTLSVerify: true, service },
  })
  const available = async () => (await client.get({ ...API_SERVICES, name: `v1.${GROUP}` })).status?.conditions?.[0]?.status === 'True'
  await waitFor(available, { timeoutMs: 20_000, what: 'the APIService is available' })
})
after(async () => {
  await attacked[Symbol.asyncDispose]()
  server.close()
})

/** A GET of a client over HTTP/2: the code (0: the stream was broken off) and how many bytes came. */
function get(headers: Readonly<Record<string, string>> = {}): Promise<{ readonly code: number; readonly bytes: number }> {
  const session = http2.connect(attacked.address.origin, { ...attacked.access })
  session.on('error', () => {})
  return new Promise((resolve) => {
    const stream = session.request({ ':path': PATH, ...headers })
    let [code, bytes] = [0, 0]
    stream.on('response', (answer) => {
      code = Number(answer[':status'])
    })
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length
    })
    stream.on('error', () => {
      code = 0
    })
    stream.on('close', () => {
      session.destroy()
      resolve({ code: stream.rstCode === 0 ? code : 0, bytes })
    })
    stream.end()
  })
}

const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`x-${i}`, 'y'.repeat(100)]))
const rows: readonly (readonly [what: string, play: (stream: ServerHttp2Stream) => void, code: number])[] = [
  ['resets each stream', (stream) => stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR), 503],
  ['ends its connection with each request', (stream) => stream.session?.destroy(), 503],
  ['says GOAWAY and does not answer', (stream) => stream.session?.destroy(undefined, http2.constants.NGHTTP2_ENHANCE_YOUR_CALM), 503],
  ['sends a thousand headers', (stream) => stream.respond({ ':status': 200, ...many(1000) }, { endStream: true }), 503],
  [
    'breaks off in the middle of a body',
    (stream) => {
      stream.respond({ ':status': 200, 'content-type': 'application/json' })
      stream.write('{"kind":', () => stream.destroy(new Error('broken off')))
    },
    0,
  ],
  [
    'says that it sends gzip, and does not',
    (stream) => {
      stream.respond({ ':status': 200, 'content-type': 'application/json', 'content-encoding': 'gzip' })
      stream.end('no gzip')
    },
    0,
  ],
]
for (const [what, evil, code] of rows)
  test(`a server that ${what} costs its own requests: ${code === 0 ? 'broken off' : code}`, async () => {
    play = evil
    for (let i = 0; i < 3; i++) assert.equal((await get()).code, code)
    play = sound
    assert.equal((await get()).code, 200)
    assert.ok((await attacked.cluster.client().list({ ...CONFIG_MAPS, namespace: 'default' })).items.length >= 0)
    assert.deepEqual(attacked.errors, [])
  })

test('a small body that unpacks to a large one is passed on at the pace of its reader', async () => {
  const packed = gzipSync(Buffer.alloc(200_000_000))
  play = (stream) => {
    stream.respond({ ':status': 200, 'content-type': 'application/json', 'content-encoding': 'gzip' })
    stream.end(packed)
  }
  const before = process.memoryUsage().rss
  let most = 0
  const meter = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss - before)
  }, 5)
  const { code, bytes } = await get()
  clearInterval(meter)
  assert.deepEqual({ code, bytes }, { code: 200, bytes: 200_000_000 })
  assert.ok(most < 190_000_000, `${most} bytes more`)
})
