/** Metrics servers that lie: no answer of theirs scales anything beyond its bounds, and others' workloads go on. */
import assert from 'node:assert/strict'
import http from 'node:http'
import { duplexPair } from 'node:stream'
import { after, before, test } from 'node:test'
import { VirtualClock } from '../../src/base/clock.ts'
import { seededRandom } from '../../src/base/random.ts'
import type { Cluster } from '../../src/cluster/cluster.ts'
import { API_SERVICES, DEPLOYMENTS, HORIZONTAL_POD_AUTOSCALERS } from '../../src/resources/refs.ts'
import { deployment } from '../../src/testing/builders.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'

const GROUP_VERSION = 'metrics.k8s.io/v1beta1'
const DISCOVERY = {
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: GROUP_VERSION,
  resources: [{ name: 'pods', kind: 'PodMetrics', namespaced: true, verbs: ['get', 'list'] }],
}
const IN_DEFAULT = { namespace: 'default' }
const clock = new VirtualClock()
let cluster: Cluster
/** What the server answers to a list of pods' metrics. */
let answer: () => string = () => list()

before(async () => {
  const server = http.createServer((request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(request.url?.includes('/pods') === true ? answer() : JSON.stringify(DISCOVERY))
  })
  const connect = () => {
    const [near, far] = duplexPair()
    server.emit('connection', far)
    return near
  }
  cluster = await startCluster({ nodes: 1 }, { clock, random: seededRandom(1), services: new Map([['default/evil', connect]]) })
  const client = cluster.client()
  const target = { ...API_SERVICES, name: 'v1beta1.metrics.k8s.io' }
  const ours = await client.get(target)
  await client.update(target, { ...ours, spec: { ...ours.spec, service: { namespace: 'default', name: 'evil' } } })
  await client.create({ ...DEPLOYMENTS, ...IN_DEFAULT }, deployment('web', { replicas: 2, resources: { cpu: '100m' } }))
  await client.create(
    { ...HORIZONTAL_POD_AUTOSCALERS, ...IN_DEFAULT },
    {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'web' },
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        minReplicas: 2,
        maxReplicas: 4,
        metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } }],
      },
    },
  )
  await clock.advance(30_000)
})
after(() => cluster[Symbol.asyncDispose]())

const list = (...items: readonly unknown[]): string =>
  JSON.stringify({ kind: 'PodMetricsList', apiVersion: GROUP_VERSION, metadata: {}, items })
const item = (usage: unknown, more: object = {}) => ({
  metadata: { name: 'web', namespace: 'default' },
  timestamp: '2026-01-01T00:00:00Z',
  window: '30s',
  containers: [{ name: 'main', usage }],
  ...more,
})

const answers: readonly (readonly [what: string, of: () => string])[] = [
  ['nothing', () => ''],
  ['no JSON', () => '{"items":['],
  ['no list', () => '[]'],
  ['items that are no objects', () => list(1, null, 'a', [], [[]])],
  ['items without anything', () => list({}, { metadata: null, containers: null }, { containers: [null, {}] })],
  ['figures that are no quantities', () => list(item({ cpu: 'lots' }))],
  ['figures of other types', () => list(item({ cpu: { a: 1 } }), item({ cpu: [] }), item([]), item('1'))],
  ['figures below nothing', () => list(item({ cpu: '-9223372036854775807' }))],
  ['figures beyond every number', () => list(item({ cpu: '9e999999999' }), item({ cpu: 1e308 }))],
  ['figures of a megabyte', () => list(item({ cpu: '9'.repeat(1_000_000) }))],
  ['times and windows of nowhere', () => list(item({ cpu: '1' }, { timestamp: {}, window: '9'.repeat(1_000_000) }))],
  ['names of every object', () => list(item({ cpu: '1', __proto__: 1 }, { metadata: { name: '__proto__' } }))],
  ['the figures of 100,000 other pods', () => list(...Array(100_000).fill(item({ cpu: '1' }, { metadata: { name: 'other' } })))],
  [
    'a refusal of a megabyte',
    () => JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 403, message: 'x'.repeat(1e6) }),
  ],
]
for (const [what, of] of answers)
  test(`an autoscaler stays within its bounds and says why: ${what}`, async () => {
    answer = of
    await clock.advance(60_000)
    const client = cluster.client()
    const { spec } = await client.get({ ...DEPLOYMENTS, ...IN_DEFAULT, name: 'web' })
    assert.ok([2, 3, 4].includes(spec.replicas ?? 0), `${spec.replicas} replicas`)
    const { status } = await client.get({ ...HORIZONTAL_POD_AUTOSCALERS, ...IN_DEFAULT, name: 'web' })
    const active = status?.conditions?.find((c) => c.type === 'ScalingActive')
    assert.ok(active?.status === 'True' || (active?.message ?? '').length > 0, JSON.stringify(active))
    assert.ok((active?.message ?? '').length < 10_000, `${active?.message?.length} characters`)
  })

test('afterwards the autoscaler follows an honest answer', async () => {
  const pods = async () => (await cluster.client().list({ group: '', version: 'v1', resource: 'pods', ...IN_DEFAULT })).items
  const names = (await pods()).map((pod) => pod.metadata.name)
  answer = () => list(...names.map((name) => item({ cpu: '500m' }, { metadata: { name }, timestamp: new Date(clock.now()).toISOString() })))
  await clock.advance(600_000)
  assert.equal((await pods()).length, 4)
})
