import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DiscoveredResource } from '../../sdk/client/discovery.ts'
import { desiredAfter, inNamespace, sameDesire, stepInNamespaces } from './work-step.ts'

const object = (kind: string, name: string, namespace?: string) => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, ...(namespace !== undefined && { namespace }) },
})
const resource = (kind: string, namespaced: boolean): DiscoveredResource => ({
  group: '',
  version: 'v1',
  resource: `${kind.toLowerCase()}s`,
  kind,
  namespaced,
  verbs: ['list', 'watch'],
  preferred: true,
})
const RESOURCES = [resource('ConfigMap', true), resource('Node', false)]

for (const [name, given, expected] of [
  ['without a namespace it is in `default`', object('ConfigMap', 'a'), 'default'],
  ['the namespace that it names stays', object('ConfigMap', 'a', 'b'), 'b'],
  ['a kind without namespaces has none', object('Node', 'a'), undefined],
  ['a kind that the cluster does not have is left alone', object('Gadget', 'a'), undefined],
] as const)
  test(`namespaces of samples: ${name}`, () => assert.equal(inNamespace(given, RESOURCES).metadata.namespace, expected))

test('a step removes what another one has applied, whether they name the namespace or not', () => {
  const steps = [
    { name: 'create', apply: [object('ConfigMap', 'a')] },
    { name: 'delete', remove: [object('ConfigMap', 'a', 'default')] },
  ].map((step) => stepInNamespaces(step, RESOURCES))
  const [created = new Map(), deleted = new Map()] = desiredAfter(steps)
  assert.deepEqual([...created.keys()], ['ConfigMap default/a'])
  assert.ok(sameDesire(deleted, new Map()))
})
