import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Node, PodSpec } from '../../resources/types/core.ts'
import { NodeTable } from '../cache/node-table.ts'
import { podInfo } from '../cache/pod-info.ts'
import { NO_OBJECTS } from '../framework/listers.double.ts'
import { nodeDeclaredFeatures } from './node-declared-features.ts'

const FEATURE = 'RestartAllContainersOnContainerExits'
const plugin = nodeDeclaredFeatures({}, { random: { int: () => 0, uuid: () => '' } })
const node = (name: string, declaredFeatures: readonly string[]): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name },
  status: { declaredFeatures },
})
const pod = (spec: Partial<PodSpec> = {}) =>
  podInfo({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { containers: [{ name: 'c' }], ...spec } })
const restarting = pod({ containers: [{ name: 'c', restartPolicyRules: [{ action: 'RestartAllContainers' }] }] })

function verdicts(of: ReturnType<typeof pod>) {
  const table = new NodeTable()
  table.setNode(node('old', []))
  table.setNode(node('new', [FEATURE]))
  const context = { table, listers: NO_OBJECTS }
  const filter = plugin.filter?.(of, context)
  return [0, 1].map((row) => filter?.check?.(row)?.reasons[0])
}

test('a pod without new requirements runs anywhere', () => {
  assert.deepEqual(verdicts(pod()), [undefined, undefined])
  assert.deepEqual(verdicts(pod({ containers: [{ name: 'c', restartPolicyRules: [{ action: 'Restart' }] }] })), [undefined, undefined])
})

test('a pod whose container restarts all goes where the node declares that it can', () => {
  assert.deepEqual(verdicts(restarting), ["node(s) didn't match Pod's required features", undefined])
})

test('a pod with user namespaces on the network of the host needs a node that declares them', () => {
  const text = "node(s) didn't match Pod's required features"
  assert.deepEqual(verdicts(pod({ hostNetwork: true, hostUsers: false })), [text, text])
})

test('it is woken by a node that begins to declare the feature, and by no other', () => {
  const context = {
    table: new NodeTable(),
    listers: NO_OBJECTS,
  }
  const wakes = (after: Node, before: Node) =>
    plugin.hints?.['node-updated']?.(restarting, { kind: 'node-updated', node: after, oldNode: before }, context)
  assert.equal(wakes(node('n', [FEATURE]), node('n', [])), true)
  assert.equal(wakes(node('n', [FEATURE]), node('n', [FEATURE])), false)
  assert.equal(wakes(node('n', []), node('n', [FEATURE])), false)
})
