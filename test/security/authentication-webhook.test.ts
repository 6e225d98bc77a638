/** Authentication webhooks that are hostile: what they answer lets nobody in, fills no memory, and the server goes on. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { messageOf } from '../../src/base/message-of.ts'
import { seededRandom } from '../../src/base/random.ts'
import { cachedTokens } from '../../src/server/auth/authenticators/cached-tokens.ts'
import { webhookTokenAuthenticator } from '../../src/server/auth/authenticators/webhook-tokens.ts'
import { readWebhookKubeconfig } from '../../src/server/webhook-callers/kubeconfig.ts'
import { json, type WebhookHandler, webhookDouble } from '../../src/server/webhook-callers/webhook.double.ts'
import { createWebhookCaller } from '../../src/server/webhook-callers/webhook-caller.ts'

const OWN = ['https://kubernetes.default.svc']
const review = (status: unknown) => ({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', status })
const answering =
  (status: unknown): WebhookHandler =>
  (_, response) =>
    json(response, review(status))

/** Who a token belongs to, or why that is not known. */
async function identified(handler: WebhookHandler, token = 't'): Promise<string> {
  await using webhook = await webhookDouble(handler)
  using caller = createWebhookCaller(await readWebhookKubeconfig(webhook.kubeconfig('/authenticate')), { clock: systemClock })
  const tokens = webhookTokenAuthenticator({ version: 'v1', own: OWN }, { caller, clock: systemClock, random: seededRandom(1) })
  try {
    const user = (await tokens.authenticateToken(token, OWN))?.user
    return user === undefined ? 'nobody' : JSON.stringify(user)
  } catch (error) {
    return `refused: ${messageOf(error).replace(/https:\S+: /, '')}`
  }
}

const many = (n: number) => Array.from({ length: n }, (_, i) => `group-${i}`)
const tenMebibytes = 'a'.repeat(10_000_000)

for (const [what, handler, expected] of [
  [
    'a user with a million groups',
    answering({ authenticated: true, user: { username: 'ann', groups: many(1_000_000) } }),
    /longer than \d+ bytes/,
  ],
  ['a name of ten megabytes', answering({ authenticated: true, user: { username: tenMebibytes } }), /longer than \d+ bytes/],
  [
    'an answer without end',
    (_, response) => {
      response.writeHead(200)
      const more = (error?: Error | null): unknown => error ?? response.write('a'.repeat(65_536), more)
      more()
    },
    /longer than \d+ bytes/,
  ],
  ['a list that is nested half a million times', (_, response) => response.end('['.repeat(500_000)), /exceeded max depth/],
  ['maps that are nested a hundred thousand times', (_, response) => response.end('{"a":'.repeat(100_000)), /exceeded max depth/],
  [
    'maps that are nested ten thousand times',
    (_, response) => response.end(`${'{"a":'.repeat(9999)}1${'}'.repeat(9999)}`),
    /^(nobody|refused: (?!Maximum call stack))/,
  ],
  ['an alias that doubles thirty times', (_, response) => response.end(bomb(30)), /excessive aliasing|alias/],
  [
    'groups that are a text',
    answering({ authenticated: true, user: { username: 'ann', groups: 'system:masters' } }),
    /cannot unmarshal string/,
  ],
  [
    'groups in a map',
    answering({ authenticated: true, user: { username: 'ann', groups: { 0: 'system:masters' } } }),
    /cannot unmarshal object/,
  ],
  ['a user that is a list', answering({ authenticated: true, user: ['ann'] }), /cannot unmarshal array/],
  ['true as a text', answering({ authenticated: 'true', user: { username: 'ann' } }), /cannot unmarshal string/],
  ['a user and an error, not authenticated', answering({ user: { username: 'ann' }, error: 'no' }), /^refused: no$/],
  ['a user, not authenticated', answering({ user: { username: 'ann', groups: ['system:masters'] } }), /^nobody$/],
  ['fields of prototypes', answering({ __proto__: { authenticated: true }, constructor: { authenticated: true } }), /^nobody$/],
  [
    'a redirect to itself',
    (_, response) => void response.writeHead(302, { location: '/authenticate' }).end(),
    /stopped after 10 redirects/,
  ],
  ['a redirect to a file', (_, response) => void response.writeHead(302, { location: 'file:///etc/passwd' }).end(), /unsupported protocol/],
  ['another status', (_, response) => json(response, review({ authenticated: true, user: { username: 'ann' } }), 500), /^refused/],
] as const satisfies readonly (readonly [string, WebhookHandler, RegExp])[])
  test(`an authentication webhook that answers with ${what} lets nobody in`, async () => {
    assert.match(await identified(handler), expected)
  })

/** A YAML document whose aliases double at each level. */
function bomb(levels: number): string {
  const lines = Array.from({ length: levels }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]`)
  return ['a0: &a0 [x]', ...lines].join('\n')
}

test('keys of extra fields are no properties of prototypes', async () => {
  const extra = JSON.parse('{"__proto__":["a"],"constructor":["b"]}') as object
  const user = await identified(answering({ authenticated: true, user: { username: 'ann', extra } }))
  assert.equal(user, '{"name":"ann","groups":[],"extra":{"__proto__":["a"],"constructor":["b"]}}')
})

test('users and tokens are cached up to a size, and not only a number: long ones are requested again', async () => {
  const groups = many(20_000)
  let calls = 0
  const inner = {
    authenticateToken: (token: string) => {
      calls++
      return token.startsWith('unknown') ? undefined : { user: { name: token, groups }, audiences: OWN }
    },
  }
  const cached = cachedTokens(inner, { successMs: 60_000, failureMs: 60_000 }, { clock: systemClock })
  const callsOf = (tokens: readonly string[]) => {
    calls = 0
    for (const token of tokens) cached.authenticateToken(token, OWN)
    return calls
  }
  const users = Array.from({ length: 200 }, (_, i) => `user-${i}`)
  const unknown = Array.from({ length: 500 }, (_, i) => `unknown-${i}-${'a'.repeat(60_000)}`)
  assert.equal(callsOf(users.slice(0, 10)) + callsOf(users.slice(0, 10)), 10)
  for (const tokens of [users, unknown]) {
    callsOf(tokens)
    assert.equal(callsOf(tokens), tokens.length, 'sixty megabytes of users, or thirty of tokens, are more than a cache has')
  }
})
