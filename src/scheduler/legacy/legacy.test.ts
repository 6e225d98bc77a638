import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { seededRandom } from '../../base/random.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { Pod } from '../../resources/types/core.ts'
import { NodeTable } from '../cache/node-table.ts'
import { type PodInfo, podInfo } from '../cache/pod-info.ts'
import { writtenConfiguration } from '../config/complete.ts'
import { profilesOf, readConfiguration } from '../config/configuration.ts'
import { ConfigurationError } from '../config/configuration-error.ts'
import { decideNow } from '../framework/decide-now.ts'
import { listersOver } from '../framework/listers.double.ts'
import { Profile } from '../framework/profile.ts'
import { PREDICATES, PRIORITIES } from './names.ts'
import { type Policy, readPolicy } from './policy.ts'
import { type LegacyChoice, translateLegacy } from './translate.ts'

const head = { kind: 'Policy', apiVersion: 'v1' }
const policyOf = (policy: object): Policy => readPolicy(JSON.stringify({ ...head, ...policy }))
const deps = { random: seededRandom(1) }
const profileOf = (choice: LegacyChoice) => {
  const [profile] = profilesOf(translateLegacy(choice), deps)
  assert.ok(profile)
  return profile
}
const named = (choice: LegacyChoice) => {
  const { at } = profileOf(choice)
  return {
    filters: (at.filter ?? []).map((p) => p.name).join(' '),
    scores: (at.score ?? []).map((p) => `${p.name}=${p.weight}`).join(' '),
  }
}

test('DefaultProvider is the default profile, and ClusterAutoscalerProvider the same but that it packs', () => {
  const plain = readConfiguration({})
  assert.deepEqual(readConfiguration(translateLegacy({})), plain)
  assert.deepEqual(readConfiguration(translateLegacy({ algorithmProvider: 'DefaultProvider' })), plain)
  const { scoringStrategy: strategy } = (readConfiguration(
    translateLegacy({ algorithmProvider: 'ClusterAutoscalerProvider' }),
  ).profiles[0]?.pluginConfig.find((c) => c.name === 'NodeResourcesFit')?.args ?? {}) as { scoringStrategy?: { type?: string } }
  assert.equal(strategy?.type, 'MostAllocated')
  assert.throws(() => translateLegacy({ algorithmProvider: 'Mine' }), {
    message: 'there is no algorithm provider "Mine"; there are DefaultProvider, ClusterAutoscalerProvider',
  })
})

test('an empty policy has the default predicates and priorities, in their order and with their weights', () => {
  const [plain] = profilesOf({}, deps)
  const said = profileOf({ policy: policyOf({}) })
  for (const point of ['filter', 'score', 'reserve', 'preBind', 'postFilter', 'bind']) {
    const shown = (all: readonly { readonly name: string; readonly weight: number }[] | undefined) =>
      (all ?? []).map((p) => (point === 'score' ? `${p.name}=${p.weight}` : p.name)).sort()
    // VolumeBinding scores only where capacities are known: no priority ever did.
    const expected = shown(plain?.at[point]).filter((text) => text !== 'VolumeBinding=1')
    assert.deepEqual(shown(said.at[point]), expected, point)
  }
})

const M = 'NodeUnschedulable TaintToleration'
for (const [what, policy, filters, scores] of [
  ['no predicates: the mandatory ones alone', { predicates: [], priorities: [] }, M, ''],
  [
    "the page's own example",
    {
      predicates: ['PodFitsHostPorts', 'PodFitsResources', 'NoDiskConflict', 'NoVolumeZoneConflict', 'MatchNodeSelector', 'HostName'].map(
        (name) => ({ name }),
      ),
      priorities: [
        { name: 'LeastRequestedPriority', weight: 1 },
        { name: 'BalancedResourceAllocation', weight: 1 },
        { name: 'ServiceSpreadingPriority', weight: 1 },
        { name: 'EqualPriority', weight: 1 },
      ],
    },
    'NodeUnschedulable NodeName TaintToleration NodeAffinity NodePorts NodeResourcesFit VolumeRestrictions VolumeZone',
    'NodeResourcesFit=1 NodeResourcesBalancedAllocation=1 ServiceSpreadingPriority=1',
  ],
  [
    'names that came to the same add their weights',
    {
      predicates: [],
      priorities: [
        { name: 'EvenPodsSpreadPriority', weight: 2 },
        { name: 'SelectorSpreadPriority', weight: 3 },
      ],
    },
    M,
    'PodTopologySpread=2 SelectorSpreadPriority=3',
  ],
  [
    'two strategies score beside one another',
    {
      predicates: [],
      priorities: [
        { name: 'LeastRequestedPriority', weight: 1 },
        { name: 'MostRequestedPriority', weight: 4 },
      ],
    },
    M,
    'NodeResourcesFit=1 MostRequestedPriority=4',
  ],
  [
    'arguments make predicates and priorities of any name',
    {
      predicates: [{ name: 'Zoned', argument: { labelsPresence: { labels: ['zone'], presence: true } } }],
      priorities: [{ name: 'RackSpread', weight: 7, argument: { serviceAntiAffinity: { label: 'rack' } } }],
    },
    `${M} Zoned`,
    'RackSpread=7',
  ],
] as const) {
  test(`a policy becomes plugins: ${what}`, () => {
    const said = named({ policy: policyOf(policy) })
    // DynamicResources has no old name, and pods with claims rely on it.
    assert.equal(said.filters.replace(/ ?DynamicResources| ?NodeDeclaredFeatures/g, '').trim(), filters)
    assert.equal(said.scores.replace(/ ?DynamicResources=\d+/, '').trim(), scores)
  })
}

test('every old name becomes plugins that there are, and the translation of each can be written down and read again', () => {
  for (const name of Object.keys(PREDICATES)) profileOf({ policy: policyOf({ predicates: [{ name }], priorities: [] }) })
  for (const name of Object.keys(PRIORITIES)) {
    const configuration = readConfiguration(translateLegacy({ policy: policyOf({ predicates: [], priorities: [{ name, weight: 2 }] }) }))
    assert.deepEqual(readConfiguration(JSON.stringify(writtenConfiguration(configuration))), configuration)
  }
})

for (const [policy, message] of [
  [{ predicates: [{ name: 'Nope' }] }, /there is no predicate "Nope"; there are CheckNodeCondition, /],
  [{ priorities: [{ name: 'toString', weight: 1 }] }, /there is no priority "toString"; there are BalancedResourceAllocation, /],
  [{ predicats: [] }, 'policy: unknown field "predicats"'],
  [{ predicates: [{ name: 'HostName', weight: 1 }] }, 'policy: unknown field "predicates[0].weight"'],
  [{ predicates: [{ name: 'HostName' }, { name: 'HostName' }] }, 'policy: predicates[1].name: Duplicate value: "HostName"'],
  [{ predicates: [{}] }, 'policy: predicates[0].name: Required value'],
  [{ predicates: [{ name: 'A', argument: {} }] }, 'policy: predicates[0].argument: Invalid value: {}: exactly one argument is needed'],
  [
    { predicates: [{ name: 'A', argument: { labelsPresence: { presence: true } } }] },
    'policy: predicates[0].argument.labelsPresence.labels: Required value',
  ],
  [{ priorities: [{ name: 'EqualPriority' }] }, 'policy: priorities[0].weight: Invalid value: 0: must be greater than zero'],
  [
    { priorities: [{ name: 'EqualPriority', weight: 1e9 }] },
    'policy: priorities[0].weight: Invalid value: 1000000000: must be 21474836 or less',
  ],
  [
    { priorities: [{ name: 'EqualPriority', weight: 'x' }] },
    'policy: json: cannot unmarshal string into Go struct field PriorityPolicy.priorities.weight of type int64',
  ],
  [{ hardPodAffinitySymmetricWeight: 101 }, 'policy: hardPodAffinitySymmetricWeight: Invalid value: 101: not in valid range [0-100]'],
  [
    { predicates: [{ name: '__proto__', argument: { labelsPresence: { labels: ['a'], presence: true } } }] },
    'policy: predicates[0].name: Invalid value: "__proto__": must be letters, digits, and "-" or "_" within',
  ],
  [{ kind: 'policy' }, 'policy: kind: Invalid value: "policy": must be "Policy"'],
  [{ apiVersion: 'v1beta1' }, 'policy: apiVersion: Invalid value: "v1beta1": must be "v1"'],
  [
    { extenders: [{ urlPrefix: 'http://x', prioritizeVerb: 'p' }] },
    'extenders[0].weight: Invalid value: 0: must have a positive weight applied to it',
  ],
  [
    { extenders: [{ bindVerb: 'a' }, { bindVerb: 'b' }] },
    'extenders: Invalid value: "found 2 extenders implementing bind": only one extender can implement bind',
  ],
  [
    { predicates: [{ name: 'NodePorts', argument: { labelsPresence: { labels: ['a'], presence: true } } }] },
    /"NodePorts" is the name of a plugin/,
  ],
] as const) {
  test(`a policy is refused: ${JSON.stringify(policy)}`, () => {
    const read = () => readConfiguration(translateLegacy({ policy: policyOf(policy) }))
    assert.throws(read, typeof message === 'string' ? { message } : message)
  })
}

test('property: a policy is read or refused with a message, and never throws', () => {
  const names = fc.constantFrom(...Object.keys(PREDICATES), ...Object.keys(PRIORITIES), 'Mine', '', '__proto__', 'constructor')
  const argument = fc.option(
    fc.oneof(
      fc.record({ labelsPresence: fc.record({ labels: fc.array(fc.string(), { maxLength: 2 }), presence: fc.boolean() }) }),
      fc.record({ serviceAntiAffinity: fc.record({ label: fc.string() }) }),
      fc.jsonValue(),
    ),
    { nil: undefined },
  )
  const policy = fc.record({
    predicates: fc.array(fc.record({ name: names, argument }), { maxLength: 4 }),
    priorities: fc.array(fc.record({ name: names, weight: fc.integer({ min: -1, max: 30_000_000 }), argument }), { maxLength: 4 }),
    alwaysCheckAllPredicates: fc.boolean(),
    extenders: fc.oneof(fc.constant([]), fc.jsonValue()),
  })
  fc.assert(
    fc.property(policy, (given) => {
      try {
        const [made] = profilesOf(translateLegacy({ policy: policyOf(given) }), deps)
        assert.equal(made?.queueSort.length, 1)
      } catch (error) {
        assert.ok(error instanceof ConfigurationError, String(error))
        assert.notEqual(error.message, '')
      }
    }),
    { numRuns: 500 },
  )
})

test('extenders keep what they say, in the names and units of today', () => {
  const extender = {
    urlPrefix: 'https://x',
    filterVerb: 'f',
    enableHttps: true,
    httpTimeout: 250_000_000,
    nodeCacheCapable: true,
    tlsConfig: { Insecure: true },
  }
  const { extenders } = readConfiguration(translateLegacy({ policy: policyOf({ extenders: [extender] }) }))
  const { enableHttps, ...same } = extender
  assert.deepEqual(extenders, [{ ...same, enableHTTPS: enableHttps, httpTimeout: '250ms', tlsConfig: { insecure: true } }])
})

const services: KubeObject[] = [
  { apiVersion: 'v1', kind: 'Service', metadata: { name: 's', namespace: 'default' }, spec: { selector: { app: 'web' } } },
]
const listers = listersOver((resource) => (resource === 'services' ? services : []))

/** Nodes `a:zone=x,rack=1`, and pods of one service on some of them. */
function cluster(nodes: string, placed: string): NodeTable {
  const table = new NodeTable()
  for (const text of nodes.split(' ')) {
    const [name = '', labels = ''] = text.split(':')
    const pairs = Object.fromEntries(
      labels
        .split(',')
        .filter(Boolean)
        .map((l) => l.split('=')),
    )
    const allocatable = { cpu: '4', memory: '8Gi', pods: '110' }
    table.setNode({ apiVersion: 'v1', kind: 'Node', metadata: { name, labels: pairs }, status: { allocatable } })
  }
  for (const [i, name] of placed.split(' ').filter(Boolean).entries()) table.addPod(webPod(`w${i}`), name)
  return table
}

const webPod = (name: string, spec: Partial<Pod['spec']> = {}): PodInfo =>
  podInfo({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', uid: name, labels: { app: 'web' } },
    spec: { containers: [{ name: 'c', image: 'app' }], ...spec },
  })

function outcome(policy: object, nodes: string, placed: string, spec: Partial<Pod['spec']> = {}): string {
  const profile = new Profile(profileOf({ policy: policyOf({ predicates: [], priorities: [], ...policy }) }), {
    table: cluster(nodes, placed),
    listers,
  })
  const options = { random: { int: () => 0 }, hasNominations: () => false, nominatedOn: () => [], keepScores: true }
  const decision = decideNow(profile, webPod('new', spec), options)
  return decision.kind === 'placed' ? `${decision.node}${decision.ties > 1 ? ` of ${decision.ties}` : ''}` : decision.message
}

const predicate = (argument: object) => ({ predicates: [{ name: 'P', argument }] })
const priority = (argument: object) => ({ priorities: [{ name: 'P', weight: 1, argument }] })
const known = (name: string) => ({ priorities: [{ name, weight: 1 }] })
for (const [what, policy, nodes, placed, expected] of [
  ['labelsPresence wants a label', predicate({ labelsPresence: { labels: ['zone'], presence: true } }), 'a b:zone=x', '', 'b'],
  [
    'labelsPresence wants it absent',
    predicate({ labelsPresence: { labels: ['zone', 'old'], presence: false } }),
    'a:old=1 b:zone=x c',
    '',
    'c',
  ],
  [
    'labelsPresence turns all nodes down',
    predicate({ labelsPresence: { labels: ['zone'], presence: true } }),
    'a b',
    '',
    /^0\/2 nodes are available: 2 node\(s\) didn't have the requested labels/,
  ],
  ['labelPreference', priority({ labelPreference: { label: 'fast', presence: true } }), 'a b:fast= c', '', 'b'],
  ['labelPreference for its absence', priority({ labelPreference: { label: 'slow', presence: false } }), 'a:slow= b c:slow=', '', 'b'],
  [
    'serviceAffinity: the first pod of a service goes anywhere',
    predicate({ serviceAffinity: { labels: ['zone'] } }),
    'a:zone=x b:zone=y',
    '',
    'a of 2',
  ],
  [
    'serviceAffinity: the others follow it',
    predicate({ serviceAffinity: { labels: ['zone'] } }),
    'a:zone=x b:zone=y c:zone=y',
    'c',
    'b of 2',
  ],
  [
    'serviceAntiAffinity spreads over values',
    priority({ serviceAntiAffinity: { label: 'rack' } }),
    'a:rack=1 b:rack=1 c:rack=2 d',
    'a a c',
    'c',
  ],
  ['serviceAntiAffinity: nodes without the label come last', priority({ serviceAntiAffinity: { label: 'rack' } }), 'a b:rack=1', '', 'b'],
  ['ServiceSpreadingPriority', known('ServiceSpreadingPriority'), 'a b c', 'a b b', 'c'],
  [
    'SelectorSpreadPriority looks at zones first',
    known('SelectorSpreadPriority'),
    'a:topology.kubernetes.io/zone=x b:topology.kubernetes.io/zone=x c:topology.kubernetes.io/zone=y',
    'a a a c',
    'c',
  ],
  ['EqualPriority', known('EqualPriority'), 'a b', 'a', 'a of 2'],
  ['MostRequestedPriority packs', known('MostRequestedPriority'), 'a b', 'b', 'b'],
  ['LeastRequestedPriority spreads', known('LeastRequestedPriority'), 'a b', 'a', 'b'],
] as const) {
  test(`${what}`, () => {
    const said = outcome(policy, nodes, placed)
    if (typeof expected === 'string') assert.equal(said, expected)
    else assert.match(said, expected)
  })
}

test('with alwaysCheckAllPredicates every reason is reported, without it the first', () => {
  const predicates = ['MatchNodeSelector', 'PodFitsResources'].map((name) => ({ name }))
  const wants = { nodeSelector: { disk: 'ssd' }, containers: [{ name: 'c', image: 'app', resources: { requests: { cpu: '8' } } }] }
  assert.match(
    outcome({ predicates }, 'a', '', wants),
    /^0\/1 nodes are available: 1 node\(s\) didn't match Pod's node affinity\/selector\. /,
  )
  const all = outcome({ predicates, alwaysCheckAllPredicates: true }, 'a', '', wants)
  assert.match(all, /^0\/1 nodes are available: 1 Insufficient cpu, 1 node\(s\) didn't match Pod's node affinity\/selector\. /)
})

test('what a module registered by an argument is a plugin of its own, its functions are one together, and its providers choose among all', () => {
  const module = {
    name: 'mine',
    file: '/x/mine.ts',
    predicates: { Zoned: { name: 'Zoned', argument: { labelsPresence: { labels: ['zone'], presence: true } } }, Fn: null },
    priorities: { Quiet: 5 },
    providers: { P: { predicates: ['PodFitsResources', 'Zoned', 'Fn'], priorities: ['Quiet', 'TaintTolerationPriority'] } },
    algorithms: ['A'],
  }
  const [profile] = readConfiguration(translateLegacy({ algorithmProvider: 'P', module })).profiles
  const at = (point: 'filter' | 'score') => (profile?.plugins[point].enabled ?? []).map((p) => `${p.name}=${p.weight}`)
  assert.deepEqual(at('filter'), ['NodeUnschedulable=0', 'TaintToleration=0', 'NodeResourcesFit=0', 'Zoned=0', 'mine=0'])
  assert.deepEqual(at('score'), ['TaintToleration=3', 'mine=1'])
  const args = (name: string) => profile?.pluginConfig.find((c) => c.name === name)?.args
  assert.deepEqual(args('Zoned'), { labelsPresence: { labels: ['zone'], presence: true } })
  const functions = { predicates: ['Fn'], priorities: [{ name: 'Quiet', weight: 5 }], hardPodAffinitySymmetricWeight: 1 }
  assert.deepEqual(args('mine'), { module: '/x/mine.ts', registered: functions })
  const [whole] = readConfiguration(translateLegacy({ algorithmProvider: 'A', module })).profiles
  assert.deepEqual(whole?.pluginConfig.find((c) => c.name === 'mine')?.args, { module: '/x/mine.ts', registered: { algorithm: 'A' } })
  assert.throws(() => translateLegacy({ algorithmProvider: 'B', module }), /there are DefaultProvider, ClusterAutoscalerProvider, P, A$/)
})
