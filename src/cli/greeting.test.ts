import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import type { ClusterOptions } from '../cluster/cluster-options.ts'
import { completeConfig } from '../cluster/config.ts'
import { greeting } from './greeting.ts'

const greet = (options: ClusterOptions, nodeNames: readonly string[]) =>
  stripVTControlCharacters(
    greeting(
      { config: completeConfig(options, {}), kubernetesVersion: 'v1.36.3', address: 'https://127.0.0.1:6443', nodeNames },
      { tookMs: 12.4, command: 'npx bowsprit', kubeconfig: '/data/kubeconfig', merged: false },
    ),
  ).split('\n')

test('a cluster in memory', () => {
  assert.deepEqual(greet({ ephemeral: true }, ['node-1']), [
    'Bowsprit is up: Kubernetes v1.36.3, ready in 12 ms',
    '  address     https://127.0.0.1:6443',
    '  nodes       node-1, simulated: no image is executed',
    '  storage     in memory, gone when it stops',
    '  kubeconfig  /data/kubeconfig',
    '',
    'Try it:',
    '  export KUBECONFIG=/data/kubeconfig',
    '  kubectl create deployment web --image=nginx --replicas=2',
    '  kubectl get pods -w',
    '',
    'A pod waits? npx bowsprit why pod NAME. More: npx bowsprit --help. Ctrl-C stops it.',
  ])
})

test('the page is the second line', () => {
  const page = 'http://127.0.0.1:1234/#key'
  const cluster = { config: completeConfig({}, {}), kubernetesVersion: 'v1.36.3', address: 'https://127.0.0.1:6443', nodeNames: [] }
  const text = greeting(cluster, { tookMs: 1, command: 'bowsprit', kubeconfig: '/data/kubeconfig', merged: false, page })
  assert.equal(stripVTControlCharacters(text).split('\n')[1], `  page        ${page}`)
})

test('a cluster in a folder prints how kubectl finds it', () => {
  const lines = greet({ dataDir: '/data', devicePluginDir: '/plugins' }, [])
  assert.deepEqual(lines.slice(2, 10), [
    '  nodes       none',
    '  plugins     /plugins',
    '  storage     /data',
    '  kubeconfig  /data/kubeconfig',
    '',
    'Try it:',
    '  export KUBECONFIG=/data/kubeconfig',
    '  kubectl get namespaces',
  ])
})

test('a real node is not called simulated', () => {
  const [, , nodes] = greet({ ephemeral: true, runtime: 'unix:///run/containerd/containerd.sock' }, ['node-1'])
  assert.equal(nodes, '  nodes       node-1, this machine, with unix:///run/containerd/containerd.sock')
})

for (const [count, shown] of [
  [3, 'node-1, node-2, node-3'],
  [4, 'node-1 … node-4 (4)'],
] as const)
  test(`${count} nodes are shown as ${shown}`, () => {
    const names = Array.from({ length: count }, (_, i) => `node-${i + 1}`)
    assert.equal(greet({ ephemeral: true }, names)[2], `  nodes       ${shown}, simulated: no image is executed`)
  })
