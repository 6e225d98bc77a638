import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asKubeObject, isObject } from '../../machinery/object.ts'
import { decodeYaml } from '../../machinery/yaml/yaml.ts'
import { inScope, matchesScope, scopesOf } from './scopes.ts'

const objectOf = (kind: string, text: string) => {
  const { value } = decodeYaml(text)
  return asKubeObject({ apiVersion: 'v1', kind, metadata: { name: 'a' }, ...(isObject(value) ? value : {}) })
}

const limited = (resources: string) => `{spec: {containers: [{name: c}, {name: d, resources: ${resources}}]}}`
const affine = (kind: string, terms: string) => `{spec: {affinity: {${kind}: ${terms}}}}`
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution'
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution'

/** A scope, the pods that are in it, and those that are not. */
const OF_PODS: readonly (readonly [scope: string, inside: readonly string[], outside: readonly string[]])[] = [
  ['Terminating', ['{spec: {activeDeadlineSeconds: 5}}', '{spec: {activeDeadlineSeconds: 0}}'], ['{}', '{spec: {}}']],
  ['NotTerminating', ['{}', '{spec: {}}'], ['{spec: {activeDeadlineSeconds: 5}}']],
  [
    'BestEffort',
    ['{}', limited('{}'), limited('{requests: {a.b/gpu: 1}}'), limited('{limits: {ephemeral-storage: 1}}')],
    [
      limited('{requests: {cpu: 1}}'),
      limited('{limits: {memory: 1}}'),
      '{spec: {initContainers: [{name: c, resources: {limits: {cpu: 1}}}]}}',
      '{spec: {resources: {requests: {memory: 1}}}}',
    ],
  ],
  ['NotBestEffort', [limited('{requests: {memory: 1}}')], ['{}', limited('{requests: {a.b/gpu: 1}}')]],
  [
    'CrossNamespacePodAffinity',
    [
      affine('podAffinity', `{${REQUIRED}: [{namespaces: [x]}]}`),
      affine('podAffinity', `{${REQUIRED}: [{topologyKey: a}, {namespaceSelector: {}}]}`),
      affine('podAntiAffinity', `{${REQUIRED}: [{namespaces: [x]}]}`),
      affine('podAntiAffinity', `{${PREFERRED}: [{weight: 1, podAffinityTerm: {namespaces: [x]}}]}`),
    ],
    [
      '{}',
      affine('podAffinity', `{${REQUIRED}: [{namespaces: []}]}`),
      affine('podAntiAffinity', `{${PREFERRED}: [{weight: 1, podAffinityTerm: {topologyKey: a}}]}`),
      affine('nodeAffinity', `{${REQUIRED}: {nodeSelectorTerms: []}}`),
    ],
  ],
  ['VolumeAttributesClass', [], ['{}']],
  ['Other', [], ['{}', '{spec: {activeDeadlineSeconds: 5}}']],
]
for (const [scopeName, inside, outside] of OF_PODS)
  for (const pod of [...inside, ...outside])
    test(`a pod ${pod} is ${inside.includes(pod) ? 'in' : 'out of'} the scope ${scopeName}`, () =>
      assert.equal(matchesScope({ scopeName, operator: 'Exists' }, 'pods', objectOf('Pod', pod)), inside.includes(pod)))

/** An operator with its values, and whether it matches a pod of the class `high`, of another one, and of none. */
const OPERATORS: readonly (readonly [
  operator: string,
  values: readonly string[] | undefined,
  high: boolean,
  low: boolean,
  none: boolean,
])[] = [
  ['In', ['high', 'top'], true, false, false],
  ['In', undefined, false, false, false],
  ['In', [''], false, false, false],
  ['NotIn', ['high', 'top'], false, true, true],
  ['NotIn', undefined, true, true, true],
  ['NotIn', [''], true, true, true],
  ['Exists', undefined, true, true, false],
  ['DoesNotExist', undefined, false, false, true],
  ['Like', ['high'], false, false, false],
]
for (const [operator, values, ...expected] of OPERATORS) {
  const scope = { operator, ...(values && { values }) }
  test(`priority class ${operator} ${values}`, () => {
    const pods = ['{spec: {priorityClassName: high}}', '{spec: {priorityClassName: low}}', '{}'].map((pod) => objectOf('Pod', pod))
    assert.deepEqual(
      pods.map((pod) => matchesScope({ scopeName: 'PriorityClass', ...scope }, 'pods', pod)),
      expected,
    )
  })
  test(`attributes class ${operator} ${values}`, () => {
    const claims = ['{spec: {volumeAttributesClassName: high}}', '{spec: {volumeAttributesClassName: low}}', '{}']
    const matches = (claim: string) =>
      matchesScope({ scopeName: 'VolumeAttributesClass', ...scope }, 'persistentvolumeclaims', objectOf('PersistentVolumeClaim', claim))
    assert.deepEqual(claims.map(matches), expected)
  })
}

test('a claim is of the classes that it wants, has, and is changed to', () => {
  const high = { scopeName: 'VolumeAttributesClass', operator: 'In', values: ['high'] }
  const matches = (claim: string) => matchesScope(high, 'persistentvolumeclaims', objectOf('PersistentVolumeClaim', claim))
  assert.ok(matches('{spec: {volumeAttributesClassName: low}, status: {currentVolumeAttributesClassName: high}}'))
  assert.ok(matches('{spec: {volumeAttributesClassName: low}, status: {modifyVolumeStatus: {targetVolumeAttributesClassName: high}}}'))
  assert.ok(!matches('{spec: {volumeAttributesClassName: low}, status: {currentVolumeAttributesClassName: lower}}'))
  assert.ok(!matchesScope({ ...high, scopeName: 'PriorityClass' }, 'persistentvolumeclaims', objectOf('PersistentVolumeClaim', '{}')))
})

type Quota = Parameters<typeof scopesOf>[0]
const quota = (spec: Quota['spec']): Quota => ({ apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'q' }, ...(spec && { spec }) })
test('scopes are written in two ways', () =>
  assert.deepEqual(
    scopesOf(
      quota({
        scopes: ['BestEffort'],
        scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['a'] }] },
      }),
    ),
    [
      { scopeName: 'BestEffort', operator: 'Exists' },
      { scopeName: 'PriorityClass', operator: 'In', values: ['a'] },
    ],
  ))

/** A quota, an object, and whether the quota counts it. */
const COUNTED: readonly (readonly [
  scopes: readonly string[],
  group: string,
  resource: string,
  object: [kind: string, text: string],
  counted: boolean,
])[] = [
  [[], '', 'secrets', ['Secret', '{}'], true],
  [[], 'apps', 'deployments', ['Deployment', '{}'], true],
  [['BestEffort'], '', 'pods', ['Pod', '{}'], true],
  [['BestEffort', 'Terminating'], '', 'pods', ['Pod', '{}'], false],
  [['BestEffort'], '', 'secrets', ['Secret', '{}'], false],
  [['BestEffort'], 'metrics.k8s.io', 'pods', ['Pod', '{}'], false],
]
for (const [scopes, group, resource, [kind, text], counted] of COUNTED)
  test(`a quota of [${scopes}] ${counted ? 'counts' : 'does not count'} ${kind} ${text} of "${group}"`, () =>
    assert.equal(inScope(quota({ scopes }), group, resource, objectOf(kind, text)), counted))
