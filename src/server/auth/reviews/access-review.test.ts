import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EffectRequest, Review, ServerTools } from '../../../apiserver/extension-points.ts'
import type { Attributes, Decision } from '../../../apiserver/identity/authorizer.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { isStatus } from '../../../machinery/status-error.ts'
import { localSubjectAccessReview, selfSubjectAccessReview, subjectAccessReview } from './access-review.ts'

/** Runs a review with that spec in namespace `a`; returns the authorizer's input, and the status or the faults. */
async function ask(review: Review, spec: object, { decision = ALLOW, metadata = {} }: { decision?: Decision; metadata?: object } = {}) {
  const input = { apiVersion: 'authorization.k8s.io/v1', kind: 'X', metadata, spec } as KubeObject
  const requested: Attributes[] = []
  const authorizer = {
    authorize: (attributes: Attributes) => {
      requested.push(attributes)
      return decision
    },
  }
  const request = { input, namespace: 'a', user: { name: 'me', groups: ['us'] } } as unknown as EffectRequest
  try {
    const { status } = await review(request, { authorizer } as unknown as ServerTools)
    return { requested: requested[0], status, faults: [] }
  } catch (error) {
    if (!isStatus(error)) throw error
    const faults = (error.status.details?.causes ?? []).map((c) => `${c.field}: ${c.message}`)
    return { requested: requested[0], status: undefined, faults }
  }
}

const ALLOW: Decision = { verdict: 'allow', reason: '' }
const RESOURCE = { resourceAttributes: { verb: 'get', resource: 'pods' } }

const answers: readonly (readonly [decision: Decision, status: object])[] = [
  [ALLOW, { allowed: true }],
  [
    { verdict: 'allow', reason: 'by role' },
    { allowed: true, reason: 'by role' },
  ],
  [{ verdict: 'no-opinion', reason: '' }, { allowed: false }],
  [
    { verdict: 'deny', reason: 'never' },
    { allowed: false, denied: true, reason: 'never' },
  ],
  [
    { verdict: 'no-opinion', reason: '', error: 'role not found' },
    { allowed: false, evaluationError: 'role not found' },
  ],
]
for (const [decision, status] of answers)
  test(`${JSON.stringify(decision)} is answered ${JSON.stringify(status)}`, async () => {
    assert.deepEqual((await ask(selfSubjectAccessReview, RESOURCE, { decision })).status, status)
  })

const SUBJECT = 'spec.user: Invalid value: "": at least one of user or group must be specified'
const NEITHER = 'spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified'
const refused: readonly (readonly [rule: string, review: Review, spec: object, faults: readonly string[]])[] = [
  ['a subject is asked about', subjectAccessReview, RESOURCE, [SUBJECT]],
  ['empty groups are none', subjectAccessReview, { ...RESOURCE, user: '', groups: [] }, [SUBJECT]],
  ['something is asked', subjectAccessReview, { user: 'ann' }, [NEITHER]],
  ['so is of oneself', selfSubjectAccessReview, {}, [NEITHER]],
  ['both faults are named', subjectAccessReview, {}, [NEITHER, SUBJECT]],
  [
    'one thing is asked at once',
    selfSubjectAccessReview,
    { ...RESOURCE, nonResourceAttributes: { path: '/', verb: 'get' } },
    ['spec.nonResourceAttributes: Invalid value: {"Path":"/","Verb":"get"}: cannot be specified in combination with resourceAttributes'],
  ],
  [
    'selectors are looked at in any case',
    selfSubjectAccessReview,
    { resourceAttributes: { labelSelector: {} }, nonResourceAttributes: {} },
    [
      'spec.nonResourceAttributes: Invalid value: {"Path":"","Verb":""}: cannot be specified in combination with resourceAttributes',
      'spec.resourceAttributes.labelSelector.requirements: Required value: when spec.resourceAttributes.labelSelector is specified, requirements or rawSelector is required',
    ],
  ],
  [
    'a local review asks about its own namespace',
    localSubjectAccessReview,
    { user: 'ann', resourceAttributes: { namespace: 'b' } },
    ['spec.resourceAttributes.namespace: Invalid value: "b": must match metadata.namespace'],
  ],
  [
    'and not about all namespaces',
    localSubjectAccessReview,
    { user: 'ann', resourceAttributes: {} },
    ['spec.resourceAttributes.namespace: Invalid value: "": must match metadata.namespace'],
  ],
  [
    'nor about a path',
    localSubjectAccessReview,
    { user: 'ann', nonResourceAttributes: { path: '/x', verb: 'get' } },
    ['spec.nonResourceAttributes: Invalid value: {"Path":"/x","Verb":"get"}: disallowed on this kind of request'],
  ],
  [
    'a selector is a text or a list',
    selfSubjectAccessReview,
    { resourceAttributes: { fieldSelector: { rawSelector: 'a=b', requirements: [{ key: 'a', operator: 'In', values: ['b'] }] } } },
    ['spec.resourceAttributes.fieldSelector.rawSelector: Invalid value: "a=b": may not specified at the same time as requirements'],
  ],
  [
    'and one of them',
    selfSubjectAccessReview,
    { resourceAttributes: { labelSelector: {} } },
    [
      'spec.resourceAttributes.labelSelector.requirements: Required value: when spec.resourceAttributes.labelSelector is specified, requirements or rawSelector is required',
    ],
  ],
  [
    'a requirement on a field names it',
    selfSubjectAccessReview,
    { resourceAttributes: { fieldSelector: { requirements: [{ operator: 'In', values: ['b'] }] } } },
    ['spec.resourceAttributes.fieldSelector.requirements[0].key: Required value: must be specified'],
  ],
]
for (const [rule, review, spec, faults] of refused)
  test(rule, async () => {
    const seen = await ask(review, spec)
    assert.deepEqual([seen.faults, seen.requested], [faults, undefined])
  })

const metadata: readonly (readonly [review: Review, metadata: object, refused: boolean])[] = [
  [subjectAccessReview, {}, false],
  [subjectAccessReview, { name: 'x' }, true],
  [subjectAccessReview, { namespace: 'a' }, true],
  [selfSubjectAccessReview, { labels: { a: 'b' } }, true],
  [selfSubjectAccessReview, { managedFields: [] }, false],
  [localSubjectAccessReview, { namespace: 'a' }, false],
  [localSubjectAccessReview, { namespace: 'a', name: 'x' }, true],
]
for (const [review, given, isRefused] of metadata)
  test(`metadata ${JSON.stringify(given)} of a review is ${isRefused ? 'refused' : 'taken'}`, async () => {
    const spec = { user: 'ann', resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'a' } }
    const { faults } = await ask(review, spec, { metadata: given })
    assert.equal(
      faults.some((f) => /^metadata: .* must be empty/.test(f)),
      isRefused,
    )
  })

test('the authorizer gets the attributes and the subject of the review', async () => {
  const resourceAttributes = { verb: 'get', group: 'apps', version: 'v1', resource: 'x', subresource: 's', namespace: 'n', name: 'y' }
  const spec = { user: 'ann', groups: ['devs'], uid: '7', extra: { team: ['a'] }, resourceAttributes }
  assert.deepEqual((await ask(subjectAccessReview, spec)).requested, {
    user: { name: 'ann', groups: ['devs'], uid: '7', extra: { team: ['a'] } },
    resourceRequest: true,
    path: '',
    ...resourceAttributes,
  })
})

test('a self review is about its sender, and any version', async () => {
  const { requested } = await ask(selfSubjectAccessReview, { ...RESOURCE, user: 'ann' })
  assert.deepEqual([requested?.user, requested?.version], [{ name: 'me', groups: ['us'] }, '*'])
})

test('a path is reviewed without a resource', async () => {
  const { requested } = await ask(selfSubjectAccessReview, { nonResourceAttributes: { path: '/healthz', verb: 'get' } })
  assert.deepEqual([requested?.resourceRequest, requested?.path, requested?.verb, requested?.resource], [false, '/healthz', 'get', ''])
})

const selectors: readonly (readonly [attributes: object, fields: string | undefined, labels: string | undefined, error?: string])[] = [
  [{ fieldSelector: { rawSelector: 'spec.nodeName=n' } }, 'spec.nodeName=n', undefined],
  [{ labelSelector: { rawSelector: 'a in (b,c)' } }, undefined, 'a in (b,c)'],
  [{ labelSelector: { requirements: [{ key: 'a', operator: 'Exists' }] } }, undefined, 'a'],
  [{ labelSelector: { rawSelector: 'a in b' } }, undefined, undefined, 'spec.resourceAttributes.labelSelector ignored due to parse error'],
  [{ fieldSelector: { rawSelector: 'a' } }, undefined, undefined, 'spec.resourceAttributes.fieldSelector ignored due to parse error'],
  [
    {
      labelSelector: {
        requirements: [
          { key: 'a', operator: 'Exists' },
          { key: 'b', operator: 'Later' },
        ],
      },
    },
    undefined,
    'a',
    'spec.resourceAttributes.labelSelector partially ignored due to parse error',
  ],
]
for (const [attributes, fields, labels, error] of selectors)
  test(`${JSON.stringify(attributes)} is asked with what can be read of it`, async () => {
    const { requested, status } = await ask(selfSubjectAccessReview, {
      resourceAttributes: { verb: 'list', resource: 'pods', ...attributes },
    })
    assert.deepEqual([requested?.fieldSelector, requested?.labelSelector], [fields, labels])
    assert.deepEqual(status, { allowed: true, ...(error && { evaluationError: error }) })
  })
