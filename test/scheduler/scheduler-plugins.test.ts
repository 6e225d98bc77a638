import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import type { JsonObject } from '../../src/machinery/object.ts'
import { EVENTS, LEASES, NODES, PODS, SERVICE_ACCOUNTS } from '../../src/resources/refs.ts'
import type { Pod } from '../../src/resources/types/core.ts'
import type { Client } from '../../src/sdk/client/client.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { runProgram } from '../run-program.ts'

/** Authors' plugins, as modules in the configuration, on a running cluster. */
const inDefault = { ...PODS, namespace: 'default' }
const pluginFile = (name: string) => path.join(import.meta.dirname, 'scheduler-plugins', name)

const withPlugin = (name: string, module: string, args: JsonObject = {}, weight = 1): JsonObject => ({
  podInitialBackoffSeconds: 1,
  podMaxBackoffSeconds: 1,
  profiles: [{ plugins: { multiPoint: { enabled: [{ name, weight }] } }, pluginConfig: [{ name, args: { module, ...args } }] }],
})

async function prepare(client: Client, nodes: Readonly<Record<string, Record<string, string>>>) {
  await client.create(
    { ...SERVICE_ACCOUNTS, namespace: 'default' },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } },
  )
  for (const [name, more] of Object.entries(nodes)) {
    await client.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name } })
    const allocatable = { cpu: '4', memory: '8Gi', pods: '110', ...more }
    await client.patch({ ...NODES, name }, 'merge', { spec: { taints: null } })
    await client.patch({ ...NODES, name, subresource: 'status' }, 'merge', { status: { capacity: allocatable, allocatable } })
  }
}

const pod = (name: string, requests: Record<string, string> = {}, labels: Record<string, string> = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels },
  spec: { containers: [{ name: 'c', image: 'app', resources: { requests, limits: requests } }] },
})

const nodeOf = (client: Client, name: string) =>
  waitFor(async () => (await client.get({ ...inDefault, name })).spec.nodeName as string | undefined)

const messageOf = (client: Client, name: string) =>
  waitFor(async () => (await client.get({ ...inDefault, name })).status?.conditions?.[0]?.message as string | undefined)

test('dongle-aware packing: filter, score and normalize by a module of an author', async () => {
  const schedulerConfig = withPlugin('DonglePacking', pluginFile('dongle-packing.ts'), { keepFree: 1 }, 10)
  await using cluster = await startCluster({ parts: ['server', 'scheduler'], schedulerConfig })
  const client = cluster.client()
  await prepare(client, { n1: { 'example.com/dongle': '8' }, n2: { 'example.com/dongle': '4' }, n3: {} })
  for (const name of ['a', 'b', 'c']) {
    await client.create(inDefault, pod(name, { 'example.com/dongle': '1' }))
    assert.equal(await nodeOf(client, name), 'n2', name)
  }
  // The last device of n2 is kept free.
  await client.create(inDefault, pod('d', { 'example.com/dongle': '1' }))
  assert.equal(await nodeOf(client, 'd'), 'n1')
  await client.create(inDefault, pod('e', { 'example.com/dongle': '7' }))
  const text = await messageOf(client, 'e')
  assert.match(text ?? '', /1 node\(s\) would have fewer than 1 dongles left, 2 Insufficient example.com\/dongle/)
})

test('a gang of pods by Permit: bound together, or not at all', async () => {
  await using cluster = await startCluster({ parts: ['server', 'scheduler'], schedulerConfig: withPlugin('Gang', pluginFile('gang.ts')) })
  const client = cluster.client()
  await prepare(client, { n1: {}, n2: {} })
  const labels = { gang: 'g', 'gang-size': '3' }
  for (const name of ['a', 'b']) await client.create(inDefault, pod(name, { cpu: '2' }, labels))
  await client.create(inDefault, pod('alone'))
  assert.notEqual(await nodeOf(client, 'alone'), undefined)
  for (const name of ['a', 'b']) assert.equal((await client.get({ ...inDefault, name })).spec.nodeName, undefined)
  await client.create(inDefault, pod('c', { cpu: '2' }, labels))
  for (const name of ['a', 'b', 'c']) assert.notEqual(await nodeOf(client, name), undefined, name)
})

test('a plugin that loops for ever fails its pod under its name, and no other pod', async () => {
  const schedulerConfig = withPlugin('Endless', pluginFile('endless.ts'), { timeout: '300ms' })
  await using cluster = await startCluster({ parts: ['server', 'scheduler'], schedulerConfig })
  const client = cluster.client()
  await prepare(client, { n1: {}, n2: {} })
  await client.create(inDefault, pod('stuck', {}, { endless: 'yes' }))
  assert.equal(await messageOf(client, 'stuck'), 'plugin "Endless" failed: no answer within 300ms')
  await client.delete({ ...inDefault, name: 'stuck' })
  await client.create(inDefault, pod('fine'))
  assert.notEqual(await nodeOf(client, 'fine'), undefined)
})

test('a module that cannot be loaded is named; when it is mended it is loaded anew', async () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'plugin-'))
  try {
    const module = path.join(dir, 'late.mjs')
    writeFileSync(module, 'export default { filter() { throw new Error("not today") } }')
    await using cluster = await startCluster({ parts: ['server', 'scheduler'], schedulerConfig: withPlugin('Late', module) })
    const client = cluster.client()
    await prepare(client, { n1: {} })
    await client.create(inDefault, pod('a'))
    assert.equal(await messageOf(client, 'a'), 'plugin "Late" failed: not today')
    writeFileSync(module, 'export default { filter: () => undefined }')
    assert.equal(await nodeOf(client, 'a'), 'n1')
  } finally {
    rmSync(dir, { recursive: true })
  }
})

test('bowsprit scheduler: a separate process with leader election places its pods, with events', async () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'scheduler-'))
  try {
    await using cluster = await startCluster({ parts: ['server', 'scheduler'] })
    await cluster.listen()
    const kubeconfig = path.join(dir, 'kubeconfig')
    writeFileSync(kubeconfig, cluster.kubeconfig())
    const config = path.join(dir, 'scheduler.yaml')
    writeFileSync(
      config,
      [
        'apiVersion: kubescheduler.config.k8s.io/v1',
        'kind: KubeSchedulerConfiguration',
        'leaderElection: { leaderElect: true, resourceName: second }',
        'profiles:',
        '- schedulerName: second',
        `  plugins: { multiPoint: { enabled: [{ name: DonglePacking, weight: 10 }] } }`,
        `  pluginConfig: [{ name: DonglePacking, args: { module: ${pluginFile('dongle-packing.ts')} } }]`,
      ].join('\n'),
    )
    const client = cluster.client()
    await prepare(client, { n1: { 'example.com/dongle': '8' }, n2: { 'example.com/dongle': '4' } })
    const main = path.join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.ts')
    const args = ['--disable-warning=ExperimentalWarning', main, 'scheduler', '--config', config, '--kubeconfig', kubeconfig]
    const child = spawn(process.execPath, args, { stdio: 'ignore' })
    const ended = once(child, 'close')
    const own = pod('a', { 'example.com/dongle': '1' })
    await client.create(inDefault, { ...own, spec: { ...own.spec, schedulerName: 'second' } })
    assert.equal(await nodeOf(client, 'a'), 'n2')
    const event = await waitFor(async () =>
      (await client.list({ ...EVENTS, namespace: 'default' })).items.find((e) => e.regarding?.name === 'a'),
    )
    assert.equal(event?.reportingController, 'second')
    const lease = await client.get({ ...LEASES, namespace: 'kube-system', name: 'second' })
    assert.notEqual(lease.spec?.holderIdentity ?? '', '')
    await client.create(inDefault, pod('b'))
    assert.notEqual(await nodeOf(client, 'b'), undefined)
    child.kill('SIGTERM')
    assert.deepEqual((await ended)[0], 0)
  } finally {
    rmSync(dir, { recursive: true })
  }
})

test('bowsprit scheduler reports an invalid configuration, and ends', async () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'scheduler-'))
  try {
    const config = path.join(dir, 'scheduler.yaml')
    writeFileSync(config, 'apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nparallelism: 0\n')
    const main = path.join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.ts')
    const { code, err } = await runProgram(process.execPath, [
      '--disable-warning=ExperimentalWarning',
      main,
      'scheduler',
      '--config',
      config,
    ])
    assert.deepEqual(
      [code, err.trim()],
      [2, `bowsprit scheduler: --config: ${config}: parallelism: Invalid value: 0: should be an integer value greater than zero`],
    )
  } finally {
    rmSync(dir, { recursive: true })
  }
})
