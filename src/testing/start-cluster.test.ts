import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../base/clock.ts'
import { seededRandom } from '../base/random.ts'
import type { KubeObject } from '../machinery/object.ts'
import { CONFIG_MAPS, LEASES, NODES, PODS, SERVICE_ACCOUNTS } from '../resources/refs.ts'
import type { Client } from '../sdk/client/client.ts'
import { startCluster } from './start-cluster.ts'

const pod = (name: string, image: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [{ name: 'main', image }] },
})

/** Moves time on in small steps until the thing is there. */
async function after<T>(clock: VirtualClock, look: () => Promise<T | undefined>): Promise<T> {
  for (let i = 0; i < 2000; i++) {
    const found = await look().catch(() => undefined)
    if (found !== undefined) return found
    await clock.advance(5)
  }
  throw new Error('it did not come')
}

async function ready(clock: VirtualClock, client: Client): Promise<void> {
  await after(clock, async () => ((await client.list(NODES)).items.every((n) => n.spec?.taints === undefined) ? true : undefined))
  await after(clock, () => client.get({ ...SERVICE_ACCOUNTS, namespace: 'default', name: 'default' }))
  await after(clock, () => client.get({ ...CONFIG_MAPS, namespace: 'default', name: 'kube-root-ca.crt' }))
}

test('a cluster in a test needs no socket and no real time', async () => {
  const clock = new VirtualClock()
  await using cluster = await startCluster({ nodes: 3 }, { clock, random: seededRandom(1) })
  assert.equal(cluster.address, '')
  const client = cluster.client()
  await ready(clock, client)
  const target = { ...PODS, namespace: 'default' }
  await client.create(target, pod('web', 'nginx'))
  const running = await after(clock, async () => {
    const found = await client.get({ ...target, name: 'web' })
    return found.status?.phase === 'Running' ? found : undefined
  })
  assert.match(running.spec.nodeName ?? '', /^node-[123]$/)
})

test('an hour of back-offs and heartbeats passes in a moment', async () => {
  const clock = new VirtualClock()
  await using cluster = await startCluster({ nodes: 1 }, { clock, random: seededRandom(1) })
  const client = cluster.client()
  await ready(clock, client)
  await client.create({ ...PODS, namespace: 'default' }, pod('crash', 'fail'))
  const restarts = async () =>
    (await client.get({ ...PODS, namespace: 'default', name: 'crash' })).status?.containerStatuses?.[0]?.restartCount
  await after(clock, async () => (((await restarts()) ?? 0) >= 1 ? true : undefined))
  await clock.advance(3_600_000)
  // At once, then after 10, 20, 40, 80, 160 and then every 300 seconds.
  assert.equal(await restarts(), 1 + 5 + 10)
  const lease = await client.get({ ...LEASES, namespace: 'kube-node-lease', name: 'node-1' })
  assert.ok(clock.now() - Date.parse(lease.spec?.renewTime ?? '') <= 10_000)
  const node = await client.get({ ...NODES, name: 'node-1' })
  assert.equal(node.status?.conditions?.find((c) => c.type === 'Ready')?.status, 'True')
})
