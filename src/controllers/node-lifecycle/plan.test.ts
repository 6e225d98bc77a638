import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Node, Pod, Taint } from '../../resources/types/core.ts'
import { sketch } from '../frame/sketch.double.ts'
import { GRACE_MS, type Pace, planNode as plan } from './plan.ts'
import { SignsOfLife } from './signs-of-life.ts'
import { stayMs } from './taints.ts'

const NOW = Date.parse('2026-01-01T01:00:00Z')
const HEARD = NOW - 1_000
const SILENT = NOW - GRACE_MS - 1
const AT_ONCE: Pace = { allLost: false, mayGiveUp: () => true }
const planNode = (of: Node, lastSeenMs: number, nowMs: number, pace = AT_ONCE) => plan(of, lastSeenMs, { nowMs, pace })

/** `Ready=True MemoryPressure=False`, and the taints as `key:Effect`. */
function node(conditions: string, taints: readonly string[] = [], unschedulable = false): Node {
  return sketch({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'a' },
    spec: { taints: taints.map(taint), ...(unschedulable && { unschedulable }) },
    status: {
      conditions: conditions
        .split(' ')
        .filter(Boolean)
        .map((text) => ({ type: text.split('=')[0], status: text.split('=')[1] })),
    },
  })
}
const taint = (text: string): Taint => {
  const [key = '', effect = ''] = text.split(':')
  return { key: key.includes('/') ? key : `node.kubernetes.io/${key}`, effect: effect as Taint['effect'] }
}
const shown = (taints: readonly Taint[] | undefined) =>
  taints?.map((t) => `${t.key.replace('node.kubernetes.io/', '')}:${t.effect}`).join(' ')

test('taints follow from conditions', () => {
  for (const [what, conditions, before, after] of [
    ['nothing to do', 'Ready=True', [], undefined],
    ['not ready', 'Ready=False', [], 'not-ready:NoSchedule not-ready:NoExecute'],
    ['unknown', 'Ready=Unknown', [], 'unreachable:NoSchedule unreachable:NoExecute'],
    [
      'unknown after not ready',
      'Ready=Unknown',
      ['not-ready:NoSchedule', 'not-ready:NoExecute'],
      'unreachable:NoSchedule unreachable:NoExecute',
    ],
    ['ready again', 'Ready=True', ['not-ready:NoSchedule', 'not-ready:NoExecute'], ''],
    ['pressure', 'Ready=True MemoryPressure=True PIDPressure=True', [], 'memory-pressure:NoSchedule pid-pressure:NoSchedule'],
    ['those of others stay', 'Ready=True', ['example.com/mine:NoExecute', 'disk-pressure:NoSchedule'], 'example.com/mine:NoExecute'],
    ['already there', 'Ready=False', ['not-ready:NoSchedule', 'not-ready:NoExecute'], undefined],
  ] as const)
    assert.equal(shown(planNode(node(conditions, before), HEARD, NOW).taints), after, what)
  assert.equal(shown(planNode(node('Ready=True', [], true), HEARD, NOW).taints), 'unschedulable:NoSchedule')
})

test('evictions are queued, and stop while all nodes are lost', () => {
  const lost = node('Ready=Unknown')
  const later: Pace = { allLost: false, mayGiveUp: () => false }
  const total: Pace = { allLost: true, mayGiveUp: () => false }
  assert.equal(shown(planNode(lost, HEARD, NOW, later).taints), 'unreachable:NoSchedule')
  const given = node('Ready=Unknown', ['not-ready:NoSchedule', 'not-ready:NoExecute'])
  assert.equal(shown(planNode(given, HEARD, NOW, later).taints), 'unreachable:NoSchedule unreachable:NoExecute')
  assert.equal(shown(planNode(given, HEARD, NOW, total).taints), 'unreachable:NoSchedule')
})

test('the conditions of a silent node become unknown, once', () => {
  const silenced = planNode(node('Ready=True NetworkUnavailable=False'), SILENT, NOW)
  assert.deepEqual(
    silenced.conditions?.map((c) => `${c.type}=${c.status} ${c.reason ?? ''}`),
    [
      'Ready=Unknown NodeStatusUnknown',
      'NetworkUnavailable=False ',
      'MemoryPressure=Unknown NodeStatusNeverUpdated',
      'DiskPressure=Unknown NodeStatusNeverUpdated',
      'PIDPressure=Unknown NodeStatusNeverUpdated',
    ],
  )
  assert.equal(shown(silenced.taints), 'unreachable:NoSchedule unreachable:NoExecute')
  assert.equal(
    planNode(node('Ready=Unknown MemoryPressure=Unknown DiskPressure=Unknown PIDPressure=Unknown'), SILENT, NOW).conditions,
    undefined,
  )
})

test('how long a pod may stay under taints', () => {
  const pod = (tolerations: object[]): Pod => sketch({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { tolerations } })
  const a = { key: 'node.kubernetes.io/a', operator: 'Exists', effect: 'NoExecute' }
  for (const [what, tolerations, taints, expected] of [
    ['no taint that executes', [], ['a:NoSchedule'], undefined],
    ['not tolerated', [], ['a:NoExecute'], 0],
    ['tolerated for ever', [a], ['a:NoExecute'], undefined],
    ['tolerated for a while', [{ ...a, tolerationSeconds: 30 }], ['a:NoExecute'], 30_000],
    [
      'the shortest of all',
      [
        { ...a, tolerationSeconds: 30 },
        { operator: 'Exists', tolerationSeconds: 5 },
      ],
      ['a:NoExecute', 'b:NoExecute'],
      5_000,
    ],
    ['one of two is not tolerated', [a], ['a:NoExecute', 'b:NoExecute'], 0],
    ['everything is tolerated', [{ operator: 'Exists' }], ['a:NoExecute', 'b:NoExecute'], undefined],
    ['a value that differs', [{ key: 'node.kubernetes.io/a', value: 'x' }], ['a:NoExecute'], 0],
    ['the first that fits counts, not the shortest', [a, { ...a, tolerationSeconds: 1 }], ['a:NoExecute'], undefined],
    ['negative seconds', [{ ...a, tolerationSeconds: -1 }], ['a:NoExecute'], 0],
  ] as const)
    assert.equal(stayMs(pod([...tolerations]), taints.map(taint)), expected, what)
})

test('time that the process slept through is not held against a node', () => {
  let now = 0
  const signs = new SignsOfLife({ now: () => now }, { addHandler: () => () => {} })
  assert.equal(signs.lastMs('a', 'one'), 0)
  now = 5_000
  signs.look()
  assert.equal(signs.lastMs('a', 'one'), 0)
  // Only rounds show that this process was running; nodes that are read between them do not.
  for (now = 3_600_000; now < 3_660_000; now += 10_000) assert.equal(now - signs.lastMs('a', 'one'), 5_000)
  signs.look()
  now += 10_000
  assert.equal(now - signs.lastMs('a', 'one'), 15_000)
  assert.equal(signs.lastMs('a', 'two'), now)
  signs.forget('a')
  assert.equal(signs.lastMs('a', 'two'), now)
})

test('a node is lost when it was ready and has gone silent', () => {
  assert.equal(planNode(node('Ready=True'), SILENT, NOW).lost, true)
  assert.equal(planNode(node('Ready=True'), HEARD, NOW).lost, false)
  assert.equal(planNode(node('Ready=False'), SILENT, NOW).lost, false)
})

test('old names of labels follow the new ones', () => {
  const labelled = (labels: Record<string, string>) =>
    planNode({ ...node('Ready=True'), metadata: { name: 'a', labels } }, HEARD, NOW).labels
  assert.deepEqual(labelled({ 'kubernetes.io/os': 'linux', 'beta.kubernetes.io/os': 'windows' }), { 'beta.kubernetes.io/os': 'linux' })
  assert.equal(labelled({ 'kubernetes.io/os': 'linux', 'beta.kubernetes.io/os': 'linux' }), undefined)
  assert.equal(labelled({ 'beta.kubernetes.io/os': 'windows' }), undefined)
})
