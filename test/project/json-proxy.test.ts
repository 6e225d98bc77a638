/** The proxy by which `npm run differ` compares protobuf, in front of our own server. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { JsonProxy } from '../../scripts/differ/json-proxy.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'

const PROTOBUF = 'application/vnd.kubernetes.protobuf'

test('protobuf of both directions passes the proxy as JSON, and JSON unchanged', async (t) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-proxy-'))
  t.after(() => rmSync(folder, { recursive: true }))
  await using cluster = await startCluster({ parts: ['server'] })
  await cluster.listen()
  const [kubeconfig, kubeconfigTo] = [path.join(folder, 'kubeconfig'), path.join(folder, 'proxy')]
  writeFileSync(kubeconfig, cluster.kubeconfig())
  await using _proxy = await JsonProxy.start(kubeconfig, { kubeconfigTo })
  const { clusters } = JSON.parse(readFileSync(kubeconfigTo, 'utf8'))
  const maps = `${clusters[0].cluster.server}/api/v1/namespaces/default/configmaps`

  const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { b: 'c' } })
  const created = await fetch(maps, { method: 'POST', body, headers: { 'content-type': PROTOBUF, accept: PROTOBUF } })
  assert.equal(created.headers.get('content-type'), PROTOBUF)
  const { data, metadata, protobuf } = (await created.json()) as Record<string, Record<string, unknown>>
  assert.deepEqual([data, metadata?.generateName, protobuf], [{ b: 'c' }, '', undefined])

  const broken = await fetch(maps, { method: 'POST', body: '{"a":', headers: { 'content-type': PROTOBUF } })
  assert.match(((await broken.json()) as { message: string }).message, /does not appear to be a protobuf message/)

  const watched = await fetch(`${maps}?watch=1&timeoutSeconds=1&fieldSelector=metadata.name=a`, { headers: { accept: PROTOBUF } })
  const [event, ...others] = (await watched.text()).trim().split('\n')
  assert.deepEqual(others, [])
  assert.match(event ?? '', /^\{"type":"ADDED","object":\{"metadata":\{"name":"a"/)

  const aggregated = `${PROTOBUF};g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList`
  const discovery = await fetch(`${clusters[0].cluster.server}/apis`, { headers: { accept: aggregated } })
  assert.equal(discovery.headers.get('content-type'), aggregated)
  const groups = (await discovery.json()) as { items: { metadata: { name: string } }[]; protobuf?: string }
  assert.equal(groups.protobuf, undefined)
  assert.ok(groups.items.some((group) => group.metadata.name === 'apps'))

  const plain = await fetch(`${maps}/a`)
  assert.match(await plain.text(), /^\{"kind":"ConfigMap","apiVersion":"v1","metadata":\{"name":"a"/)
})
