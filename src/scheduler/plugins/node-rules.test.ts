/** Plugins that look at one node: NodeName, NodeUnschedulable, TaintToleration, NodeAffinity, NodePorts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NodeSelectorTerm, Taint, Toleration } from '../../resources/types/core.ts'
import { nodeAffinity } from './node-affinity.ts'
import { nodeName } from './node-name.ts'
import { nodePorts } from './node-ports.ts'
import { nodeUnschedulable } from './node-unschedulable.ts'
import { clusterOf, node, pluginOf, pod, scoresOf, verdictsOf } from './plugin-table.double.ts'
import { taintToleration } from './taint-toleration.ts'

test('NodeName: a pod that names its node fits there alone', () => {
  const context = clusterOf({ nodes: [node('a'), node('b')] })
  assert.equal(
    verdictsOf(pluginOf(nodeName), pod('p', { spec: { nodeName: 'b' } }), context),
    "a: !node(s) didn't match the requested node name, b: fits",
  )
  assert.equal(verdictsOf(pluginOf(nodeName), pod('p'), context), 'a: fits, b: fits')
})

const CORDON: Toleration = { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' }
for (const [rule, tolerations, expected] of [
  ['a cordoned node takes no pods', [], '!node(s) were unschedulable'],
  ['but those that tolerate its taint', [CORDON], 'fits'],
  ['and those that tolerate everything', [{ operator: 'Exists' }], 'fits'],
  ['a toleration of another effect does not help', [{ ...CORDON, effect: 'NoExecute' }], '!node(s) were unschedulable'],
] as readonly (readonly [string, readonly Toleration[], string])[])
  test(`NodeUnschedulable: ${rule}`, () => {
    const context = clusterOf({ nodes: [node('a', { spec: { unschedulable: true } }), node('b')] })
    assert.equal(verdictsOf(pluginOf(nodeUnschedulable), pod('p', { spec: { tolerations } }), context), `a: ${expected}, b: fits`)
  })

const taint = (effect: Taint['effect'], key = 'k', value = 'v'): Taint => ({ key, value, effect })
const UNTOLERATED = '!node(s) had untolerated taint(s)'
for (const [rule, taints, tolerations, expected] of [
  ['a NoSchedule taint keeps pods away', [taint('NoSchedule')], [], UNTOLERATED],
  ['so does NoExecute', [taint('NoExecute')], [], UNTOLERATED],
  ['PreferNoSchedule does not', [taint('PreferNoSchedule')], [], 'fits'],
  ['an equal toleration is enough', [taint('NoSchedule')], [{ key: 'k', operator: 'Equal', value: 'v', effect: 'NoSchedule' }], 'fits'],
  ['Equal is the default operator', [taint('NoSchedule')], [{ key: 'k', value: 'v' }], 'fits'],
  ['another value does not match', [taint('NoSchedule')], [{ key: 'k', value: 'w' }], UNTOLERATED],
  ['Exists needs no value', [taint('NoSchedule')], [{ key: 'k', operator: 'Exists' }], 'fits'],
  ['Exists without a key matches every taint', [taint('NoSchedule'), taint('NoExecute', 'l')], [{ operator: 'Exists' }], 'fits'],
  ['every taint must be tolerated', [taint('NoSchedule'), taint('NoSchedule', 'l')], [{ key: 'k', operator: 'Exists' }], UNTOLERATED],
  ['an empty effect matches all effects', [taint('NoExecute')], [{ key: 'k', operator: 'Exists' }], 'fits'],
] as readonly (readonly [string, readonly Taint[], readonly Toleration[], string])[])
  test(`TaintToleration: ${rule}`, () => {
    const context = clusterOf({ nodes: [node('a', { spec: { taints } })] })
    assert.equal(verdictsOf(pluginOf(taintToleration), pod('p', { spec: { tolerations } }), context), `a: ${expected}`)
  })

test('TaintToleration: nodes with fewer untolerated PreferNoSchedule taints score higher', () => {
  const prefer = (...keys: readonly string[]) => ({ spec: { taints: keys.map((key) => taint('PreferNoSchedule', key)) } })
  const context = clusterOf({ nodes: [node('a', prefer('k', 'l')), node('b', prefer('k')), node('c')] })
  const plugin = pluginOf(taintToleration)
  assert.equal(scoresOf(plugin, pod('p'), context), 'a=0 b=50 c=100')
  const tolerant = pod('p', { spec: { tolerations: [{ key: 'k', operator: 'Exists' }] } })
  assert.equal(scoresOf(plugin, tolerant, context), 'a=0 b=100 c=100')
})

const MISMATCH = "!node(s) didn't match Pod's node affinity/selector"
const required = (...nodeSelectorTerms: readonly NodeSelectorTerm[]) => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
})
const labelled = (
  key: string,
  operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt',
  ...values: readonly string[]
): NodeSelectorTerm => ({
  matchExpressions: [{ key, operator, values }],
})
for (const [rule, spec, expected] of [
  ['a nodeSelector wants its labels', { nodeSelector: { disk: 'ssd' } }, 'fits'],
  ['all of them', { nodeSelector: { disk: 'ssd', zone: 'x' } }, MISMATCH],
  ['In wants one of the values', required(labelled('disk', 'In', 'hdd', 'ssd')), 'fits'],
  ['NotIn is met by a label that is absent', required(labelled('zone', 'NotIn', 'x')), 'fits'],
  ['NotIn is broken by the value', required(labelled('disk', 'NotIn', 'ssd')), MISMATCH],
  ['Exists wants the label', required(labelled('zone', 'Exists')), MISMATCH],
  ['DoesNotExist wants it absent', required(labelled('zone', 'DoesNotExist')), 'fits'],
  ['Gt compares integers', required(labelled('generation', 'Gt', '9')), 'fits'],
  ['Lt compares integers', required(labelled('generation', 'Lt', '9')), MISMATCH],
  ['Gt is never met by a label that is no integer', required(labelled('disk', 'Gt', '9')), MISMATCH],
  ['terms are alternatives', required(labelled('zone', 'Exists'), labelled('disk', 'Exists')), 'fits'],
  [
    'requirements of one term are not',
    required({
      matchExpressions: [
        { key: 'disk', operator: 'Exists' },
        { key: 'zone', operator: 'Exists' },
      ],
    }),
    MISMATCH,
  ],
  ['a term without requirements matches nothing', required({}), MISMATCH],
  ['nodeSelector and affinity must both hold', { nodeSelector: { zone: 'x' }, ...required(labelled('disk', 'Exists')) }, MISMATCH],
] as const)
  test(`NodeAffinity: ${rule}`, () => {
    const context = clusterOf({ nodes: [node('a', { labels: 'disk=ssd generation=10' })] })
    assert.equal(verdictsOf(pluginOf(nodeAffinity), pod('p', { spec }), context), `a: ${expected}`)
  })

test('NodeAffinity: terms that name no common node conflict, and one that names nodes limits the search to them', () => {
  const named = (...values: readonly string[]) => ({ key: 'metadata.name', operator: 'In' as const, values })
  const context = clusterOf({ nodes: [node('a'), node('b')] })
  const plugin = pluginOf(nodeAffinity)
  const conflict = pod('p', { spec: required({ matchFields: [named('a'), named('b')] }) })
  assert.equal(verdictsOf(plugin, conflict, context), 'a: !pod affinity terms conflict, b: !pod affinity terms conflict')
  assert.equal(verdictsOf(plugin, pod('p', { spec: required({ matchFields: [named('b')] }) }), context), `a: ${MISMATCH}, b: fits`)
})

test('NodeAffinity: weights of preferred terms add up, and the affinity of the configuration counts too', () => {
  const preferred = [
    { weight: 2, preference: labelled('disk', 'Exists') },
    { weight: 6, preference: labelled('zone', 'Exists') },
  ]
  const incoming = pod('p', { spec: { affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } } } })
  const context = clusterOf({ nodes: [node('a', { labels: 'disk=ssd zone=x' }), node('b', { labels: 'disk=ssd' }), node('c')] })
  assert.equal(scoresOf(pluginOf(nodeAffinity), incoming, context), 'a=100 b=25 c=0')
  const added = { addedAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [labelled('zone', 'Exists')] } } }
  const enforced = "!node(s) didn't match scheduler-enforced node affinity"
  assert.equal(verdictsOf(pluginOf(nodeAffinity, added), pod('p'), context), `a: fits, b: ${enforced}, c: ${enforced}`)
})

const ports = (...list: readonly { hostPort: number; protocol?: 'TCP' | 'UDP'; hostIP?: string }[]) => ({
  container: { ports: list.map((port) => ({ containerPort: 80, ...port })) },
})
const TAKEN = "node(s) didn't have free ports for the requested pod ports"
for (const [rule, taken, wanted, expected] of [
  ['a port that is taken', { hostPort: 80 }, { hostPort: 80 }, TAKEN],
  ['another port', { hostPort: 80 }, { hostPort: 81 }, 'fits'],
  ['the same number of another protocol', { hostPort: 80 }, { hostPort: 80, protocol: 'UDP' }, 'fits'],
  ['the same port of two addresses', { hostPort: 80, hostIP: '10.0.0.1' }, { hostPort: 80, hostIP: '10.0.0.2' }, 'fits'],
  ['one address, and all addresses', { hostPort: 80, hostIP: '10.0.0.1' }, { hostPort: 80, hostIP: '0.0.0.0' }, TAKEN],
  ['all addresses, and one', { hostPort: 80 }, { hostPort: 80, hostIP: '10.0.0.1' }, TAKEN],
] as const)
  test(`NodePorts: ${rule}: ${expected === 'fits' ? 'free' : 'not free'}`, () => {
    const context = clusterOf({ nodes: [node('a'), node('b')], placed: [pod('q', { ...ports(taken), on: 'a' })] })
    assert.equal(verdictsOf(pluginOf(nodePorts), pod('p', ports(wanted)), context), `a: ${expected}, b: fits`)
  })
