/**
 * Expressions of policies and webhooks that do not end in time, in every place that has one: they fail by their cost, and nobody else's do.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  CONFIG_MAPS,
  MUTATING_ADMISSION_POLICIES,
  MUTATING_ADMISSION_POLICY_BINDINGS,
  VALIDATING_ADMISSION_POLICIES,
  VALIDATING_ADMISSION_POLICY_BINDINGS,
} from '../../src/resources/refs.ts'
import type { MutatingAdmissionPolicySpec, ValidatingAdmissionPolicySpec } from '../../src/resources/types/admissionregistration.ts'
import { type Client, isStatus } from '../../src/sdk/sdk.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { openAttackedCluster } from './attacked-cluster.ts'

const TEN = '[0,1,2,3,4,5,6,7,8,9]'
/** Ten million comparisons, in an expression of 200 letters. */
const COSTLY = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].reduceRight((inner, name) => `${TEN}.all(${name}, ${inner})`, 'a + g >= 0')

const matchConstraints = {
  resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE' as const], resources: ['configmaps'] }],
}

type Policy = Partial<ValidatingAdmissionPolicySpec>
const places: readonly (readonly [what: string, policy: Policy])[] = [
  ['a validation', { validations: [{ expression: COSTLY }] }],
  ['a variable', { variables: [{ name: 'v', expression: COSTLY }], validations: [{ expression: 'variables.v' }] }],
  ['a match condition', { matchConditions: [{ name: 'm', expression: COSTLY }], validations: [{ expression: 'true' }] }],
  ['an audit annotation', { auditAnnotations: [{ key: 'k', valueExpression: `string(${COSTLY})` }] }],
  ['a hundred validations', { validations: Array.from({ length: 100 }, () => ({ expression: COSTLY })) }],
]

const create = (client: Client, name: string) =>
  client.create({ ...CONFIG_MAPS, namespace: 'default' }, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } })

/** Waits until a create is refused because of the cost of an expression. */
async function refusedByCost(client: Client, prefix: string): Promise<void> {
  let made = 0
  const refused = () =>
    create(client, `${prefix}-${made++}`).then(
      () => false,
      (error: unknown) => isStatus(error) && /cost/.test(error.message),
    )
  await waitFor(refused, { what: 'the refusal by cost' })
}

test('a costly expression fails its policy, and ends', async (t) => {
  await using attacked = await openAttackedCluster({ parts: ['server'] })
  const client = attacked.cluster.client()
  for (const [i, [what, policy]] of places.entries())
    await t.test(what, async () => {
      const name = `p${i}`
      await client.create(VALIDATING_ADMISSION_POLICIES, {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingAdmissionPolicy',
        metadata: { name },
        spec: { matchConstraints, ...policy },
      })
      await client.create(VALIDATING_ADMISSION_POLICY_BINDINGS, {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingAdmissionPolicyBinding',
        metadata: { name },
        spec: { policyName: name, validationActions: ['Deny'] },
      })
      await refusedByCost(client, `m${i}`)
      await client.delete({ ...VALIDATING_ADMISSION_POLICIES, name })
      await waitFor(() => create(client, `m${i}-after`).then(() => true), { what: 'a create without the policy' })
    })
  assert.deepEqual(attacked.errors, [])
})

const apply = (expression: string) => ({ patchType: 'ApplyConfiguration' as const, applyConfiguration: { expression } })
const jsonPatch = (expression: string) => ({ patchType: 'JSONPatch' as const, jsonPatch: { expression } })
const changes: readonly (readonly [what: string, policy: Partial<MutatingAdmissionPolicySpec>])[] = [
  ['a mutation', { mutations: [apply(`Object{data: {"a": string(${COSTLY})}}`)] }],
  ['a JSON patch', { mutations: [jsonPatch(`[JSONPatch{op: "add", path: "/data", value: {"a": string(${COSTLY})}}]`)] }],
  [
    'a variable of a mutation',
    { variables: [{ name: 'v', expression: COSTLY }], mutations: [apply('Object{data: {"a": string(variables.v)}}')] },
  ],
  [
    'a match condition of a mutation',
    { matchConditions: [{ name: 'm', expression: COSTLY }], mutations: [apply('Object{data: {"a": "b"}}')] },
  ],
]

test('a costly expression of a mutating policy refuses the request, and ends', async (t) => {
  await using attacked = await openAttackedCluster({ parts: ['server'] })
  const client = attacked.cluster.client()
  for (const [i, [what, policy]] of changes.entries())
    await t.test(what, async () => {
      const name = `p${i}`
      await client.create(MUTATING_ADMISSION_POLICIES, {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'MutatingAdmissionPolicy',
        metadata: { name },
        spec: { matchConstraints, reinvocationPolicy: 'Never', ...policy },
      })
      await client.create(MUTATING_ADMISSION_POLICY_BINDINGS, {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'MutatingAdmissionPolicyBinding',
        metadata: { name },
        spec: { policyName: name },
      })
      await refusedByCost(client, `m${i}`)
      await client.delete({ ...MUTATING_ADMISSION_POLICIES, name })
      await waitFor(() => create(client, `m${i}-after`).then(() => true), { what: 'a create without the policy' })
    })
  assert.deepEqual(attacked.errors, [])
})
