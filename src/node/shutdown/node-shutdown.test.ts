import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { VirtualClock } from '../../base/clock.ts'
import { CORE_EVENTS, NODES, PODS, PRIORITY_CLASSES } from '../../resources/refs.ts'
import { pod } from '../../testing/builders.ts'
import { startCluster } from '../../testing/start-cluster.ts'
import { waitFor } from '../../testing/wait-for.ts'
import { KubeletConfigurationError, readKubeletConfiguration } from '../configuration/kubelet-configuration.ts'
import type { Pod } from '../types/pod.ts'
import { podsByPeriod } from './pods-by-period.ts'

const HEAD = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n'
const BY_PRIORITY = [
  { priority: 1000, shutdownGracePeriodSeconds: 5 },
  { priority: 0, shutdownGracePeriodSeconds: 10 },
]
const PERIODS = `shutdownGracePeriodByPodPriority: ${JSON.stringify(BY_PRIORITY)}\n`
const CONFIG = { apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration', shutdownGracePeriodByPodPriority: BY_PRIORITY }
const PREFIX = 'simulated.bowsprit.dev/'
const pods = { ...PODS, namespace: 'default' }

test('a node that shuts down ends its pods by priority, refuses others, and is ready after a cancellation', async () => {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1))
  await using cluster = await startCluster({ nodes: 1, kubeletConfig: CONFIG }, { clock })
  const client = cluster.client()
  await client.create(PRIORITY_CLASSES, {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name: 'high' },
    value: 5000,
  })
  const create = (name: string, stopSeconds: string, spec: object = {}) =>
    waitFor(
      () =>
        client.create(
          pods,
          pod(name, {
            metadata: { annotations: { [`${PREFIX}stop-seconds`]: stopSeconds } },
            spec: { nodeName: 'node-1', containers: [{ name: 'main', image: 'app' }], ...spec },
          }),
        ),
      { clock },
    )
  await create('slow', '60')
  await create('short', '60', { terminationGracePeriodSeconds: 3 })
  await create('high', '2', { priorityClassName: 'high' })
  const get = (name: string) => client.get({ ...pods, name })
  await waitFor(async () => (await client.list(pods)).items.every((p) => p.status?.phase === 'Running'), { clock })
  const at = Math.floor(clock.now() / 1000)
  const say = (value: string | null) =>
    client.patch({ ...NODES, name: 'node-1' }, 'merge', { metadata: { annotations: { [`${PREFIX}shutdown`]: value } } })
  await say('true')
  await clock.advance(30_000)
  const ends = Object.fromEntries(
    await Promise.all(
      ['slow', 'short', 'high'].map(async (name) => {
        const end = (await get(name)).status?.containerStatuses?.[0]?.state?.terminated
        return [name, [Date.parse(end?.finishedAt ?? '') / 1000 - at, end?.exitCode]] as const
      }),
    ),
  )
  assert.deepEqual(ends, { short: [3, 137], slow: [10, 137], high: [12, 143] })
  const { status } = await get('high')
  const message = 'Pod was terminated in response to imminent node shutdown.'
  assert.deepEqual([status?.phase, status?.reason, status?.message], ['Failed', 'Terminated', message])
  const disrupted = status?.conditions?.find((c) => c.type === 'DisruptionTarget')
  assert.deepEqual([disrupted?.status, disrupted?.reason, disrupted?.message], ['True', 'TerminationByKubelet', message])

  await create('late', '0')
  await waitFor(async () => (await get('late')).status?.phase === 'Failed', { clock })
  const late = (await get('late')).status
  assert.deepEqual([late?.reason, late?.message], ['NodeShutdown', 'Pod was rejected: Pod was rejected as the node is shutting down.'])
  const ready = async () => (await client.get({ ...NODES, name: 'node-1' })).status?.conditions?.find((c) => c.type === 'Ready')
  const down = await ready()
  assert.deepEqual([down?.status, down?.reason, down?.message], ['False', 'KubeletNotReady', 'node is shutting down'])

  await say(null)
  await waitFor(async () => (await ready())?.status === 'True', { clock })
  await create('again', '0')
  await waitFor(async () => (await get('again')).status?.phase === 'Running', { clock })
  const { items } = await client.list({ ...CORE_EVENTS, namespace: 'default' })
  const reported = items.filter((e) => e.reason === 'Shutdown' && e.involvedObject.kind === 'Node').map((e) => e.message)
  assert.deepEqual(reported.sort(), ['Shutdown manager detected shutdown cancellation', 'Shutdown manager detected shutdown event'])
})

const periodsOf = (text: string) => readKubeletConfiguration(HEAD + text).shutdown?.map(({ priority, seconds }) => [priority, seconds])

test('two durations are two periods, as the kubelet reads them; without any there are none', () => {
  assert.deepEqual(periodsOf('shutdownGracePeriod: 90s\nshutdownGracePeriodCriticalPods: 30s'), [
    [0, 60],
    [2_000_000_000, 30],
  ])
  assert.deepEqual(periodsOf(PERIODS), [
    [0, 10],
    [1000, 5],
  ])
  assert.equal(periodsOf(''), undefined)
})

const refused: readonly (readonly [string, string])[] = [
  [
    'shutdownGracePeriod: 5s\nshutdownGracePeriodCriticalPods: 10s',
    'shutdownGracePeriodCriticalPods 10s must be <= shutdownGracePeriod 5s',
  ],
  ['shutdownGracePeriod: 500ms', 'shutdownGracePeriod 500ms must be either zero or otherwise >= 1 sec'],
  [
    'shutdownGracePeriod: 5s\nshutdownGracePeriodCriticalPods: 5ms',
    'shutdownGracePeriodCriticalPods 5ms must be either zero or otherwise >= 1 sec',
  ],
  [`shutdownGracePeriod: 5s\n${PERIODS}`, 'Cannot specify both shutdownGracePeriodByPodPriority and shutdownGracePeriod at the same time'],
]

for (const [text, message] of refused)
  test(`no node starts with ${text.trim().split('\n').join(', ')}`, () => {
    assert.throws(() => periodsOf(text), new KubeletConfigurationError(`invalid configuration: ${message}`))
  })

test('each pod ends once, none before one with a lower priority', () => {
  const priority = fc.integer({ min: -10, max: 10 })
  fc.assert(
    fc.property(fc.uniqueArray(priority, { minLength: 1 }), fc.array(priority), (starts, priorities) => {
      const periods = starts.sort((a, b) => a - b).map((p) => ({ priority: p, seconds: 1 }))
      const given = priorities.map((p, i) => pod(`p${i}`, { spec: { priority: p } }) as Pod)
      const groups = podsByPeriod(periods, given).map((g) => g.pods.map((p) => p.spec.priority ?? 0))
      assert.deepEqual(groups.flat().length, given.length)
      for (const [i, group] of groups.slice(1).entries()) assert.ok(Math.max(...(groups[i] ?? [])) < Math.min(...group))
    }),
  )
})
