import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { systemClock, VirtualClock } from '../../base/clock.ts'
import { silentLogger } from '../../base/logger.ts'
import { seededRandom } from '../../base/random.ts'
import { DEPLOYMENTS, PODS } from '../../resources/refs.ts'
import type { Deployment } from '../../resources/types/apps.ts'
import type { Client } from '../../sdk/client/client.ts'
import type { Cluster, InnerClusterDeps } from '../cluster.ts'
import { startCluster } from '../start-cluster.ts'

/** A cluster in threads, what it logged as warnings, and its threads by name, the latest last. */
async function threadedCluster(deps: InnerClusterDeps = {}) {
  const threads: { readonly name: string; readonly worker: Worker }[] = []
  const warnings: string[] = []
  const log = { ...silentLogger, warn: (message: string) => void warnings.push(message) }
  const cluster = await startCluster(
    { port: 0, ephemeral: true, threads: true },
    { quiet: true, log, ...deps, threadStarted: (name, worker) => threads.push({ name, worker }) },
  )
  return { cluster, threads, warnings, [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose]() }
}

const deployment = (name: string, replicas: number): Deployment => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: 'default' },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'main', image: 'nginx' }] } },
  },
})

/** Resolves when so many pods of the app run. */
async function running(client: Client, app: string, count: number): Promise<void> {
  for (;;) {
    const { items } = await client.list({ ...PODS, namespace: 'default' }, { labelSelector: `app=${app}` })
    if (items.filter((pod) => pod.status?.phase === 'Running').length === count) return
    await systemClock.sleep(20)
  }
}

const create = (cluster: Cluster, name: string, replicas: number) =>
  cluster.client().create({ ...DEPLOYMENTS, namespace: 'default' }, deployment(name, replicas))

test('controllers and scheduler work from their thread, and the scheduler reports', async () => {
  await using world = await threadedCluster()
  const client = world.cluster.client()
  await create(world.cluster, 'web', 2)
  await running(client, 'web', 2)
  const [pod] = (await client.list({ ...PODS, namespace: 'default' })).items
  const name = pod?.metadata.name ?? ''
  const report = await client.get({ group: 'bowsprit.dev', version: 'v1', resource: 'schedulingreports', namespace: 'default', name })
  assert.equal(report.kind, 'SchedulingReport')
  assert.deepEqual(world.warnings, [])
})

test('a thread that dies is named and comes back, and the cluster goes on', async () => {
  const deaths: string[] = []
  await using world = await threadedCluster({ partDied: ({ part, error }) => void deaths.push(`${part}: ${error.message}`) })
  const client = world.cluster.client()
  await create(world.cluster, 'first', 1)
  await running(client, 'first', 1)
  await world.threads.find(({ name }) => name === 'loops')?.worker.terminate()
  await create(world.cluster, 'second', 2)
  await running(client, 'second', 2)
  assert.deepEqual(deaths, ['thread loops: thread loops has exited with code 1'])
  assert.deepEqual(world.warnings, ['part thread loops of the cluster has died and is started again'])
  assert.equal(world.threads.filter(({ name }) => name === 'loops').length, 2)
})

test('no thread is left when the cluster is disposed of', async () => {
  const world = await threadedCluster()
  await create(world.cluster, 'web', 1)
  await running(world.cluster.client(), 'web', 1)
  await world[Symbol.asyncDispose]()
  assert.deepEqual(
    world.threads.map(({ worker }) => worker.threadId),
    world.threads.map(() => -1),
  )
})

for (const [what, options, deps] of [
  ['a clock', {}, { clock: new VirtualClock() }],
  ['random', {}, { random: seededRandom(1) }],
  ['a script', {}, { script: { behaviour: () => ({}) } as never }],
  ['images as functions', { images: { 'web:*': async () => {} } }, {}],
] as const)
  test(`threads are refused with ${what}`, async () => {
    const message = new RegExp(`^threads: ${what} cannot be used with threads: `)
    await assert.rejects(startCluster({ port: 0, ephemeral: true, threads: true, ...options }, { quiet: true, ...deps }), {
      name: 'ConfigError',
      message,
    })
  })
