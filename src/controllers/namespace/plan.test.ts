import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Namespace } from '../../resources/types/core.ts'
import { sketch } from '../frame/sketch.double.ts'
import { type NamespaceContent, namespaceConditions, planNamespace, retryInMs } from './plan.ts'

const NOW = Date.parse('2026-01-01T01:00:00Z')
const EMPTY: NamespaceContent = {
  podsRemain: false,
  remaining: new Map(),
  finalizers: new Map(),
  undiscovered: new Map(),
  errors: [],
  stuck: [],
}
const namespace = (conditions: object[] = []): Namespace =>
  sketch({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'n' },
    status: { conditions },
  })

/** `Type=Status Reason: message`, those of good news left out. */
function trouble(content: Partial<NamespaceContent>): string[] {
  return namespaceConditions(namespace(), { ...EMPTY, ...content }, NOW)
    .filter((c) => c.status === 'True')
    .map((c) => `${c.type} ${c.reason}: ${c.message}`)
}

test('an empty namespace has five conditions that report it', () => {
  assert.deepEqual(
    namespaceConditions(namespace(), EMPTY, NOW).map(({ type, status, reason }) => `${type}=${status} ${reason}`),
    [
      'NamespaceDeletionDiscoveryFailure=False ResourcesDiscovered',
      'NamespaceDeletionGroupVersionParsingFailure=False ParsedGroupVersions',
      'NamespaceDeletionContentFailure=False ContentDeleted',
      'NamespaceContentRemaining=False ContentRemoved',
      'NamespaceFinalizersRemaining=False ContentHasNoFinalizers',
    ],
  )
})

test('what remains in a namespace is listed in the order of names', () => {
  const left = {
    remaining: new Map([
      ['pods.', 2],
      ['deployments.apps', 1],
    ]),
    finalizers: new Map([
      ['b/x', 1],
      ['a/x', 2],
    ]),
  }
  const stale = 'stale GroupVersion discovery: metrics.k8s.io/v1beta1'
  for (const [content, expected] of [
    [
      left,
      [
        'NamespaceContentRemaining SomeResourcesRemain: Some resources are remaining: deployments.apps has 1 resource instances, pods. has 2 resource instances',
        'NamespaceFinalizersRemaining SomeFinalizersRemain: Some content in the namespace has finalizers remaining: a/x in 2 resource instances, b/x in 1 resource instances',
      ],
    ],
    // Nobody has counted the rest.
    [{ ...left, podsRemain: true }, []],
    [
      { errors: ['one', 'two'] },
      ['NamespaceDeletionContentFailure ContentDeletionFailed: Failed to delete all resource types, 2 remaining: one, two'],
    ],
    [
      { undiscovered: new Map([['metrics.k8s.io/v1beta1', stale]]) },
      [
        `NamespaceDeletionDiscoveryFailure DiscoveryFailed: Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: metrics.k8s.io/v1beta1: ${stale}`,
      ],
    ],
  ] as const)
    assert.deepEqual(trouble(content), expected)
})

test('a condition keeps the time of its last change, and those of others stay', () => {
  const before = { type: 'NamespaceContentRemaining', status: 'False', lastTransitionTime: 'then', reason: 'x', message: 'y' }
  const foreign = { type: 'Example', status: 'True', lastTransitionTime: 'then', reason: 'Mine', message: '' }
  const conditions = namespaceConditions(namespace([before, foreign]), EMPTY, NOW)
  const times = Object.fromEntries(conditions.map((c) => [c.type, c.lastTransitionTime]))
  assert.equal(times.NamespaceContentRemaining, 'then')
  assert.equal(times.NamespaceFinalizersRemaining, '2026-01-01T01:00:00Z')
  assert.equal(conditions.at(-1), foreign)
})

test('what is to be done next', () => {
  for (const [content, kind] of [
    [{}, 'finalize'],
    [{ podsRemain: true }, 'wait'],
    [{ remaining: new Map([['configmaps.', 1]]) }, 'wait'],
    [{ errors: ['no'] }, 'retry'],
    [{ stuck: ['pods are left'], podsRemain: true }, 'wait'],
    [{ undiscovered: new Map([['a/v1', 'away']]) }, 'retry'],
  ] as const)
    assert.equal(planNamespace({ ...EMPTY, ...content }).kind, kind)
  assert.deepEqual([0, 1, 5, 99].map(retryInMs), [250, 500, 8000, 8000])
})
