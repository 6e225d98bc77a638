import assert from 'node:assert/strict'
import { test } from 'node:test'
import { selfSubjectRulesReview } from './rules-review.ts'

const review = selfSubjectRulesReview(() => ({
  resourceRules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }],
  nonResourceRules: [],
  incomplete: false,
  errors: [],
}))

test('the answer has the rules, and nothing of the metadata and namespace that were sent', async () => {
  const input = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectRulesReview',
    metadata: { name: 'a', labels: { a: 'b' } },
    spec: { namespace: 'ns' },
  }
  const call = [{ input, user: { name: 'alice', groups: [] } }] as unknown as Parameters<typeof review>
  assert.deepEqual(await review(...call), {
    apiVersion: input.apiVersion,
    kind: input.kind,
    metadata: {},
    spec: {},
    status: { resourceRules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }], nonResourceRules: [], incomplete: false },
  })
})
