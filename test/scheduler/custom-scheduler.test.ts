/**
 * `examples/custom-scheduler`: predicates, priorities, providers and algorithms of a module, as a second scheduler in a separate process.
 */

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { decodeYaml } from '../../src/machinery/yaml/yaml.ts'
import { EVENTS, NODES, PODS } from '../../src/resources/refs.ts'
import type { Pod } from '../../src/resources/types/core.ts'
import type { Client } from '../../src/sdk/client/client.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { duringCommand } from '../during-command.ts'
import { runProgram } from '../run-program.ts'

const root = path.join(import.meta.dirname, '..', '..')
const example = path.join(root, 'examples', 'custom-scheduler')
const main = path.join(root, 'src', 'cli', 'main.ts')
const inDefault = { ...PODS, namespace: 'default' }
const { value } = decodeYaml(readFileSync(path.join(example, 'pod.yaml'), 'utf8'))
const podFile = value as object as Pod

/** A copy of the example's module that imports the sources. */
function workshop(t: { after(fn: () => void): void }): { folder: string; module: string } {
  const folder = mkdtempSync(path.join(root, '.docs-test-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const module = path.join(folder, 'scheduler.ts')
  const text = readFileSync(path.join(example, 'scheduler.ts'), 'utf8')
  writeFileSync(module, text.replace("'bowsprit/scheduler-plugin'", `'${path.join(root, 'src/sdk/scheduler-plugin/public.ts')}'`))
  return { folder, module }
}

/** Runs `bowsprit scheduler` with these flags until the callback is done. */
async function withScheduler(flags: readonly string[], work: () => Promise<void>): Promise<void> {
  assert.equal(await duringCommand(['scheduler', '--no-leader-elect', ...flags], work), 0)
}

const pod = (name: string, labels: Record<string, string> = {}): Pod => ({ ...podFile, metadata: { name, labels } })

const nodeOf = (client: Client, name: string) =>
  waitFor(async () => (await client.get({ ...inDefault, name })).spec.nodeName as string | undefined, { timeoutMs: 20_000 })

const messageOf = (client: Client, name: string) =>
  waitFor(async () => (await client.get({ ...inDefault, name })).status?.conditions?.[0]?.message as string | undefined, {
    timeoutMs: 20_000,
  })

const label = (client: Client, name: string, labels: Record<string, string>) =>
  client.patch({ ...NODES, name }, 'merge', { metadata: { labels } })

test('the example: a provider with two functions of its own and those of Kubernetes', async (t) => {
  const { folder, module } = workshop(t)
  await using cluster = await startCluster({ nodes: 3 })
  await cluster.listen()
  const kubeconfig = path.join(folder, 'kubeconfig')
  writeFileSync(kubeconfig, cluster.kubeconfig())
  const client = cluster.client()
  await label(client, 'node-2', { laptop: 'yes' })
  // Without its scheduler the pod waits, and no other scheduler takes it.
  await client.create(inDefault, podFile)
  await client.create(inDefault, { ...pod('plain'), spec: { containers: podFile.spec.containers } })
  await nodeOf(client, 'plain')
  assert.equal((await client.get({ ...inDefault, name: 'custom' })).spec.nodeName, undefined)
  const flags = ['--kubeconfig', kubeconfig, '--algorithm-module', module, '--scheduler-name', 'custom-scheduler']
  await withScheduler([...flags, '--algorithm-provider', 'QuietProvider'], async () => {
    assert.notEqual(await nodeOf(client, 'custom'), undefined)
    const event = await waitFor(
      async () =>
        (await client.list({ ...EVENTS, namespace: 'default' })).items.find(
          (e) => e.regarding?.name === 'custom' && e.reason === 'Scheduled',
        ),
      { timeoutMs: 20_000 },
    )
    assert.equal(event.reportingController, 'custom-scheduler')
    const nodes = []
    for (const name of ['a', 'b', 'c']) {
      await client.create(inDefault, pod(name))
      nodes.push(await nodeOf(client, name))
    }
    assert.ok(!nodes.includes('node-2'), nodes.join())
    const there = { ...podFile.spec, nodeSelector: { laptop: 'yes' } }
    await client.create(inDefault, { ...pod('d'), spec: there })
    assert.match(await messageOf(client, 'd'), /1 node\(s\) were laptops, 2 node\(s\) didn't match Pod's node affinity\/selector\. /)
    await client.create(inDefault, { ...pod('e', { portable: 'yes' }), spec: there })
    assert.equal(await nodeOf(client, 'e'), 'node-2')
  })
  // A ScheduleAlgorithm decides alone: the laptop is as good as any node.
  await client.delete({ ...inDefault, name: 'd' })
  await withScheduler([...flags, '--algorithm-provider', 'FirstFree'], async () => {
    await client.create(inDefault, pod('f'))
    assert.equal(await nodeOf(client, 'f'), (await emptyNodes(client))[0] ?? 'node-1')
  })
})

/** Nodes without pods, except for the pod that was placed last. */
async function emptyNodes(client: Client): Promise<readonly string[]> {
  const pods = (await client.list(inDefault)).items.filter((p) => p.metadata.name !== 'f')
  const taken = new Set(pods.map((p) => p.spec.nodeName))
  return ['node-1', 'node-2', 'node-3'].filter((name) => !taken.has(name))
}

test('the example: a policy that names them, with an argument, its weights and every reason', async (t) => {
  const { folder, module } = workshop(t)
  await using cluster = await startCluster({ nodes: 2 })
  await cluster.listen()
  const kubeconfig = path.join(folder, 'kubeconfig')
  writeFileSync(kubeconfig, cluster.kubeconfig())
  const client = cluster.client()
  await label(client, 'node-1', { zone: 'x', laptop: 'yes' })
  const policy = path.join(example, 'policy.json')
  const flags = ['--kubeconfig', kubeconfig, '--algorithm-module', module, '--scheduler-name', 'custom-scheduler']
  await withScheduler([...flags, '--policy-config-file', policy], async () => {
    await client.create(inDefault, podFile)
    assert.match(
      await messageOf(client, 'custom'),
      /^0\/2 nodes are available: 1 node\(s\) didn't have the requested labels, 1 node\(s\) were laptops\. /,
    )
    await label(client, 'node-2', { zone: 'y' })
    assert.equal(await nodeOf(client, 'custom'), 'node-2')
  })
})

test('a policy without a module is translated to a configuration: bowsprit up accepts it, --write-config-to shows it', async (t) => {
  const { folder } = workshop(t)
  const policy = path.join(folder, 'policy.yaml')
  writeFileSync(policy, 'kind: Policy\napiVersion: v1\npriorities:\n- {name: MostRequestedPriority, weight: 2}\n')
  const written = path.join(folder, 'written.yaml')
  const words = ['--disable-warning=ExperimentalWarning', main, 'scheduler', '--policy-config-file', policy, '--write-config-to', written]
  assert.deepEqual(await runProgram(process.execPath, words), { code: 0, out: '', err: '' })
  assert.match(readFileSync(written, 'utf8'), /type: MostAllocated/)
  await using cluster = await startCluster({ nodes: 2, schedulerPolicy: policy })
  const client = cluster.client()
  const nodes = new Set<string>()
  for (let i = 0; i < 6; i++) {
    await client.create(inDefault, { ...pod(`p${i}`), spec: { containers: podFile.spec.containers } })
    nodes.add(await nodeOf(client, `p${i}`))
  }
  assert.equal(nodes.size, 1)
})

for (const [flags, message] of [
  [['--algorithm-provider', 'Mine'], 'there is no algorithm provider "Mine"; there are DefaultProvider, ClusterAutoscalerProvider'],
  [
    ['--algorithm-provider', 'DefaultProvider', '--policy-config-file', main],
    '--algorithm-provider cannot be used together with --policy-config-file',
  ],
  [['--config', main, '--algorithm-provider', 'DefaultProvider'], '--algorithm-provider cannot be used together with --config'],
  [['--algorithm-module', '/nowhere.ts'], '--algorithm-module: "/nowhere.ts" does not exist: name a file'],
] as const) {
  test(`bowsprit scheduler ${flags.join(' ')} reports the error`, async () => {
    const { code, err } = await runProgram(process.execPath, ['--disable-warning=ExperimentalWarning', main, 'scheduler', ...flags])
    assert.deepEqual([code, err.trim()], [2, `bowsprit scheduler: ${message}`])
  })
}

test('a module that fails while it is loaded is named', async (t) => {
  const { folder } = workshop(t)
  const module = path.join(folder, 'broken.ts')
  writeFileSync(module, "throw new Error('not today')")
  const words = ['--disable-warning=ExperimentalWarning', main, 'scheduler', '--algorithm-module', module]
  const { code, err } = await runProgram(process.execPath, words)
  assert.deepEqual([code, err.trim()], [2, `bowsprit scheduler: --algorithm-module: module ${module}: not today`])
})
