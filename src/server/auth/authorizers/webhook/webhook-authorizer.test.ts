import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Attributes, type Decision, resourceAttributes } from '../../../../apiserver/identity/authorizer.ts'
import { VirtualClock } from '../../../../base/clock.ts'
import type { WebhookOutcome } from '../../../webhook-callers/call-with-retries.ts'
import { WebhookCallError } from '../../../webhook-callers/webhook-caller.ts'
import { review, reviewSpec } from './access-review.ts'
import { compileCondition, type MatchCondition } from './match-conditions.ts'
import { type WebhookAuthorizerConfig, webhookAuthorizer } from './webhook-authorizer.ts'

const eve = { name: 'eve', groups: ['devs'], extra: { k: ['v'] }, uid: 'u' }
const listPods = resourceAttributes({ user: eve, verb: 'list', resource: 'pods', version: 'v1' })

const answered = (status: object | string, version = 'v1'): WebhookOutcome => ({
  kind: 'answered',
  status: 200,
  contentType: 'application/json',
  text:
    typeof status === 'string'
      ? status
      : JSON.stringify({ apiVersion: `authorization.k8s.io/${version}`, kind: 'SubjectAccessReview', status }),
})

function asking(outcome: WebhookOutcome, given: Partial<WebhookAuthorizerConfig> = {}) {
  const clock = new VirtualClock()
  const bodies: string[] = []
  const config: WebhookAuthorizerConfig = {
    version: 'v1',
    authorizedTtlMs: 300_000,
    unauthorizedTtlMs: 30_000,
    timeoutMs: 30_000,
    onFailure: 'no-opinion',
    conditions: [],
    ...given,
  }
  const authorizer = webhookAuthorizer(config, {
    clock,
    async ask(body) {
      bodies.push(body)
      return outcome
    },
  })
  return { clock, bodies, ask: async (a: Attributes = listPods): Promise<Decision> => await authorizer.authorize(a) }
}

const answers: readonly (readonly [rule: string, outcome: WebhookOutcome, decision: Decision])[] = [
  ['yes', answered({ allowed: true, reason: 'r' }), { verdict: 'allow', reason: 'r' }],
  ['no opinion', answered({ allowed: false }), { verdict: 'no-opinion', reason: '' }],
  ['no', answered({ denied: true, reason: 'r' }), { verdict: 'deny', reason: 'r' }],
  [
    'yes and no',
    answered({ allowed: true, denied: true }),
    { verdict: 'deny', reason: '', error: 'webhook subject access review returned both allow and deny response' },
  ],
  ['an error of its own', answered({ evaluationError: 'x' }), { verdict: 'no-opinion', reason: '' }],
  ['without a kind', answered('{"status":{"allowed":true}}'), { verdict: 'allow', reason: '' }],
  ['without a status', answered('{}'), { verdict: 'no-opinion', reason: '' }],
  [
    'in another version',
    answered({ allowed: true }, 'v1beta1'),
    {
      verdict: 'no-opinion',
      reason: '',
      error: 'converting (v1beta1.SubjectAccessReview) to (v1.SubjectAccessReview): unknown conversion',
    },
  ],
  [
    'another kind',
    answered('{"apiVersion":"v1","kind":"Pod"}'),
    { verdict: 'no-opinion', reason: '', error: 'converting (v1.Pod) to (v1.SubjectAccessReview): unknown conversion' },
  ],
  [
    'nothing',
    answered(''),
    { verdict: 'no-opinion', reason: '', error: '0-length response with status code: 200 and content type: application/json' },
  ],
  [
    'a refusal',
    { kind: 'refused', status: 404, refusal: { message: 'not here', reason: 'NotFound' } },
    { verdict: 'no-opinion', reason: '', error: 'not here' },
  ],
  [
    'silence',
    { kind: 'failed', error: new WebhookCallError('deadline', 'Post: late') },
    { verdict: 'no-opinion', reason: '', error: 'Post: late' },
  ],
]

for (const [rule, outcome, decision] of answers) {
  test(`a webhook that responds ${rule}`, async () => assert.deepEqual(await asking(outcome).ask(), decision))
}

test('with the failure policy Deny a failure is a denial', async () => {
  const outcome: WebhookOutcome = { kind: 'failed', error: new WebhookCallError('reset', 'EOF') }
  assert.deepEqual(await asking(outcome, { onFailure: 'deny' }).ask(), { verdict: 'deny', reason: '', error: 'EOF' })
})

for (const [status, ttlMs] of [
  [{ allowed: true }, 300_000],
  [{ allowed: false }, 30_000],
] as const)
  test(`an allowing response is cached for its time to live, a denial for its own: ${JSON.stringify(status)}`, async () => {
    const { ask, bodies, clock } = asking(answered(status))
    for (let i = 0; i < 10; i++) await ask()
    await clock.advance(ttlMs - 1)
    await ask()
    assert.equal(bodies.length, 1)
    await clock.advance(1)
    await ask()
    assert.equal(bodies.length, 2)
  })

test('concurrent equal requests share the response', async () => {
  const { ask, bodies } = asking(answered({ allowed: true }))
  await Promise.all([ask(), ask(), ask()])
  assert.equal(bodies.length, 1)
})

test('failures, long requests and those without a time to live are not cached', async () => {
  const failing = asking({ kind: 'failed', error: new WebhookCallError('failed', 'x') })
  const long = asking(answered({ allowed: true }))
  const off = asking(answered({ allowed: true }), { authorizedTtlMs: 0, unauthorizedTtlMs: 0 })
  for (let i = 0; i < 3; i++) {
    await failing.ask()
    await long.ask({ ...listPods, name: 'x'.repeat(10_000) })
    await off.ask()
  }
  assert.deepEqual([failing.bodies.length, long.bodies.length, off.bodies.length], [3, 3, 3])
})

test('another user, verb or selector is another question', async () => {
  const { ask, bodies } = asking(answered({ allowed: true }))
  await ask()
  await ask({ ...listPods, user: { ...eve, uid: 'w' } })
  await ask({ ...listPods, verb: 'watch' })
  await ask({ ...listPods, labelSelector: 'a=b' })
  assert.equal(bodies.length, 4)
})

const specs: readonly (readonly [rule: string, attributes: Attributes, spec: object])[] = [
  ['of a path', { ...listPods, resourceRequest: false, path: '/x', verb: 'get' }, { nonResourceAttributes: { path: '/x', verb: 'get' } }],
  [
    'of an object',
    { ...listPods, verb: 'get', group: 'g', namespace: 'n', name: 'o', subresource: 's' },
    { resourceAttributes: { namespace: 'n', verb: 'get', group: 'g', version: 'v1', resource: 'pods', subresource: 's', name: 'o' } },
  ],
  [
    'with selectors',
    { ...listPods, fieldSelector: 'b!=y,a=x', labelSelector: 'n>3,a in (c,b),!z,e' },
    {
      resourceAttributes: {
        verb: 'list',
        version: 'v1',
        resource: 'pods',
        fieldSelector: {
          requirements: [
            { key: 'a', operator: 'In', values: ['x'] },
            { key: 'b', operator: 'NotIn', values: ['y'] },
          ],
        },
        labelSelector: {
          requirements: [
            { key: 'a', operator: 'In', values: ['b', 'c'] },
            { key: 'e', operator: 'Exists' },
            { key: 'z', operator: 'DoesNotExist' },
          ],
        },
      },
    },
  ],
  [
    'with broken selectors, which narrow nothing',
    { ...listPods, fieldSelector: 'a', labelSelector: 'a b c' },
    { resourceAttributes: { verb: 'list', version: 'v1', resource: 'pods' } },
  ],
]

for (const [rule, attributes, spec] of specs) {
  test(`the review ${rule}`, () =>
    assert.deepEqual(reviewSpec(attributes), { ...spec, user: 'eve', groups: ['devs'], extra: { k: ['v'] }, uid: 'u' }))
}

test('v1beta1 calls the groups group', () => {
  const { spec } = review(reviewSpec(listPods), 'v1beta1')
  assert.deepEqual(Object.keys(spec ?? {}), ['resourceAttributes', 'user', 'extra', 'uid', 'group'])
})

const condition = (expression: string): MatchCondition => {
  const compiled = compileCondition(expression)
  if ('fault' in compiled) throw new Error(compiled.fault)
  return compiled
}

const conditions: readonly (readonly [expressions: readonly string[], asked: number, error?: string])[] = [
  [["request.user == 'eve'"], 1],
  [["request.user == 'bob'"], 0],
  [["'devs' in request.groups && request.extra['k'][0] == 'v'"], 1],
  [['!has(request.nonResourceAttributes)'], 1],
  [["request.resourceAttributes.name == ''"], 1],
  [["has(request.resourceAttributes.labelSelector) && request.resourceAttributes.labelSelector.requirements[0].key == 'a'"], 1],
  [["request.nonResourceAttributes.path == '/x'", "request.user == 'bob'"], 0],
  [
    ["request.nonResourceAttributes.path == '/x'"],
    0,
    "cel evaluation error: expression 'request.nonResourceAttributes.path == '/x'' resulted in error: no such key: nonResourceAttributes",
  ],
]

for (const [expressions, requested, error] of conditions) {
  test(`a webhook with the conditions ${expressions.join(' and ')}`, async () => {
    const { ask, bodies } = asking(answered({ allowed: true }), { conditions: expressions.map(condition) })
    const decision = await ask({ ...listPods, labelSelector: 'a=b' })
    assert.equal(bodies.length, requested)
    assert.equal(decision.error, error)
  })
}
