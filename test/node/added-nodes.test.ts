import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { nodeCommand } from '../../src/cli/node.ts'
import { runCommand } from '../../src/cli/run-command.double.ts'
import { startCluster } from '../../src/cluster/start-cluster.ts'
import { NODES, PODS } from '../../src/resources/refs.ts'
import { pod } from '../../src/testing/builders.ts'
import { waitFor } from '../../src/testing/wait-for.ts'

for (const threads of [false, true])
  test(`nodes come and go while the cluster runs, threads: ${threads}`, { timeout: 120_000 }, async (t) => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'added-nodes-'))
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    const kubeconfig = path.join(folder, 'kubeconfig')
    const options = { dataDir: path.join(folder, 'data'), port: 0, kubeconfig, threads }
    const node = (...words: readonly string[]) => runCommand(nodeCommand(), ...words, '--kubeconfig', kubeconfig)
    {
      await using cluster = await startCluster(options)
      const big = ['--cpu=64', '--resource=example.com/gpu=8', '--label=zone=b', '--taint=gpu:NoSchedule']
      assert.deepEqual(await node('add', 'big', 'other', ...big), { code: 0, out: 'big is ready\nother is ready\n', err: '' })
      const client = cluster.client()
      const { metadata, spec, status } = await client.get({ ...NODES, name: 'big' })
      assert.deepEqual([status?.capacity?.cpu, status?.capacity?.['example.com/gpu'], spec?.podCIDR], ['64', '8', '10.250.0.0/24'])
      assert.deepEqual([metadata.labels?.zone, metadata.labels?.['kubernetes.io/hostname']], ['b', 'big'])

      const wanted = pod('train')
      const tolerations = [{ operator: 'Exists' as const }]
      const containers = wanted.spec.containers.map((c) => ({ ...c, command: ['sh', '-c', 'echo on a big node; sleep 1000'] }))
      const nodeSelector = { 'kubernetes.io/hostname': 'big' }
      await client.create({ ...PODS, namespace: 'default' }, { ...wanted, spec: { ...wanted.spec, containers, nodeSelector, tolerations } })
      const log = await waitFor(async () => (await text(await client.logs({ ...PODS, namespace: 'default', name: 'train' }))) || undefined)
      assert.equal(log, 'on a big node\n')

      assert.deepEqual(await node('remove', 'other'), { code: 0, out: 'other is removed\n', err: '' })
      const refused = await node('remove', 'node-1')
      assert.deepEqual([refused.code, refused.out], [2, ''])
      assert.match(refused.err, /^bowsprit node remove: node-1 cannot be removed: it was not added/)
      assert.deepEqual(await node('add', 'other', '--cpu=2'), { code: 0, out: 'other is ready\n', err: '' })
      assert.equal((await client.get({ ...NODES, name: 'other' })).status?.capacity?.cpu, '2')
    }
    await using again = await startCluster(options)
    await waitFor(async () => {
      const { metadata, status } = await again.client().get({ ...PODS, namespace: 'default', name: 'train' })
      return metadata.deletionTimestamp === undefined && status?.phase === 'Running'
    })
    assert.equal((await node('remove', 'big')).code, 0)
  })

const WRONG: readonly (readonly [words: readonly string[], err: RegExp])[] = [
  [['--cpu=many'], /^bowsprit node add: --cpu: give an amount such as 64 or 256Gi\n$/],
  [['--label=zone'], /^bowsprit node add: --label: "zone" is no KEY=VALUE\n$/],
  [['--label=zone=!'], /^bowsprit node add: --label\["zone"\]: "!" is no value of a label\n$/],
  [['--taint=gpu'], /^bowsprit node add: --taint: "gpu" is no KEY=VALUE:EFFECT, like gpu:NoSchedule\n$/],
  [['--taint=gpu:Never'], /^bowsprit node add: --taint\[0\]\.effect: give one of NoSchedule, PreferNoSchedule, NoExecute\n$/],
  [['--resource=cpu=3'], /^bowsprit node add: --resource: "cpu" is no name such as example\.com\/dongle\n$/],
]
test('wrong shapes are refused, and no node is made', async (t) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'added-nodes-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const kubeconfig = path.join(folder, 'kubeconfig')
  await using cluster = await startCluster({ ephemeral: true, port: 0, kubeconfig })
  for (const [words, err] of WRONG) {
    const run = await runCommand(nodeCommand(), 'add', 'x', ...words, '--kubeconfig', kubeconfig)
    assert.deepEqual([run.code, run.out], [2, ''])
    assert.match(run.err, err)
  }
  assert.equal((await cluster.client().list(NODES)).items.length, 1)
})
