import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DaemonSet } from '../../resources/types/apps.ts'
import type { Node, Pod } from '../../resources/types/core.ts'
import { sketch } from '../frame/sketch.double.ts'
import { HASH_LABEL } from './daemon-pod.ts'
import { selectsNode } from './node-match.ts'
import { concernsNode, planDaemonSet } from './plan.ts'
import { daemonSetStatus } from './status.ts'

const NOW = Date.parse('2026-01-01T01:00:00Z')
const set = (spec: object = {}, template: object = {}): DaemonSet =>
  sketch({
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'd', namespace: 'n', generation: 2 },
    spec: { template: { spec: template }, updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1 } }, ...spec },
  })

/** `a`, `b role=x`, `c !key:NoSchedule`: a name, labels, taints. */
function node(text: string): Node {
  const [name = '', ...words] = text.split(' ')
  const labels = Object.fromEntries(words.filter((w) => !w.startsWith('!')).map((w) => w.split('=') as [string, string]))
  const taints = words.filter((w) => w.startsWith('!')).map((w) => ({ key: w.slice(1).split(':')[0] ?? '', effect: w.split(':')[1] ?? '' }))
  return sketch({ apiVersion: 'v1', kind: 'Node', metadata: { name, labels }, spec: { taints } })
}

const meantFor = (name: string) => ({
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [name] }] }],
    },
  },
})

/** `p@a new Running ready ends`: a name, a node, then what it is. */
function pod(text: string): Pod {
  const [place = '', ...words] = text.split(' ')
  const [name = '', nodeName = ''] = place.split('@')
  const has = (word: string) => words.includes(word)
  const phase = ['Failed', 'Succeeded', 'Pending'].find(has) ?? 'Running'
  return sketch({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      creationTimestamp: `2026-01-01T00:00:0${name.charCodeAt(0) % 10}Z`,
      labels: { [HASH_LABEL]: has('old') ? 'h1' : 'h2' },
      ...(has('ends') && { deletionTimestamp: '2026-01-01T00:30:00Z' }),
    },
    spec: has('unbound') ? { affinity: meantFor(nodeName) } : { nodeName },
    status: {
      phase,
      conditions:
        has('ready') || has('late')
          ? [{ type: 'Ready', status: 'True', lastTransitionTime: has('late') ? '2026-01-01T00:50:00Z' : '2026-01-01T00:10:00Z' }]
          : [],
    },
  })
}

function plan(daemon: DaemonSet, nodes: readonly string[], pods: readonly string[]): string {
  const found = planDaemonSet({ set: daemon, nodes: nodes.map(node), pods: pods.map(pod), hash: 'h2' }, NOW)
  const names = (list: readonly Pod[]) => list.map((p) => p.metadata.name).join('+')
  return [`+${found.create.join('+')}`, `-${names(found.remove)}`, `!${names(found.failed)}`].filter((w) => w.length > 1).join(' ')
}

test('at most 250 pods are made and 250 removed at once, the others after them', () => {
  const names = Array.from({ length: 300 }, (_, i) => `n${i}`)
  const found = (nodes: readonly string[], pods: readonly string[]) => {
    const { create, remove, more } = planDaemonSet({ set: set(), nodes: nodes.map(node), pods: pods.map(pod), hash: 'h2' }, NOW)
    return [create.length, remove.length, more]
  }
  assert.deepEqual(found(names, []), [250, 0, true])
  assert.deepEqual(
    found(
      [],
      names.map((n) => `p${n}@${n} unbound`),
    ),
    [0, 250, true],
  )
  assert.deepEqual(found(names.slice(50), []), [250, 0, false])
})

test('with a surge the new pod comes before the old one goes', () => {
  const surge = (maxSurge: number | string) =>
    set({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable: 0 } } })
  const slow = { ...surge(1), spec: { ...surge(1).spec, minReadySeconds: 3000 } }
  for (const [what, daemon, pods, expected] of [
    ['one at a time', surge(1), ['a@a old ready', 'b@b old ready'], '+a'],
    ['a share of the nodes, rounded up', surge('60%'), ['a@a old ready', 'b@b old ready'], '+a+b'],
    ['the new one is not ready yet', surge(1), ['a@a old ready', 'c@a Pending', 'b@b old ready'], ''],
    ['the new one is ready', surge(1), ['a@a old ready', 'c@a ready', 'b@b old ready'], '+b -a'],
    ['an old one that is of no use waits for nobody', surge(1), ['a@a old', 'b@b old ready'], '+a+b'],
    ['… and makes room', surge(1), ['a@a old', 'c@a Pending', 'b@b old ready'], '+b -a'],
    ['an old one that is ready, but not yet available, stays for now', slow, ['b@b ready', 'a@a old late', 'c@a Pending'], ''],
    ['one that ends is replaced at once', surge(1), ['a@a ends', 'b@b ready'], '+a'],
    ['one that has failed too', surge(1), ['a@a Failed', 'b@b ready'], '+a !a'],
    ['two of the new', surge(1), ['a@a ready', 'c@a ready', 'b@b ready'], '-c'],
  ] as const)
    assert.equal(plan(daemon, ['a', 'b'], pods), expected, what)
})

test('with a surge an old pod where none may start any more goes when others are available in its place', () => {
  const daemon = set({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } })
  for (const [pods, expected] of [
    [['a@a ready', 'b@b old ready'], '-b'],
    [['a@a Pending', 'b@b old ready'], ''],
    [['a@a Pending', 'b@b old'], '-b'],
    [['a@a ready', 'b@b ready'], ''],
  ] as const)
    assert.equal(plan(daemon, ['a', 'b !k:NoSchedule'], pods), expected)
})

test('a pod on every node that takes it', () => {
  const critical = { tolerations: [{ key: 'k', operator: 'Exists' }] }
  for (const [what, daemon, nodes, pods, expected] of [
    ['none yet', set(), ['a', 'b'], [], '+a+b'],
    ['one is missing', set(), ['a', 'b'], ['p@a ready'], '+b'],
    ['one ends: its place is not free yet', set(), ['a'], ['p@a ends'], ''],
    ['a node that is selected by label', set({}, { nodeSelector: { role: 'x' } }), ['a', 'b role=x'], [], '+b'],
    ['a taint that keeps new pods out lets those stay that are there', set(), ['a !k:NoSchedule', 'b !k:NoSchedule'], ['p@a ready'], ''],
    ['a taint that throws pods out', set(), ['a !k:NoExecute'], ['p@a ready'], '-p'],
    ['a taint that is tolerated', set({}, critical), ['a !k:NoExecute'], [], '+a'],
    ['daemons tolerate what befalls nodes', set(), ['a !node.kubernetes.io/unschedulable:NoSchedule'], [], '+a'],
    ['a node that is gone', set(), ['a'], ['p@a ready', 'q@b ready', 'r@b unbound'], '-r'],
    ['two on one node: the younger goes', set(), ['a'], ['p@a ready', 'q@a ready'], '-q'],
    ['one that failed is taken away first', set(), ['a'], ['p@a Failed'], '!p'],
  ] as const)
    assert.equal(plan(daemon, nodes, pods), expected, what)
})

test('old pods make way for new ones, as many as may be missing at once', () => {
  const two = { updateStrategy: { rollingUpdate: { maxUnavailable: 2 } } }
  const half = { updateStrategy: { rollingUpdate: { maxUnavailable: '50%' } } }
  const old = ['p@a old ready', 'q@b old ready', 'r@c old ready']
  const nodes = ['a', 'b', 'c', 'd !k:NoSchedule']
  for (const [what, spec, pods, expected] of [
    ['one at a time', {}, old, '-p'],
    ['two at a time', two, old, '-p+q'],
    ['half, rounded up', half, old, '-p+q'],
    ['none while one is missing', {}, ['p@a ready', 'q@b Pending', 'r@c old ready'], ''],
    ['… which goes, and does not come back, where none may start any more', {}, ['p@a ready', 'q@b ready', 'r@c ready', 's@d old'], '-s'],
    ['one of a node that is gone, too', {}, ['p@a ready', 'q@b ready', 'r@c ready', 's@gone old ready'], '-s'],
    ['one that is of no use anyway costs nothing', {}, ['p@a old', 'q@b old ready', 'r@c ready'], '-p'],
    ['only when deleted by hand', { updateStrategy: { type: 'OnDelete' } }, old, ''],
  ] as const)
    assert.equal(plan(set(spec), nodes, pods), expected, what)
})

test('a node concerns a set that has something to do on it', () => {
  const at = (key: string | undefined): Node =>
    sketch({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'n' },
      spec: { taints: key === undefined ? [] : [{ key, effect: 'NoExecute' }] },
    })
  const misplaced: DaemonSet = sketch({ ...set(), status: { numberMisscheduled: 1 } })
  for (const [what, of, taint, runs, expected] of [
    ['it lacks a pod', set(), undefined, false, true],
    ['it has one', set(), undefined, true, false],
    ['it does not want one', set(), 'k', false, false],
    ['it is to lose one', set(), 'k', true, true],
    ['one that was out of place may be in place again', misplaced, undefined, true, true],
  ] as const)
    assert.equal(concernsNode(of, at(taint), runs), expected, what)
})

test('a set that is being deleted does nothing', () => {
  const daemon = set()
  daemon.metadata.deletionTimestamp = '2026-01-01T00:00:00Z'
  assert.equal(plan(daemon, ['a'], ['p@b ready']), '')
})

test('the status counts nodes, not pods', () => {
  const view = {
    set: set({}, { nodeSelector: { role: 'x' } }),
    nodes: ['a role=x', 'b role=x', 'c'].map(node),
    pods: ['p@a ready', 'q@b old', 'r@c ready'].map(pod),
    hash: 'h2',
  }
  assert.deepEqual(daemonSetStatus(view, NOW), {
    currentNumberScheduled: 2,
    numberMisscheduled: 1,
    desiredNumberScheduled: 2,
    numberReady: 1,
    observedGeneration: 2,
    updatedNumberScheduled: 1,
    numberAvailable: 1,
    numberUnavailable: 1,
  })
})

test('required node affinity: one of the terms, all of its requirements; an empty term selects nothing', () => {
  const affine = (...terms: object[]) => ({
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } },
  })
  const role = (operator: string, ...values: string[]) => ({ key: 'role', operator, values })
  for (const [spec, expected] of [
    [{}, true],
    [affine(), false],
    [affine({}), false],
    [affine({ matchExpressions: [role('In', 'x', 'y')] }), true],
    [affine({ matchExpressions: [role('NotIn', 'x')] }), false],
    [affine({ matchExpressions: [role('NotIn', 'x')] }, { matchExpressions: [role('Exists')] }), true],
    [affine({ matchExpressions: [{ key: 'size', operator: 'Gt', values: ['3'] }] }), true],
    [affine({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['a'] }] }), true],
    [affine({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['b'] }] }), false],
  ] as const)
    assert.equal(selectsNode(sketch<Pod>({ spec }).spec, node('a role=x size=4')), expected, JSON.stringify(spec))
})

test('a template that names a node wants that node and no other', () => {
  const plan = planDaemonSet({ set: set({}, { nodeName: 'b' }), nodes: ['a', 'b'].map(node), pods: [], hash: 'h2' }, NOW)
  assert.deepEqual(plan.create, ['b'])
})
