/** Several schedulers in one cluster: each has its own pods, and conflicting bindings are refused if the server is configured so. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { seededRandom } from '../../src/base/random.ts'
import type { KubeObject } from '../../src/machinery/object.ts'
import { isStatus, StatusError } from '../../src/machinery/status-error.ts'
import { EVENTS, NODES, PODS, SERVICE_ACCOUNTS } from '../../src/resources/refs.ts'
import { type CompleteConfiguration, writtenConfiguration } from '../../src/scheduler/config/complete.ts'
import { readConfiguration } from '../../src/scheduler/config/configuration.ts'
import { translateLegacy } from '../../src/scheduler/legacy/translate.ts'
import { createScheduler } from '../../src/scheduler/scheduler.ts'
import type { Client } from '../../src/sdk/client/client.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { runProgram } from '../run-program.ts'

const inDefault = { ...PODS, namespace: 'default' }
const LONG = { timeoutMs: 30_000 }

/** The real kube-scheduler, built by `../shared/oracle/build.sh`, or given by `KUBE_SCHEDULER`. */
const kubeScheduler = process.env.KUBE_SCHEDULER ?? '/tmp/oracle/bin/kube-scheduler'
const missing = existsSync(kubeScheduler) ? false : `there is no ${kubeScheduler}: name Kubernetes' own by KUBE_SCHEDULER`

const pod = (name: string, schedulerName: string | undefined, requests: Record<string, string> = {}, hostPort?: number): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: {
    ...(schedulerName === undefined ? {} : { schedulerName }),
    containers: [
      {
        name: 'c',
        image: 'app',
        resources: { requests, limits: requests },
        ...(hostPort === undefined ? {} : { ports: [{ containerPort: hostPort, hostPort }] }),
      },
    ],
  },
})

const scheduledBy = (client: Client, name: string) =>
  waitFor(async () => {
    const { items } = await client.list({ ...EVENTS, namespace: 'default' })
    const event = items.find((e) => e.regarding?.name === name && e.reason === 'Scheduled')
    return event?.reportingController as string | undefined
  }, LONG)

test('the real kube-scheduler runs as the second one: each binds its own pods, with events', { skip: missing }, async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'kube-scheduler-'))
  t.after(() => rmSync(folder, { recursive: true }))
  await using cluster = await startCluster({ nodes: 2, refuseDoubleBooking: true })
  await cluster.listen()
  const client = cluster.client()
  await waitFor(async () => (await client.list(NODES)).items.length === 2, LONG)
  const kubeconfig = path.join(folder, 'kubeconfig')
  writeFileSync(kubeconfig, cluster.kubeconfig())
  const config = path.join(folder, 'config.yaml')
  writeFileSync(
    config,
    [
      'apiVersion: kubescheduler.config.k8s.io/v1',
      'kind: KubeSchedulerConfiguration',
      'leaderElection: { leaderElect: true, resourceName: real-scheduler }',
      `clientConnection: { kubeconfig: ${JSON.stringify(kubeconfig)} }`,
      'profiles: [{ schedulerName: real-scheduler }]',
    ].join('\n'),
  )
  // Without their scheduler its pods wait: ours ignores them.
  await client.create(inDefault, pod('theirs', 'real-scheduler'))
  await client.create(inDefault, pod('ours', undefined))
  assert.equal(await scheduledBy(client, 'ours'), 'default-scheduler')
  assert.equal((await client.get({ ...inDefault, name: 'theirs' })).spec.nodeName, undefined)
  const child = spawn(kubeScheduler, ['--config', config, '--secure-port', '0'], { stdio: 'ignore' })
  const ended = once(child, 'close')
  try {
    assert.equal(await scheduledBy(client, 'theirs'), 'real-scheduler')
    // Both concurrently, over the same dongles.
    const dongles = { 'example.com/dongle': '4' }
    await client.patch({ ...NODES, name: 'node-1', subresource: 'status' }, 'merge', { status: { capacity: dongles } })
    const one = { 'example.com/dongle': '1' }
    for (let i = 0; i < 6; i++) await client.create(inDefault, pod(`d${i}`, i % 2 === 0 ? 'real-scheduler' : undefined, one))
    const all = async () => (await client.list(inDefault)).items.filter((p) => p.metadata.name?.startsWith('d'))
    await waitFor(async () => (await all()).filter((p) => p.spec.nodeName === 'node-1').length === 4, LONG)
    const waiting = await waitFor(async () => {
      const left = (await all()).filter((p) => p.spec.nodeName === undefined)
      return (
        left.length === 2 && left.every((p) => /Insufficient example.com\/dongle/.test(p.status?.conditions?.[0]?.message ?? '')) && left
      )
    }, LONG)
    // A freed dongle goes to one of the pending pods, of either scheduler.
    const [gone] = (await all()).filter((p) => p.spec.nodeName !== undefined)
    await client.delete({ ...inDefault, name: gone?.metadata.name ?? '' }, { gracePeriodSeconds: 0 })
    await waitFor(async () => {
      const now = await Promise.all(waiting.map((p) => client.get({ ...inDefault, name: p.metadata.name ?? '' })))
      return now.filter((p) => p.spec.nodeName === 'node-1').length === 1
    }, LONG)
  } finally {
    child.kill('SIGTERM')
  }
  await ended
})

test('the real kube-scheduler accepts a translated policy, and interprets it in the same way', { skip: missing }, async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'kube-scheduler-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const [ours, theirs, kubeconfig] = ['ours.yaml', 'theirs.yaml', 'kubeconfig'].map((name) => path.join(folder, name)) as [
    string,
    string,
    string,
  ]
  const cluster = { name: 'c', cluster: { server: 'https://127.0.0.1:1' } }
  const contexts = [{ name: 'c', context: { cluster: 'c', user: 'u' } }]
  const users = [{ name: 'u', user: { token: 't' } }]
  writeFileSync(
    kubeconfig,
    JSON.stringify({ apiVersion: 'v1', kind: 'Config', clusters: [cluster], contexts, users, 'current-context': 'c' }),
  )
  const policy = {
    predicates: ['PodFitsHostPorts', 'PodFitsResources', 'CheckVolumeBinding', 'MatchInterPodAffinity', 'EvenPodsSpread'].map((name) => ({
      name,
    })),
    priorities: ['MostRequestedPriority', 'InterPodAffinityPriority', 'TaintTolerationPriority'].map((name, i) => ({
      name,
      weight: i + 2,
    })),
    hardPodAffinitySymmetricWeight: 10,
    extenders: [{ urlPrefix: 'http://127.0.0.1:1', filterVerb: 'f', httpTimeout: 2_000_000_000, nodeCacheCapable: true }],
  }
  const translated = readConfiguration(translateLegacy({ schedulerName: 'mine', policy }))
  const configuration = { ...translated, clientConnection: { ...translated.clientConnection, kubeconfig } }
  writeFileSync(ours, JSON.stringify(writtenConfiguration(configuration)))
  const { code, err } = await runProgram(kubeScheduler, ['--config', ours, '--write-config-to', theirs, '--secure-port', '0'])
  assert.equal(code, 0, err)
  // The real one lists the arguments sorted by plugin name.
  const sorted = (all: CompleteConfiguration) =>
    all.profiles.map((p) => ({ ...p, pluginConfig: [...p.pluginConfig].sort((a, b) => (a.name < b.name ? -1 : 1)) }))
  const read = readConfiguration(readFileSync(theirs, 'utf8'))
  assert.deepEqual([sorted(read), read.extenders], [sorted(configuration), configuration.extenders])
})

const bind = (client: Client, name: string, node: string) =>
  client.create({ ...inDefault, name, subresource: 'binding' }, {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name },
    target: { kind: 'Node', name: node },
  } as KubeObject)

/** A server without controllers creates no service accounts. */
const account = (client: Client) =>
  client.create({ ...SERVICE_ACCOUNTS, namespace: 'default' }, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } })

async function makeNode(client: Client, name: string, allocatable: Record<string, string>): Promise<void> {
  await client.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name } })
  await client.patch({ ...NODES, name, subresource: 'status' }, 'merge', { status: { capacity: allocatable, allocatable } })
  await client.patch({ ...NODES, name }, 'merge', { spec: { taints: null } })
}

test("Kubernetes accepts a binding that exceeds its node's capacity, and so does a server by default", async () => {
  await using cluster = await startCluster({ parts: ['server'] })
  const client = cluster.client()
  await account(client)
  await makeNode(client, 'n1', { cpu: '1', memory: '1Gi', pods: '1' })
  for (const name of ['a', 'b']) {
    await client.create(inDefault, pod(name, undefined, { cpu: '1' }))
    await bind(client, name, 'n1')
  }
  assert.equal((await client.get({ ...inDefault, name: 'b' })).spec.nodeName, 'n1')
})

test('with refuseDoubleBooking, it responds with a conflict and the shortage, also to concurrent bindings', async () => {
  await using cluster = await startCluster({ parts: ['server'], refuseDoubleBooking: true })
  const client = cluster.client()
  await account(client)
  await makeNode(client, 'n1', { cpu: '4', memory: '8Gi', pods: '110', 'pod.alpha.kubernetes.io/opaque-int-resource-foo': '3' })
  const foo = { 'pod.alpha.kubernetes.io/opaque-int-resource-foo': '1' }
  const names = Array.from({ length: 12 }, (_, i) => `p${i}`)
  for (const name of names) await client.create(inDefault, pod(name, undefined, foo))
  const answers = await Promise.allSettled(names.map((name) => bind(client, name, 'n1')))
  const refused = answers.flatMap((a) => (a.status === 'rejected' ? [a.reason as unknown] : []))
  assert.equal(refused.length, 9)
  for (const error of refused) {
    assert.ok(error instanceof StatusError && isStatus(error, 'Conflict') && error.code === 409, String(error))
    assert.match(
      error.message,
      /node "n1" has no room for it: pod.alpha.kubernetes.io\/opaque-int-resource-foo: 3 of 3 are taken, 1 are wanted$/,
    )
  }
  const bound = (await client.list(inDefault)).items.filter((p) => p.spec.nodeName === 'n1')
  assert.equal(bound.length, 3)
  // Deleted and ended pods free their resources.
  const [gone, done] = bound.map((p) => p.metadata.name ?? '')
  await client.delete({ ...inDefault, name: gone ?? '' }, { gracePeriodSeconds: 0 })
  await client.patch({ ...inDefault, name: done ?? '', subresource: 'status' }, 'merge', { status: { phase: 'Succeeded' } })
  const left = (await client.list(inDefault)).items.filter((p) => p.spec.nodeName === undefined).map((p) => p.metadata.name ?? '')
  const again = await Promise.allSettled(left.map((name) => bind(client, name, 'n1')))
  assert.equal(again.filter((a) => a.status === 'fulfilled').length, 2)
  // A host port can be used once.
  for (const name of ['x', 'y']) await client.create(inDefault, pod(name, undefined, {}, 8080))
  await bind(client, 'x', 'n1')
  await assert.rejects(bind(client, 'y', 'n1'), /host port TCP\/8080 is taken$/)
  // Bindings to an unknown node are accepted.
  await bind(client, 'y', 'elsewhere')
})

test('two concurrent schedulers over the same nodes never overbook one, and place all that fit', async () => {
  await using cluster = await startCluster({ parts: ['server', 'scheduler'], refuseDoubleBooking: true })
  const client = cluster.client()
  await account(client)
  for (const name of ['n1', 'n2', 'n3', 'n4'])
    await makeNode(client, name, { cpu: '5', memory: '8Gi', pods: '110', 'example.com/dongle': '5' })
  const stop = new AbortController()
  const config = { profiles: [{ schedulerName: 'second' }], podInitialBackoffSeconds: 1, podMaxBackoffSeconds: 1 }
  const second = createScheduler({ client, clock: systemClock, random: seededRandom(3), config })
  const running = second.run(stop.signal)
  try {
    await second.synced
    // One pod more than fits by each of the two resources.
    const names = Array.from({ length: 21 }, (_, i) => `p${i}`)
    await Promise.all(
      names.map((name, i) =>
        client.create(inDefault, pod(name, i % 2 === 0 ? 'second' : undefined, { cpu: '1', 'example.com/dongle': '1' })),
      ),
    )
    const placed = async () => (await client.list(inDefault)).items.filter((p) => p.spec.nodeName !== undefined)
    await waitFor(async () => (await placed()).length === 20, LONG)
    const counts = Map.groupBy(await placed(), (p) => p.spec.nodeName)
    assert.deepEqual(
      [...counts.values()].map((pods) => pods.length),
      [5, 5, 5, 5],
    )
  } finally {
    stop.abort()
    await running
  }
})
