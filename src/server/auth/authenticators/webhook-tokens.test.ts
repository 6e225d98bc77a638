import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../../base/clock.ts'
import { exposition } from '../../../base/exposition.ts'
import { seededRandom } from '../../../base/random.ts'
import { readWebhookKubeconfig } from '../../webhook-callers/kubeconfig.ts'
import { json, type WebhookDouble, type WebhookHandler, webhookDouble } from '../../webhook-callers/webhook.double.ts'
import { createWebhookCaller } from '../../webhook-callers/webhook-caller.ts'
import { AuthenticationCounts } from './authentication-counts.ts'
import { cachedTokens } from './cached-tokens.ts'
import { type TokenReviewVersion, webhookTokenAuthenticator } from './webhook-tokens.ts'

const OWN = ['https://kubernetes.default.svc']

async function hooked(webhook: WebhookDouble, version: TokenReviewVersion = 'v1') {
  const caller = createWebhookCaller(await readWebhookKubeconfig(webhook.kubeconfig('/authenticate')), { clock: systemClock })
  const hook = webhookTokenAuthenticator({ version, own: OWN }, { caller, clock: systemClock, random: seededRandom(1) })
  return { ...hook, [Symbol.dispose]: () => caller[Symbol.dispose]() }
}

const answering = (status: unknown, version = 'v1') =>
  webhookDouble((_, response) => json(response, { apiVersion: `authentication.k8s.io/${version}`, kind: 'TokenReview', status }))

test('the webhook is sent the review that Kubernetes sends', async () => {
  await using webhook = await answering({ authenticated: true, user: { username: 'ann' } })
  using hook = await hooked(webhook)
  await hook.authenticateToken('tok', ['a', 'https://kubernetes.default.svc'])
  const [call] = webhook.received
  assert.equal(call?.path, '/authenticate?timeout=30s')
  assert.deepEqual(JSON.parse(call?.text ?? ''), {
    kind: 'TokenReview',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: {},
    spec: { token: 'tok', audiences: ['a', 'https://kubernetes.default.svc'] },
    status: { user: {} },
  })
})

const user = { username: 'ann', uid: 'u', groups: ['a'], extra: { k: ['v'], none: [] } }
const refusals: readonly (readonly [string, WebhookHandler, string])[] = [
  ['garbage', (_, r) => r.end('this is no JSON'), "couldn't get version/kind"],
  ['nothing', (_, r) => r.end(), '0-length response with status code: 200'],
  ['another kind', (_, r) => json(r, { apiVersion: 'v1', kind: 'Pod' }), 'converting (v1.Pod) to (v1.TokenReview): unknown conversion'],
  ['a refusal', (_, r) => json(r, { kind: 'Status', message: 'you may not ask' }, 403), 'you may not ask'],
  [
    'a wrong type',
    (_, r) => json(r, { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', status: { user: { groups: 5 } } }),
    'json: cannot unmarshal number into Go struct field UserInfo.status.user.groups of type []string',
  ],
]
for (const [name, handler, expected] of refusals) {
  test(`an invalid response is an error: ${name}`, async () => {
    await using webhook = await webhookDouble(handler)
    using hook = await hooked(webhook)
    await assert.rejects(
      async () => await hook.authenticateToken('t', OWN),
      (e) => e instanceof Error && e.message.includes(expected),
    )
  })
}

for (const [name, status, wanted, expected] of [
  [
    'a user with everything',
    { authenticated: true, user },
    OWN,
    { user: { name: 'ann', uid: 'u', groups: ['a'], extra: { k: ['v'], none: [] } }, audiences: OWN },
  ],
  ['not authenticated', { authenticated: false }, OWN, undefined],
  ['no status', undefined, OWN, undefined],
  [
    'audiences that it names',
    { authenticated: true, user: { username: 'x' }, audiences: ['b', 'c'] },
    ['a', 'b'],
    { user: { name: 'x', groups: [] }, audiences: ['b'] },
  ],
  ['audiences of others', { authenticated: true, user: { username: 'x' }, audiences: ['z'] }, ['a'], undefined],
  ['no audiences, for another server', { authenticated: true, user: { username: 'x' } }, ['a'], undefined],
] as const) {
  test(`the webhook's response: ${name}`, async () => {
    await using webhook = await answering(status)
    using hook = await hooked(webhook)
    assert.deepEqual(await hook.authenticateToken('t', wanted), expected)
  })
}

test('responses are cached: successes and failures for their times, errors not at all; concurrent tokens share a call', async () => {
  let now = 0
  const requested: string[] = []
  const inner = {
    authenticateToken: async (token: string) => {
      requested.push(token)
      if (token === 'bad') throw new Error('no')
      return token === 'none' ? undefined : { user: { name: token, groups: [] }, audiences: OWN }
    },
  }
  const counts = new AuthenticationCounts('sha256:x')
  const cached = cachedTokens(inner, { successMs: 10, failureMs: 5 }, { clock: { ...systemClock, monotonic: () => now }, counts })
  const ask = async (token: string, audiences = OWN) => {
    await Promise.allSettled([cached.authenticateToken(token, audiences), cached.authenticateToken(token, audiences)])
    return requested.splice(0).length
  }
  assert.deepEqual([await ask('ann'), await ask('ann'), await ask('none'), await ask('none')], [1, 0, 1, 0])
  assert.deepEqual([await ask('bad'), await ask('bad')], [1, 1])
  assert.equal(await ask('ann', ['other']), 1)
  now = 5
  assert.deepEqual([await ask('none'), await ask('ann')], [1, 0])
  now = 10
  assert.equal(await ask('ann'), 1)
  assert.ok(!(cached.authenticateToken('ann', OWN) instanceof Promise))
  const lines = exposition(counts.families()).split('\n')
  for (const line of [
    'authentication_token_cache_fetch_total{status="ok"} 5',
    'authentication_token_cache_fetch_total{status="error"} 2',
    'authentication_token_cache_request_total{status="hit"} 7',
    'authentication_token_cache_request_total{status="miss"} 14',
  ])
    assert.ok(lines.includes(line), `${line}\n${lines.filter((l) => l.includes('token_cache')).join('\n')}`)
})

test('a token that may be revoked is authenticated each time', async () => {
  let live = true
  const inner = { authenticateToken: () => (live ? { user: { name: 'sa', groups: [] }, audiences: OWN, revocable: true } : undefined) }
  const cached = cachedTokens(inner, { successMs: 10_000, failureMs: 0 }, { clock: systemClock })
  assert.ok(cached.authenticateToken('t', OWN))
  live = false
  assert.equal(cached.authenticateToken('t', OWN), undefined)
})
