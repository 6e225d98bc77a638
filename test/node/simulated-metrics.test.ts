/** The metrics of simulated nodes, and autoscalers that use them, in virtual time; `kubectl top` with the real kubectl. */

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { kubectlPath } from '../../scripts/clients.ts'
import { VirtualClock } from '../../src/base/clock.ts'
import { seededRandom } from '../../src/base/random.ts'
import type { JsonObject, KubeObject } from '../../src/machinery/object.ts'
import { isStatus } from '../../src/machinery/status-error.ts'
import { API_SERVICES, CONFIG_MAPS, DEPLOYMENTS, HORIZONTAL_POD_AUTOSCALERS, PODS, SERVICES } from '../../src/resources/refs.ts'
import type { HorizontalPodAutoscaler, MetricSpec } from '../../src/resources/types/autoscaling.ts'
import type { Client, ResourceRef, Target } from '../../src/sdk/client/client.ts'
import { configMap, deployment, pod, service } from '../../src/testing/builders.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { runProgram } from '../run-program.ts'

interface PodMetrics extends KubeObject {
  readonly timestamp: string
  readonly window: string
  readonly containers: readonly { readonly name: string; readonly usage: object }[]
}
interface NodeMetrics extends KubeObject {
  readonly usage: { readonly cpu: string }
}

const POD_METRICS: Target<PodMetrics> = { group: 'metrics.k8s.io', version: 'v1beta1', resource: 'pods', namespace: 'default' }
const NODE_METRICS: ResourceRef<NodeMetrics> = { group: 'metrics.k8s.io', version: 'v1beta1', resource: 'nodes' }
const CPU = 'simulated.bowsprit.dev/cpu'
const REQUESTS = { PER_SECOND: 'metrics.simulated.bowsprit.dev/requests' }
const DEFAULT = { namespace: 'default' }

async function inVirtualTime(nodes = 2) {
  const clock = new VirtualClock()
  const cluster = await startCluster({ nodes }, { clock, random: seededRandom(1) })
  const client = cluster.client()
  await clock.advance(10_000)
  const annotate = (name: string, annotations: JsonObject, of: ResourceRef = DEPLOYMENTS) =>
    client.patch({ ...of, ...DEFAULT, name }, 'merge', { metadata: { annotations } })
  const replicas = async (name: string) => (await client.get({ ...DEPLOYMENTS, ...DEFAULT, name })).spec.replicas
  return { clock, cluster, client, annotate, replicas, [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose]() }
}

const usage = (metrics: PodMetrics) => metrics.containers.map((c) => [c.name, ...Object.values(c.usage)])

test("a pod's usage follows its annotations, container by container, over time", async () => {
  await using at = await inVirtualTime()
  const { client, clock } = at
  const annotations = { [CPU]: '100m,30s:400m', [`${CPU}.side`]: '7m', 'simulated.bowsprit.dev/memory': '64Mi' }
  const containers = [
    { name: 'main', image: 'app' },
    { name: 'side', image: 'app' },
    { name: 'other', image: 'app' },
  ]
  await client.create({ ...PODS, ...DEFAULT }, pod('scripted', { metadata: { annotations }, spec: { containers } }))
  await client.create({ ...PODS, ...DEFAULT }, pod('plain', { resources: { cpu: '500m', memory: '100Mi' } }))
  await client.create({ ...PODS, ...DEFAULT }, pod('poor'))
  await client.create(
    { ...PODS, ...DEFAULT },
    pod('finished', { image: 'done', spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'done' }] } }),
  )
  await clock.advance(20_000)

  const of = async (name: string) => usage(await client.get({ ...POD_METRICS, name }))
  // The pod's figure is divided among the containers without one.
  assert.deepEqual(await of('scripted'), [
    ['main', '50m', '22369621'],
    ['other', '50m', '22369621'],
    ['side', '7m', '22369621'],
  ])
  assert.deepEqual(await of('plain'), [['main', '100m', '50Mi']])
  assert.deepEqual(await of('poor'), [['main', '5m', '16Mi']])
  await assert.rejects(
    of('finished'),
    (error) => isStatus(error, 'NotFound') && /podmetrics.metrics.k8s.io "default\/finished" not found/.test(error.message),
  )
  await assert.rejects(of('nobody'), (error) => isStatus(error, 'NotFound') && /pods "nobody" not found/.test(error.message))
  await clock.advance(20_000)
  assert.deepEqual((await of('scripted'))[0], ['main', '200m', '22369621'])

  const { items } = await client.list(NODE_METRICS)
  const cores = items.map(({ usage: { cpu } }) => cpu)
  assert.equal(cores.length, 2)
  const { timestamp, window, metadata } = await client.get({ ...POD_METRICS, name: 'plain' })
  assert.deepEqual([Date.parse(timestamp), window, metadata.creationTimestamp], [Math.floor(clock.now() / 1000) * 1000, '15s', timestamp])

  const named = async (query: Readonly<Record<string, string>>) =>
    (await client.list({ ...POD_METRICS }, query)).items.map(({ metadata }) => metadata.name)
  assert.deepEqual(await named({}), ['plain', 'poor', 'scripted'])
  assert.deepEqual(await named({ fieldSelector: 'metadata.name=poor' }), ['poor'])
  assert.deepEqual(await named({ labelSelector: 'app=x' }), [])
  await assert.rejects(named({ fieldSelector: 'spec.nodeName=x' }), /not a known field selector/)
})

test('a script that cannot be read is named, and keeps no other figures back', async () => {
  await using at = await inVirtualTime(1)
  const { client, clock } = at
  await client.create({ ...PODS, ...DEFAULT }, pod('good'))
  await client.create({ ...PODS, ...DEFAULT }, pod('bad', { metadata: { annotations: { [CPU]: 'lots' } } }))
  await clock.advance(5000)
  assert.deepEqual(
    (await client.list(POD_METRICS)).items.map(({ metadata }) => metadata.name),
    ['good'],
  )
  await assert.rejects(
    client.get({ ...POD_METRICS, name: 'bad' }),
    /Pod default\/bad: simulated.bowsprit.dev\/cpu: "lots": an amount is a quantity/,
  )
  assert.equal((await client.list(NODE_METRICS)).items.length, 1)
})

const autoscaler = (metrics: readonly MetricSpec[], spec: object = {}): HorizontalPodAutoscaler => ({
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'web' },
  spec: {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
    minReplicas: 1,
    maxReplicas: 10,
    behavior: { scaleDown: { stabilizationWindowSeconds: 60 } },
    metrics: [...metrics],
    ...spec,
  },
})

const cpu = (averageUtilization: number): MetricSpec => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
})

test('a deployment scales up with the load that its replicas share, and down without it', async () => {
  await using at = await inVirtualTime()
  const { client, clock, annotate, replicas } = at
  await client.create({ ...DEPLOYMENTS, ...DEFAULT }, deployment('web', { resources: { cpu: '100m' } }))
  await client.create({ ...HORIZONTAL_POD_AUTOSCALERS, ...DEFAULT }, autoscaler([cpu(50)]))
  await annotate('web', { [CPU]: '30m/replicas' })
  await clock.advance(120_000)
  assert.equal(await replicas('web'), 1)
  await annotate('web', { [CPU]: '400m/replicas' })
  await clock.advance(300_000)
  assert.equal(await replicas('web'), 8)
  await annotate('web', { [CPU]: '120m/replicas' })
  await clock.advance(300_000)
  assert.equal(await replicas('web'), 3)
  const { status } = await client.get({ ...HORIZONTAL_POD_AUTOSCALERS, ...DEFAULT, name: 'web' })
  assert.equal(status?.currentMetrics?.[0]?.resource?.current.averageUtilization, 40)
  assert.deepEqual(
    status?.conditions?.map((c: { type: string; status: string }) => `${c.type}=${c.status}`),
    ['AbleToScale=True', 'ScalingActive=True', 'ScalingLimited=False'],
  )
})

/** Name, metric, a function that sets the figure, its values for 5 and for 2 replicas. */
type Set = (at: Awaited<ReturnType<typeof inVirtualTime>>, figure: string) => Promise<unknown>
const annotated =
  (key: string): Set =>
  ({ annotate }, figure) =>
    annotate('web', { [key]: figure })
const SOURCES: readonly (readonly [name: string, metric: MetricSpec, set: Set, five: string, two: string])[] = [
  ['Resource', cpu(50), annotated(CPU), '250m/replicas', '100m/replicas'],
  [
    'ContainerResource',
    {
      type: 'ContainerResource',
      containerResource: { name: 'cpu', container: 'main', target: { type: 'AverageValue', averageValue: '50m' } },
    },
    annotated(`${CPU}.main`),
    '250m/replicas',
    '100m/replicas',
  ],
  [
    'Pods',
    { type: 'Pods', pods: { metric: { name: 'requests' }, target: { type: 'AverageValue', averageValue: '10' } } },
    annotated(REQUESTS.PER_SECOND),
    '50/replicas',
    '20/replicas',
  ],
  [
    'Object',
    {
      type: 'Object',
      object: {
        metric: { name: 'requests', selector: { matchLabels: { verb: 'GET' } } },
        describedObject: { apiVersion: 'v1', kind: 'Service', name: 'web' },
        target: { type: 'AverageValue', averageValue: '10' },
      },
    },
    ({ annotate }, figure) => annotate('web', { [REQUESTS.PER_SECOND]: figure }, SERVICES),
    '{verb=GET}30;{verb=POST}500;{verb=GET,path=x}20',
    '{verb=GET}20',
  ],
  [
    'External',
    {
      type: 'External',
      external: {
        metric: { name: 'queue', selector: { matchLabels: { queue: 'a' } } },
        target: { type: 'AverageValue', averageValue: '10' },
      },
    },
    ({ client }, figure) =>
      client.patch({ ...CONFIG_MAPS, ...DEFAULT, name: 'simulated-external-metrics' }, 'merge', { data: { queue: figure } }),
    '{queue=a}50;{queue=b}1000',
    '{queue=a}20',
  ],
]
for (const [name, metric, set, five, two] of SOURCES)
  test(`metrics of the type ${name} scale up and down`, async () => {
    await using at = await inVirtualTime()
    const { client, clock, replicas } = at
    await client.create({ ...CONFIG_MAPS, ...DEFAULT }, configMap('simulated-external-metrics'))
    await client.create(
      { ...SERVICES, ...DEFAULT },
      service('web', { app: 'web' }, { spec: { ports: [{ port: 80 }], selector: { app: 'web' } } }),
    )
    await client.create({ ...DEPLOYMENTS, ...DEFAULT }, deployment('web', { replicas: 1, resources: { cpu: '100m' } }))
    await client.create({ ...HORIZONTAL_POD_AUTOSCALERS, ...DEFAULT }, autoscaler([metric]))
    await set(at, five)
    await clock.advance(300_000)
    const { status } = await client.get({ ...HORIZONTAL_POD_AUTOSCALERS, ...DEFAULT, name: 'web' })
    assert.equal(await replicas('web'), 5, JSON.stringify(status))
    await set(at, two)
    await clock.advance(300_000)
    assert.equal(await replicas('web'), 2)
    assert.equal(status?.currentMetrics?.[0]?.type, name)
  })

test('an unknown metric is not served, and the autoscaler reports that', async () => {
  await using at = await inVirtualTime()
  const { client, clock } = at
  await client.create({ ...DEPLOYMENTS, ...DEFAULT }, deployment('web', { replicas: 2 }))
  const metric = { type: 'Pods', pods: { metric: { name: 'nothing' }, target: { type: 'AverageValue', averageValue: '10' } } }
  await client.create({ ...HORIZONTAL_POD_AUTOSCALERS, ...DEFAULT }, autoscaler([metric]))
  await clock.advance(40_000)
  const { status } = await client.get({ ...HORIZONTAL_POD_AUTOSCALERS, ...DEFAULT, name: 'web' })
  const active = status?.conditions?.find((c) => c.type === 'ScalingActive')
  assert.equal(active?.reason, 'FailedGetPodsMetric')
  assert.match(active?.message ?? '', /the server could not find the metric nothing for pods$/)
})

const apiServices = async (client: Client) =>
  Object.fromEntries(
    (await client.list(API_SERVICES)).items
      .filter(({ spec }) => spec.group?.endsWith('metrics.k8s.io'))
      .map(({ metadata, spec }) => [metadata.name, spec.service?.name]),
  )

test('a deleted or changed APIService is left alone; also after a restart', async (t) => {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-metrics-'))
  t.after(() => rmSync(dataDir, { recursive: true }))
  const name = 'v1beta1.metrics.k8s.io'
  {
    await using cluster = await startCluster({ dataDir, nodes: 1 })
    assert.deepEqual(await apiServices(cluster.client()), { [name]: 'simulated-metrics' })
    await cluster.client().delete({ ...API_SERVICES, name })
  }
  {
    await using cluster = await startCluster({ dataDir, nodes: 1 })
    assert.deepEqual(await apiServices(cluster.client()), {})
    const spec = { group: 'custom.metrics.k8s.io', version: 'v1beta1', groupPriorityMinimum: 1, versionPriority: 1 }
    const theirs = { ...spec, insecureSkipTLSVerify: true, service: { namespace: 'default', name: 'theirs' } }
    await cluster.client().create(API_SERVICES, {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: 'v1beta1.custom.metrics.k8s.io' },
      spec: theirs,
    })
    const metric = { type: 'Pods', pods: { metric: { name: 'requests' }, target: { type: 'AverageValue', averageValue: '10' } } }
    await cluster.client().create({ ...HORIZONTAL_POD_AUTOSCALERS, ...DEFAULT }, autoscaler([metric]))
    await waitFor(async () => (await apiServices(cluster.client()))['v1beta2.custom.metrics.k8s.io'] === 'simulated-metrics')
    assert.equal((await apiServices(cluster.client()))['v1beta1.custom.metrics.k8s.io'], 'theirs')
  }
})

test('a cluster without nodes of its own has no metrics', async () => {
  await using cluster = await startCluster({ nodes: 0 })
  assert.deepEqual(await apiServices(cluster.client()), {})
})

test('kubectl top, get and explain', async (t) => {
  await using cluster = await startCluster({ nodes: 2 })
  const client = cluster.client()
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-top-'))
  t.after(() => rmSync(folder, { recursive: true }))
  await cluster.listen()
  writeFileSync(path.join(folder, 'kubeconfig'), cluster.kubeconfig())
  const env = { KUBECONFIG: path.join(folder, 'kubeconfig'), HOME: folder, PATH: '/usr/bin:/bin' }
  const kubectl = async (line: string) => {
    const { out, err } = await runProgram(kubectlPath('36'), line.split(' '), { env, cwd: folder })
    return (out + err).replaceAll(/ +$/gm, '').replaceAll(/ {2,}/g, '  ').trim()
  }
  const annotations = { [CPU]: '120m', [`${CPU}.side`]: '30m', 'simulated.bowsprit.dev/memory': '64Mi' }
  const containers = [
    { name: 'main', image: 'app' },
    { name: 'side', image: 'app' },
  ]
  await client.create(
    { ...PODS, ...DEFAULT },
    pod('a', { metadata: { annotations, labels: { app: 'a' } }, spec: { nodeName: 'node-1', containers } }),
  )
  await client.create({ ...PODS, ...DEFAULT }, pod('b', { spec: { nodeName: 'node-2', containers: [{ name: 'c', image: 'app' }] } }))
  await waitFor(async () => (await client.list(POD_METRICS)).items.length === 2 && (await client.list(NODE_METRICS)).items.length === 2)
  assert.equal(await kubectl('top pods'), 'NAME  CPU(cores)  MEMORY(bytes)\na  150m  64Mi\nb  5m  16Mi')
  assert.equal(
    await kubectl('top pod -l app=a --containers'),
    'POD  NAME  CPU(cores)  MEMORY(bytes)\na  main  120m  32Mi\na  side  30m  32Mi',
  )
  assert.match(
    await kubectl('top nodes --sort-by=cpu'),
    /^NAME .*\nnode-1 {2}150m {2}\d+% {2}64Mi {2}\d+%\nnode-2 {2}5m {2}\d+% {2}16Mi {2}\d+%$/,
  )
  assert.equal(await kubectl('get podmetrics'), 'NAME  CPU  MEMORY  WINDOW\na  150m  64Mi  15s\nb  5m  16Mi  15s')
  assert.match(await kubectl('explain podmetrics.window'), /^GROUP: +metrics.k8s.io\nKIND: +PodMetrics\nVERSION: +v1beta1/)
  assert.match(await kubectl('delete podmetrics a'), /nothing else is served of them/)
})
