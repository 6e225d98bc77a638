import assert from 'node:assert/strict'
import http2 from 'node:http2'
import { after, before, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { jsonToProtobuf, protobufToJson } from '../apiserver/handlers/body/protobuf.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { startCluster } from '../cluster/start-cluster.ts'
import type { JsonObject } from '../machinery/object.ts'
import { encodeYaml } from '../machinery/yaml/yaml.ts'
import { kubernetesKinds } from './kubernetes-kinds.ts'

/** More than one slice of objects, with texts that are difficult for encodings. */
const COUNT = 600
const MAPS = { group: '', version: 'v1', resource: 'configmaps', namespace: 'lists' }
let cluster: Cluster
let session: http2.ClientHttp2Session | undefined
let identity: http2.SecureClientSessionOptions

before(async () => {
  cluster = await startCluster({ parts: ['server'], ephemeral: true, port: 0 }, { freeze: true })
  await cluster.listen()
  const kubeconfig = cluster.kubeconfig()
  const pem = (name: string) => Buffer.from(new RegExp(`${name}-data: (\\S+)`).exec(kubeconfig)?.[1] ?? '', 'base64')
  identity = { ca: pem('certificate-authority'), cert: pem('client-certificate'), key: pem('client-key') }
  const client = cluster.client()
  await client.create(
    { group: '', version: 'v1', resource: 'namespaces' },
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'lists' } },
  )
  const texts = ['plain', 'zwei\nZeilen\n', '  - "x": #', 'items: []\nrows: []', '日本 \u2028', 'x'.repeat(3000), '', '"items":[]}']
  for (let i = 0; i < COUNT; i++) {
    await client.create(MAPS, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: `m${i}`, annotations: { a: texts[(i + 3) % texts.length] ?? '' } },
      data: { a: texts[i % texts.length] },
    })
  }
})
after(async () => {
  session?.destroy()
  await cluster[Symbol.asyncDispose]()
})

function get(
  accept: string,
  path = '/api/v1/namespaces/lists/configmaps',
  headers: Record<string, string> = {},
): Promise<{ readonly type: string; readonly body: Buffer }> {
  return new Promise((resolve, reject) => {
    // The server closes idle connections, and these tests may wait for others.
    if (session === undefined || session.closed || session.destroyed) session = http2.connect(cluster.address, identity)
    const stream = session.request({ ':path': path, accept, ...headers })
    const parts: Buffer[] = []
    let type = ''
    stream.on('response', (h) => {
      type = String(h['content-type'])
      if (h[':status'] !== 200) reject(new Error(`${h[':status']}`))
    })
    stream.on('data', (part: Buffer) => parts.push(part))
    stream.on('error', reject)
    stream.on('end', () => resolve({ type, body: Buffer.concat(parts) }))
  })
}

/** Removes ages in tables, which change between two requests. */
const ageless = (text: string) => text.replaceAll(/("|- )(?:\d+[hms])+("|$)/gm, '$10s$2')

/** JSON as Go writes it: what HTML and JavaScript could misread is escaped. */
const goEscaped = (json: string) => json.replaceAll(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)

const PARTIAL = 'as=PartialObjectMetadataList;g=meta.k8s.io;v=v1'
const TABLE = 'as=Table;g=meta.k8s.io;v=v1'
const parsed = async (form: string) => JSON.parse(String((await get(`application/json${form}`)).body)) as JsonObject

for (const [what, form] of [
  ['objects', ''],
  ['metadata', `;${PARTIAL}`],
  ['tables', `;${TABLE}`],
] as const) {
  test(`long lists of ${what}, made in slices, are in YAML and indented JSON what the whole would be`, async () => {
    const list = await parsed(form)
    const yaml = await get(`application/yaml${form}`)
    assert.equal(yaml.type, 'application/yaml')
    assert.ok(ageless(String(yaml.body)) === ageless(encodeYaml(list)))
    const pretty = await get(`application/json${form}`, '/api/v1/namespaces/lists/configmaps?pretty=true')
    const again: unknown = JSON.parse(String(pretty.body))
    assert.deepEqual(JSON.parse(ageless(JSON.stringify(again))), JSON.parse(ageless(JSON.stringify(list))))
    assert.ok(String(pretty.body) === goEscaped(JSON.stringify(again, undefined, 2)))
  })
}

for (const form of ['', `;${PARTIAL}`, `;${PARTIAL}beta1`])
  test(`long lists in protobuf, encoded in slices, equal the same list in JSON: ${JSON.stringify(form)}`, async () => {
    const list = await parsed(form)
    // The second response has the cached message lengths of the first.
    for (let i = 0; i < 2; i++) {
      const { body } = await get(`application/vnd.kubernetes.protobuf${form}`)
      const decoded = protobufToJson(kubernetesKinds, body)
      assert.ok(jsonToProtobuf(kubernetesKinds, decoded).equals(body))
      // Of version v1beta1 the items are the first field, as Go has them.
      assert.deepEqual(Object.keys(decoded).slice(0, 2), form.endsWith('v1beta1') ? ['items', 'metadata'] : ['metadata', 'items'])
      const items = (decoded.items ?? []) as JsonObject[]
      assert.equal(items.length, COUNT)
      // Protobuf also encodes empty fields.
      const plain = ({ metadata, data }: JsonObject) => {
        const { name, uid, resourceVersion, annotations } = metadata as JsonObject
        return { name, uid, resourceVersion, annotations, text: (data as JsonObject | undefined)?.a }
      }
      assert.deepEqual(items.map(plain), (list.items as JsonObject[]).map(plain))
    }
  })

for (const form of ['', `;${PARTIAL}`])
  test(`long compressed lists are equal, also after a change: ${JSON.stringify(form)}`, async () => {
    for (let i = 0; i < 3; i++) {
      const [zipped, list] = await Promise.all([
        get(`application/json${form}`, undefined, { 'accept-encoding': 'gzip' }),
        get(`application/json${form}`),
      ])
      assert.ok(zipped.body.length < list.body.length / 4)
      assert.ok(gunzipSync(zipped.body).equals(list.body))
      await cluster.client().patch({ ...MAPS, name: `m${i * 100}` }, 'merge', { data: { again: `${i}` } })
    }
  })

test('a table of flow schemas is in the order of their precedence, their list in that of their names', async () => {
  const path = '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas'
  const table = JSON.parse(String((await get(`application/json;${TABLE}`, path)).body)) as { rows: { cells: [string, string, number] }[] }
  const list = JSON.parse(String((await get('application/json', path)).body)) as { items: { metadata: { name: string } }[] }
  const rows = table.rows.map(({ cells: [name, , precedence] }) => ({ name, precedence }))
  assert.deepEqual(rows[0], { name: 'exempt', precedence: 1 })
  assert.deepEqual(
    rows,
    rows.toSorted((a, b) => a.precedence - b.precedence),
  )
  const names = list.items.map((item) => item.metadata.name)
  assert.deepEqual(names, names.toSorted())
  assert.deepEqual(new Set(rows.map((row) => row.name)), new Set(names))
})

test('a table without rows has an empty list of them, but null for kinds without columns of their own', async () => {
  const rows = async (path: string) => (JSON.parse(String((await get(`application/json;${TABLE}`, path)).body)) as JsonObject).rows
  assert.deepEqual(await rows('/api/v1/namespaces/none/configmaps'), [])
  assert.equal(await rows('/api/v1/namespaces/none/limitranges'), null)
  assert.match(String((await get(`application/yaml;${TABLE}`, '/api/v1/namespaces/none/limitranges')).body), /\nrows: null\n/)
})
