/** Watches over WebSocket, compared with the responses of kube-apiserver 1.36.3 to the same requests. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { WebSocket } from 'ws'
import { decodeWatchEvent, openEnvelope } from '../../src/machinery/protobuf/envelope.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'

type Cluster = Awaited<ReturnType<typeof startCluster>>
const MAPS = { group: '', version: 'v1', resource: 'configmaps', namespace: 'default' }
const PATH = '/api/v1/namespaces/default/configmaps?watch=1'
let cluster: Cluster
let access: { readonly ca: Buffer; readonly cert: Buffer; readonly key: Buffer }

before(async () => {
  cluster = await startCluster({ parts: ['server'] })
  await cluster.listen()
  const kubeconfig = cluster.kubeconfig()
  const data = (name: string) => Buffer.from(new RegExp(`${name}-data: (\\S+)`).exec(kubeconfig)?.[1] ?? '', 'base64')
  access = { ca: data('certificate-authority'), cert: data('client-certificate'), key: data('client-key') }
})
after(() => cluster[Symbol.asyncDispose]())

interface Requested {
  readonly protocols?: readonly string[]
  readonly headers?: Readonly<Record<string, string>>
  /** `''`: no Origin header. */
  readonly origin?: string
}

const open = (path: string, { protocols = [], headers = {}, origin = 'http://a' }: Requested = {}) =>
  new WebSocket(cluster.address.replace('https', 'wss') + path, [...protocols], { ...access, headers, ...(origin !== '' && { origin }) })

/** The status of a refusal. */
const refused = (ws: WebSocket) =>
  new Promise<number>((resolve, reject) => {
    ws.on('unexpected-response', (request, response) => {
      resolve(response.statusCode ?? 0)
      request.destroy()
    })
    ws.on('open', () => reject(new Error('it was not refused')))
    ws.on('error', () => {})
  })

const make = (name: string) =>
  cluster.client().create(MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { a: 'b\nc' } })

for (const protocols of [[], ['binary.k8s.io'], ['base64.binary.k8s.io'], ['foo']])
  test(`each event is a message of text, whichever subprotocol is named: ${JSON.stringify(protocols)}`, async () => {
    await make('first')
    const ws = open(PATH, { protocols })
    const [bytes, binary] = await once(ws, 'message')
    assert.equal(binary, false)
    assert.equal(ws.protocol, protocols[0] ?? '')
    const event = JSON.parse(String(bytes))
    assert.deepEqual([event.type, event.object.metadata.name], ['ADDED', 'first'])
    const second = once(ws, 'message')
    await cluster.client().delete({ ...MAPS, name: 'first' })
    assert.match(String((await second)[0]), /^\{"type":"DELETED".*\}\n$/)
    ws.close()
    await once(ws, 'close')
  })

test('protobuf is sent in binary messages without their length', async () => {
  await make('proto')
  const ws = open(PATH, { headers: { accept: 'application/vnd.kubernetes.protobuf;stream=watch' } })
  const [bytes, binary] = await once(ws, 'message')
  assert.equal(binary, true)
  const { type, object } = decodeWatchEvent(bytes as Buffer)
  assert.deepEqual([type, openEnvelope(object).kind], ['ADDED', 'ConfigMap'])
  ws.terminate()
})

test('without an origin it is 403, with several subprotocols 400, and errors of the watch are plain responses', async () => {
  assert.equal(await refused(open(PATH, { origin: '' })), 403)
  assert.equal(await refused(open(PATH, { origin: 'null' })), 403)
  assert.equal(await refused(open(PATH, { origin: '::bad %%' })), 403)
  assert.equal(await refused(open(PATH, { protocols: ['foo', 'binary.k8s.io'] })), 400)
  assert.equal(await refused(open(`${PATH}&resourceVersion=x`)), 500)
  assert.equal(await refused(open('/api/v1/namespaces/default/configmaps')), 200)
})

test('its end is a close with code 1000', async () => {
  const ws = open(`${PATH}&timeoutSeconds=1`)
  const [code] = await once(ws, 'close')
  assert.equal(code, 1000)
})
