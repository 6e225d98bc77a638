/** PodTopologySpread and InterPodAffinity. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PodAffinityTerm, TopologySpreadConstraint } from '../../resources/types/core.ts'
import { interPodAffinity } from './inter-pod-affinity.ts'
import { clusterOf, node, pluginOf, pod, scoresOf, verdictsOf } from './plugin-table.double.ts'
import { podTopologySpread } from './pod-topology-spread.ts'

const NODES = [node('a', { labels: 'zone=x' }), node('b', { labels: 'zone=y' }), node('bare')]
const web = (name: string, on: string, more: object = {}) => pod(name, { labels: 'app=web', on, ...more })
const spread = (more: Partial<TopologySpreadConstraint> = {}): TopologySpreadConstraint => ({
  maxSkew: 1,
  topologyKey: 'zone',
  whenUnsatisfiable: 'DoNotSchedule',
  labelSelector: { matchLabels: { app: 'web' } },
  ...more,
})
const spreading = (...topologySpreadConstraints: readonly TopologySpreadConstraint[]) =>
  pod('p', { labels: 'app=web', spec: { topologySpreadConstraints } })
const UNEVEN = "node(s) didn't match pod topology spread constraints"
const LABEL = `!${UNEVEN} (missing required label)`

for (const [rule, constraint, placed, expected] of [
  ['an empty cluster takes it anywhere with the label', {}, [], `a: fits, b: fits, bare: ${LABEL}`],
  ['the fuller zone is closed', {}, [web('q', 'a')], `a: ${UNEVEN}, b: fits, bare: ${LABEL}`],
  ['maxSkew lets zones differ', { maxSkew: 2 }, [web('q', 'a')], `a: fits, b: fits, bare: ${LABEL}`],
  ['pods of other namespaces do not count', {}, [web('q', 'a', { namespace: 'other' })], `a: fits, b: fits, bare: ${LABEL}`],
  [
    'pods that the selector does not select do not count',
    {},
    [pod('q', { labels: 'app=db', on: 'a' })],
    `a: fits, b: fits, bare: ${LABEL}`,
  ],
  ['pods that terminate do not count', {}, [web('q', 'a', { metadata: { deletionTimestamp: 'now' } })], `a: fits, b: fits, bare: ${LABEL}`],
  [
    'with fewer domains than minDomains the least is 0',
    { minDomains: 3 },
    [web('q', 'a'), web('r', 'b')],
    `a: ${UNEVEN}, b: ${UNEVEN}, bare: ${LABEL}`,
  ],
  ['ScheduleAnyway closes nothing', { whenUnsatisfiable: 'ScheduleAnyway' }, [web('q', 'a')], 'a: fits, b: fits, bare: fits'],
] as readonly (readonly [string, Partial<TopologySpreadConstraint>, ReturnType<typeof pod>[], string])[])
  test(`PodTopologySpread: ${rule}`, () => {
    const context = clusterOf({ nodes: NODES, placed })
    assert.equal(verdictsOf(pluginOf(podTopologySpread), spreading(spread(constraint)), context), expected)
  })

test('PodTopologySpread: matchLabelKeys separates the pods of one revision from those of another', () => {
  const context = clusterOf({ nodes: NODES.slice(0, 2), placed: [pod('q', { labels: 'app=web revision=1', on: 'a' })] })
  const of = (revision: string) =>
    pod('p', { labels: `app=web revision=${revision}`, spec: { topologySpreadConstraints: [spread({ matchLabelKeys: ['revision'] })] } })
  assert.equal(verdictsOf(pluginOf(podTopologySpread), of('1'), context), `a: ${UNEVEN}, b: fits`)
  assert.equal(verdictsOf(pluginOf(podTopologySpread), of('2'), context), 'a: fits, b: fits')
})

test('PodTopologySpread: nodes that the pod’s affinity excludes are no domains, unless the policy ignores it', () => {
  const context = clusterOf({ nodes: NODES.slice(0, 2), placed: [web('q', 'a')] })
  const only = (nodeAffinityPolicy?: 'Honor' | 'Ignore') =>
    pod('p', {
      labels: 'app=web',
      spec: { nodeSelector: { zone: 'x' }, topologySpreadConstraints: [spread(nodeAffinityPolicy && { nodeAffinityPolicy })] },
    })
  assert.match(verdictsOf(pluginOf(podTopologySpread), only(), context), /^a: fits/)
  assert.match(verdictsOf(pluginOf(podTopologySpread), only('Ignore'), context), /^a: node\(s\) didn't match/)
})

test('PodTopologySpread: scores are higher where fewer pods are', () => {
  const context = clusterOf({ nodes: NODES.slice(0, 2), placed: [web('q', 'a'), web('r', 'a'), web('s', 'b')] })
  const [a = 0, b = 0] = scoresOf(pluginOf(podTopologySpread), spreading(spread({ whenUnsatisfiable: 'ScheduleAnyway' })), context)
    .split(' ')
    .map((text) => Number(text.split('=')[1]))
  assert.ok(b === 100 && a < b, `a scores ${a}, b ${b}`)
})

const term = (app: string, more: Partial<PodAffinityTerm> = {}): PodAffinityTerm => ({
  topologyKey: 'zone',
  labelSelector: { matchLabels: { app } },
  ...more,
})
const near = (...terms: readonly PodAffinityTerm[]) => ({
  affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } },
})
const away = (...terms: readonly PodAffinityTerm[]) => ({
  affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } },
})
const AFFINITY = "!node(s) didn't match pod affinity rules"
const ANTI = "node(s) didn't match pod anti-affinity rules"
const EXISTING = "node(s) didn't satisfy existing pods anti-affinity rules"

for (const [rule, incoming, placed, expected] of [
  [
    'affinity wants a pod in the zone',
    pod('p', { spec: near(term('web')) }),
    [web('q', 'a')],
    `a: fits, b: ${AFFINITY}, bare: ${AFFINITY}`,
  ],
  ['affinity to nothing that is there', pod('p', { spec: near(term('web')) }), [], `a: ${AFFINITY}, b: ${AFFINITY}, bare: ${AFFINITY}`],
  [
    'the first pod of a group may go anywhere with the label',
    pod('p', { labels: 'app=web', spec: near(term('web')) }),
    [],
    `a: fits, b: fits, bare: ${AFFINITY}`,
  ],
  ['anti-affinity shuts the zone', pod('p', { spec: away(term('web')) }), [web('q', 'a')], `a: ${ANTI}, b: fits, bare: fits`],
  [
    'placed pods keep others away',
    pod('p', { labels: 'app=db' }),
    [web('q', 'a', { spec: away(term('db')) })],
    `a: ${EXISTING}, b: fits, bare: fits`,
  ],
  [
    'terms are about the pod’s own namespace',
    pod('p', { spec: away(term('web')) }),
    [web('q', 'a', { namespace: 'other' })],
    'a: fits, b: fits, bare: fits',
  ],
  [
    'or about those that they name',
    pod('p', { spec: away(term('web', { namespaces: ['other'] })) }),
    [web('q', 'a', { namespace: 'other' })],
    `a: ${ANTI}, b: fits, bare: fits`,
  ],
  [
    'all terms must hold',
    pod('p', { spec: near(term('web'), term('db')) }),
    [web('q', 'a')],
    `a: ${AFFINITY}, b: ${AFFINITY}, bare: ${AFFINITY}`,
  ],
] as readonly (readonly [string, ReturnType<typeof pod>, readonly ReturnType<typeof pod>[], string])[])
  test(`InterPodAffinity: ${rule}`, () => {
    const context = clusterOf({ nodes: NODES, placed })
    assert.equal(verdictsOf(pluginOf(interPodAffinity), incoming, context), expected)
  })

test('InterPodAffinity: preferred terms of the pod and of placed pods add up', () => {
  const preferring = (app: string, weight: number, kind: 'podAffinity' | 'podAntiAffinity') => ({
    affinity: { [kind]: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight, podAffinityTerm: term(app) }] } },
  })
  const plugin = pluginOf(interPodAffinity)
  const nodes = NODES.slice(0, 2)
  const attracted = pod('p', { labels: 'app=db', spec: preferring('web', 10, 'podAffinity') })
  assert.equal(scoresOf(plugin, attracted, clusterOf({ nodes, placed: [web('q', 'a')] })), 'a=100 b=0')
  const repelled = pod('p', { labels: 'app=db', spec: preferring('web', 10, 'podAntiAffinity') })
  assert.equal(scoresOf(plugin, repelled, clusterOf({ nodes, placed: [web('q', 'a')] })), 'a=0 b=100')
  const wanted = clusterOf({ nodes, placed: [web('q', 'b', { spec: preferring('db', 5, 'podAffinity') })] })
  assert.equal(scoresOf(plugin, pod('p', { labels: 'app=db' }), wanted), 'a=0 b=100')
})
