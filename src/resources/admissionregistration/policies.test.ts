import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultsInSteps } from '../../machinery/validation/faults-of-each.ts'
import { type Policy, validateMutatingPolicy, validateValidatingPolicy } from './policies.ts'

const policy = (spec: object): Policy => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name: 'a' },
  spec: {
    failurePolicy: 'Fail',
    matchConstraints: {
      matchPolicy: 'Equivalent',
      namespaceSelector: {},
      objectSelector: {},
      resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'], scope: '*' }],
    },
    ...spec,
  },
})
const times = <T>(n: number, f: (i: number) => T) => Array.from({ length: n }, (_, i) => f(i))

for (const [what, spec] of [
  ['variables', { validations: [{ expression: 'true' }], variables: times(2000, (i) => ({ name: `v${i}`, expression: `${i} + 1 > 0` })) }],
  ['validations', { validations: times(200, (i) => ({ expression: `object.metadata.name != '${'a'.repeat(100)}${i}'` })) }],
  [
    'conditions',
    {
      validations: [{ expression: 'true' }],
      matchConditions: times(60, (i) => ({ name: `c${i}`, expression: `'${'a'.repeat(400)}' != ''` })),
    },
  ],
] as const)
  test(`many ${what} are compiled in steps`, () => {
    const steps = faultsInSteps(() => validateValidatingPolicy(policy(spec)))
    let count = 0
    let step = steps.next()
    for (; step.done !== true; step = steps.next()) count++
    assert.ok(count >= 3, `${count} steps`)
    assert.deepEqual(step.value, [])
  })

test('a variable is of its type for what follows, and unknown to what comes before', () => {
  const variables = [
    { name: 'early', expression: 'variables.late' },
    { name: 'late', expression: '1' },
  ]
  const found = validateMutatingPolicy(
    policy({
      reinvocationPolicy: 'Never',
      variables,
      mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: 'variables.late' } }],
    }),
  )
  assert.deepEqual(
    found.map(({ field, message }) => [field, /undefined field 'late'|but got int/.exec(message)?.[0]]),
    [
      ['spec.variables[0].expression', "undefined field 'late'"],
      ['spec.mutations[0].jsonPatch.expression', 'but got int'],
    ],
  )
})
