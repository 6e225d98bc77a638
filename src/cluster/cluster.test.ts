import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { type Clock, systemClock } from '../base/clock.ts'
import { silentLogger } from '../base/logger.ts'
import { systemRandom } from '../base/random.ts'
import { ENDPOINT_SLICES, LEASES, NODES, PODS } from '../resources/refs.ts'
import type { Pod, PodStatus } from '../resources/types/core.ts'
import type { Client } from '../sdk/client/client.ts'
import { startCluster } from '../testing/start-cluster.ts'
import { waitFor } from '../testing/wait-for.ts'
import { electLeader } from './leader-part.ts'
import { startCluster as startRunningCluster } from './start-cluster.ts'
import { PartError } from './supervisor.ts'

test('a configuration that the scheduler cannot read is refused before the cluster starts', async () => {
  await assert.rejects(startCluster({ schedulerConfig: { profiles: 7 } }), { name: 'ConfigError', message: /^--scheduler-config: / })
})

test('with leader election, controllers and scheduler hold a lease, and others wait until it is free', async () => {
  await using cluster = await startCluster({ leaderElection: true })
  const client = cluster.client()
  await client.create({ ...PODS, namespace: 'default' }, pod('any'))
  for await (const events of client.watch({ ...PODS, namespace: 'default' }, { signal: AbortSignal.timeout(20_000) })) {
    if (events.some((e) => e.type !== 'BOOKMARK' && e.object.status?.phase === 'Running')) break
  }
  const lease = (name: string) => client.get({ ...LEASES, namespace: 'kube-system', name })
  const [first, second] = await Promise.all([lease('kube-scheduler'), lease('kube-controller-manager')])
  assert.notEqual(first.spec?.holderIdentity, '')
  assert.notEqual(second.spec?.holderIdentity, first.spec?.holderIdentity)

  const stop = new AbortController()
  let led = false
  const lead = async () => {
    led = true
  }
  const deps = { client, clock: systemClock, random: systemRandom(), log: silentLogger }
  const waiting = electLeader('kube-scheduler', lead, deps)(stop.signal)
  await client.get({ ...LEASES, namespace: 'kube-system', name: 'kube-scheduler' })
  stop.abort()
  await waiting
  assert.equal(led, false)
})

test('with partsAfterMs, a cluster opens its port before its parts are loaded, and loads none after it has ended', async () => {
  const WAIT_MS = 12_345
  let due = () => {}
  let pending = 0
  const clock: Clock = {
    ...systemClock,
    after: (delayMs, fn) => {
      if (delayMs !== WAIT_MS) return systemClock.after(delayMs, fn)
      due = fn
      pending++
      return () => {
        pending--
      }
    },
  }
  const options = { ephemeral: true, port: 0, nodes: 1 }
  {
    await using cluster = await startRunningCluster(options, { clock, partsAfterMs: WAIT_MS })
    const client = cluster.client()
    assert.notEqual(cluster.address, '')
    assert.deepEqual((await client.list(NODES)).items, [])
    due()
    for await (const events of client.watch(NODES, { signal: AbortSignal.timeout(20_000) }))
      if (events.some((e) => e.object.metadata.name === 'node-1')) break
  }
  await using ended = await startRunningCluster(options, { clock, partsAfterMs: WAIT_MS })
  assert.equal(pending, 1)
  await ended[Symbol.asyncDispose]()
  assert.equal(pending, 0)
})

test('containers of simulated nodes outlive a restart of the whole process', async () => {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-restart-'))
  try {
    const look = async (client: Client) => (await client.get({ ...PODS, namespace: 'default', name: 'bound' })).status
    let before: PodStatus | undefined
    {
      await using cluster = await startCluster({ dataDir })
      const client = cluster.client()
      await client.create({ ...PODS, namespace: 'default' }, pod('bound', { nodeName: 'node-1' }))
      for await (const events of client.watch({ ...PODS, namespace: 'default' }, { signal: AbortSignal.timeout(20_000) })) {
        if (events.some((e) => e.type !== 'BOOKMARK' && e.object.status?.phase === 'Running')) break
      }
      before = await look(client)
    }
    await using cluster = await startCluster({ dataDir })
    const client = cluster.client()
    // The agent has started the pod when it serves its logs.
    await waitFor(async () => {
      const shell = await client.exec({ namespace: 'default', name: 'bound' }, ['echo', 'alive'])
      let said = ''
      for await (const chunk of shell.stdout) said += Buffer.from(chunk).toString()
      await shell.exit
      return said.includes('alive')
    })
    assert.deepEqual(await look(client), before)
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
})

test('a part that is given up is reported by name, with its cause', () => {
  const cause = new Error('disk is gone')
  const error = new PartError('store', cause)
  assert.equal(error.message, 'part store of the cluster has failed: disk is gone')
  assert.equal(error.cause, cause)
})

const pod = (name: string, spec: object = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: { ...spec, containers: [{ name: 'main', image: 'app' }] },
})

test('the kubeconfig is one text, and its key is in the form that all clients read', async () => {
  await using cluster = await startCluster({ parts: ['server'] })
  assert.throws(() => cluster.kubeconfig(), /call listen\(\)/)
  await cluster.listen()
  const text = cluster.kubeconfig()
  assert.equal(cluster.kubeconfig(), text)
  const key = Buffer.from(/client-key-data: (\S+)/.exec(text)?.[1] ?? '', 'base64').toString()
  assert.match(key, /^-----BEGIN EC PRIVATE KEY-----\n/)
})

test('pods of other machines reach the server at the port where it listens, also if it listens later', async () => {
  await using cluster = await startCluster({ parts: ['server'], address: '0.0.0.0' })
  const listens = Number(new URL(await cluster.listen()).port)
  const slice = () => cluster.client().get({ ...ENDPOINT_SLICES, namespace: 'default', name: 'kubernetes' })
  await waitFor(async () => (await slice()).ports?.[0]?.port === listens)
})
