/** What the API server reaches of nodes that live in a thread of their own, by the requests of users. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { BroadcastChannel } from 'node:worker_threads'
import type { Cluster, InnerClusterDeps } from '../../src/cluster/cluster.ts'
import { startCluster } from '../../src/cluster/start-cluster.ts'
import type { KubeObject } from '../../src/machinery/object.ts'
import { NODES, PODS, SERVICES } from '../../src/resources/refs.ts'
import { pod, service } from '../../src/testing/builders.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { ask } from './api-request.ts'

const pods = { ...PODS, namespace: 'default' }
const WEB_IMAGE = 'registry.k8s.io/e2e-test-images/nginx:1.14'
/** With it, nodes have a topology manager. */
const KUBELET = { apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration' }
/** Loading parts from the sources takes a thread seconds on a machine with other work. */
const PATIENCE = { timeoutMs: 60_000 }

async function textOf(source: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of source) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString()
}

const ready = (cluster: Cluster, name: string) =>
  waitFor(async () => {
    const { status } = await cluster.client().get({ ...pods, name })
    return status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True')
  }, PATIENCE)

const create = (cluster: Cluster, object: KubeObject) => waitFor(() => cluster.client().create<KubeObject>(pods, object), PATIENCE)

async function threadedCluster(deps: InnerClusterDeps = {}) {
  const deaths: string[] = []
  const cluster = await startCluster(
    { port: 0, ephemeral: true, threads: true, nodes: 2, kubeletConfig: KUBELET },
    { quiet: true, partDied: ({ part, error }) => deaths.push(`${part}: ${error.message}`), ...deps },
  )
  return { cluster, deaths, [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose]() }
}

const SHELL = pod('shell', {
  spec: { nodeName: 'node-1', containers: [{ name: 'main', image: 'busybox', command: ['sh', '-c', 'echo started; sleep 3600'] }] },
})
const WEB = pod('web', {
  metadata: { labels: { app: 'web' }, annotations: { 'simulated.bowsprit.dev/memory': '64Mi' } },
  spec: { nodeName: 'node-2', containers: [{ name: 'main', image: WEB_IMAGE, ports: [{ containerPort: 80 }] }] },
})

test('nodes in a thread', { timeout: 300_000 }, async (t: TestContext) => {
  await using world = await threadedCluster()
  const { cluster } = world
  const client = cluster.client()
  await create(cluster, SHELL)
  await create(cluster, WEB)
  await client.create({ ...SERVICES, namespace: 'default' }, service('web', { app: 'web' }))
  await ready(cluster, 'shell')
  await ready(cluster, 'web')

  await t.test('a log is read, and followed until its reader goes', async () => {
    const log = (query: string) => ask(cluster, `/api/v1/namespaces/default/pods/shell/log${query}`)
    await waitFor(async () => (await log('')).body === 'started\n')
    assert.equal((await log('?timestamps=true')).body.split(' ')[1], 'started\n')
    const none = await log('?previous=true')
    assert.deepEqual([none.code, JSON.parse(none.body).message], [400, 'previous terminated container "main" in pod "shell" not found'])
    for await (const chunk of await client.logs({ ...pods, name: 'shell' }, { follow: true })) {
      assert.equal(Buffer.from(chunk).toString(), 'started\n')
      break
    }
  })

  await t.test('a command gets its input, and its exit code comes back', async () => {
    await using shell = await client.exec({ ...pods, name: 'shell' }, ['sh', '-c', 'cat; echo gone >&2; exit 3'], { stdin: true })
    await shell.stdin.write(Buffer.from('hello'))
    await shell.stdin.end()
    assert.deepEqual([await textOf(shell.stdout), await textOf(shell.stderr), await shell.exit], ['hello', 'gone\n', { exitCode: 3 }])
    await assert.rejects(
      client.exec({ ...pods, name: 'shell' }, ['true'], { container: 'other' }),
      /container other is not valid for pod shell/,
    )
  })

  await t.test('a command ends when its client goes', async () => {
    const sleep = await client.exec({ ...pods, name: 'shell' }, ['sleep', '1234'])
    const processes = async () => {
      await using ps = await client.exec({ ...pods, name: 'shell' }, ['ps'])
      return await textOf(ps.stdout)
    }
    await waitFor(async () => (await processes()).includes('1234'))
    await sleep[Symbol.asyncDispose]()
    await waitFor(async () => !(await processes()).includes('1234'))
  })

  await t.test('a port is forwarded, and one at which nothing listens is refused', async () => {
    await using ports = await client.portForward({ ...pods, name: 'web' })
    const open = await ports.open(80)
    await open.sink.write(Buffer.from('GET / HTTP/1.1\r\nHost: web\r\nConnection: close\r\n\r\n'))
    assert.match(await textOf(open.source), /^HTTP\/1\.1 200 OK/)
    const refused = await ports.open(81)
    await assert.rejects(textOf(refused.source), /error forwarding port 81 to pod .*connection refused/)
  })

  await t.test('pods, services and kubelets are reached by the proxies', async () => {
    assert.match((await ask(cluster, '/api/v1/namespaces/default/pods/web/proxy/')).body, /Welcome to nginx/)
    await waitFor(async () => /nginx/.test((await ask(cluster, '/api/v1/namespaces/default/services/web/proxy/')).body))
    const refused = await ask(cluster, '/api/v1/namespaces/default/pods/web:9999/proxy/')
    assert.match(refused.body, /error trying to reach service: dial tcp 10\.210\.1\.\d+:9999: connect: connection refused/)
    assert.equal((await ask(cluster, '/api/v1/nodes/node-1/proxy/healthz')).body, 'ok')
    const { pods: measured } = JSON.parse((await ask(cluster, '/api/v1/nodes/node-2/proxy/stats/summary')).body)
    assert.equal(measured[0].memory.workingSetBytes, 64 * 1024 * 1024)
    assert.match((await ask(cluster, '/apis/metrics.k8s.io/v1beta1/namespaces/default/pods/web')).body, /"memory":"64Mi"/)
  })

  await t.test('the topology manager reports', async () => {
    const report = await client.get({
      group: 'bowsprit.dev',
      version: 'v1',
      resource: 'topologyreports',
      namespace: 'default',
      name: 'web',
    })
    assert.equal(report.kind, 'TopologyReport')
  })

  await t.test('programs reach the API server and each other by services', async () => {
    await using wget = await client.exec({ ...pods, name: 'shell' }, [
      'sh',
      '-c',
      'wget -qO- http://web; wget --no-check-certificate -qO- https://kubernetes/version',
    ])
    assert.match(await textOf(wget.stdout), /nginx[\s\S]*"major": ?"1"/)
  })
  assert.deepEqual(world.deaths, [])
})

const MODULE = new URL('../../src/cluster/threads/misbehaving-worker.double.ts', import.meta.url)
/** A full heap must not be taken for a loop that never ends: garbage is collected for long before it is given up. */
const limits = (deed: string) => ({ stuckMs: deed === 'hang' ? 10_000 : 120_000, stopMs: 10_000, heapMb: 256 })

for (const [what, deed, message] of [
  ['throws', 'throw', /^thread loops: this is no reason$/],
  ['fills its heap', 'fill', /^thread loops: .*(heap|memory)/i],
  ['hangs', 'hang', /^thread loops: thread loops was stuck: its event loop has not turned for 10 s$/],
] as const)
  test(`a thread of nodes that ${what} comes back with its containers, and the API server goes on`, { timeout: 300_000 }, async () => {
    const threads: string[] = []
    const started = (name: string) => threads.push(name)
    await using world = await threadedCluster({ threadStarted: started, threadDeps: { module: MODULE, limits: limits(deed) } })
    const { cluster, deaths } = world
    const client = cluster.client()
    const shell = () => client.get({ ...pods, name: 'shell' })
    await create(cluster, SHELL)
    await ready(cluster, 'shell')
    const before = await shell()

    const channel = new BroadcastChannel('controllers,scheduler,nodes')
    channel.postMessage(deed)
    channel.close()
    assert.equal((await ask(cluster, '/api/v1/namespaces/default/pods/shell')).code, 200)
    await waitFor(async () => deaths.length > 0, PATIENCE)
    assert.match(deaths[0] ?? '', message)

    await waitFor(async () => {
      await using echo = await client.exec({ ...pods, name: 'shell' }, ['echo', 'again'])
      return (await textOf(echo.stdout)) === 'again\n'
    }, PATIENCE)
    await create(cluster, { ...WEB, metadata: { name: 'later' } })
    await ready(cluster, 'later')
    const [now] = (await shell()).status?.containerStatuses ?? []
    const [old] = before.status?.containerStatuses ?? []
    assert.deepEqual([now?.containerID, now?.restartCount], [old?.containerID, old?.restartCount])
    assert.equal(deaths.length, 1)
    assert.deepEqual(threads.toSorted(), ['loops', 'loops'])
    assert.deepEqual(
      (await client.list(NODES)).items.map(({ metadata }) => metadata.name),
      ['node-1', 'node-2'],
    )
  })
