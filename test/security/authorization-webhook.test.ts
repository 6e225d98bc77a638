/**
 * Authorization webhooks that are hostile: what they answer allows nothing that is not a plain yes, fills no memory, and the server goes
 * on.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resourceAttributes } from '../../src/apiserver/identity/authorizer.ts'
import { systemClock } from '../../src/base/clock.ts'
import { seededRandom } from '../../src/base/random.ts'
import { webhookAuthorizer } from '../../src/server/auth/authorizers/webhook/webhook-authorizer.ts'
import { callWithRetries } from '../../src/server/webhook-callers/call-with-retries.ts'
import { readWebhookKubeconfig } from '../../src/server/webhook-callers/kubeconfig.ts'
import { json, type WebhookHandler, webhookDouble } from '../../src/server/webhook-callers/webhook.double.ts'
import { createWebhookCaller } from '../../src/server/webhook-callers/webhook-caller.ts'

const NO_RETRIES = { attempts: 1, firstDelayMs: 1, factor: 1, jitter: 0, withinMs: 1000 }
const eve = { name: 'eve', groups: ['devs'] }
const review = (status: unknown, more: object = {}) => ({
  apiVersion: 'authorization.k8s.io/v1',
  kind: 'SubjectAccessReview',
  status,
  ...more,
})
const answering =
  (status: unknown, more: object = {}): WebhookHandler =>
  (_, response) =>
    json(response, review(status, more))

interface Asked {
  /** `allow`, or the verdict and the error. */
  readonly decided: string
  readonly calls: number
}

/** Asks twice for the same. */
async function asked(handler: WebhookHandler): Promise<Asked> {
  await using webhook = await webhookDouble(handler)
  using caller = createWebhookCaller(await readWebhookKubeconfig(webhook.kubeconfig('/authorize')), { clock: systemClock })
  const authorizer = webhookAuthorizer(
    { version: 'v1', authorizedTtlMs: 60_000, unauthorizedTtlMs: 60_000, timeoutMs: 2000, onFailure: 'no-opinion', conditions: [] },
    {
      clock: systemClock,
      ask: (body, timeoutMs) =>
        callWithRetries(caller, body, { clock: systemClock, random: seededRandom(1), retries: NO_RETRIES }, { timeoutMs }),
    },
  )
  const attributes = resourceAttributes({ user: eve, verb: 'list', resource: 'secrets', version: 'v1' })
  const { verdict, error = '' } = await authorizer.authorize(attributes)
  await authorizer.authorize(attributes)
  return { decided: `${verdict} ${error}`.trim(), calls: webhook.received.length }
}

const endless: WebhookHandler = (_, response) => {
  response.writeHead(200)
  const more = (error?: Error | null): unknown => error ?? response.write('a'.repeat(65_536), more)
  more()
}

const ROWS: readonly (readonly [what: string, handler: WebhookHandler, decided: RegExp, calls: number])[] = [
  ['yes', answering({ allowed: true }), /^allow$/, 1],
  ['yes and no', answering({ allowed: true, denied: true }), /^deny /, 1],
  ['yes as a text', answering({ allowed: 'true' }), /^no-opinion .*cannot unmarshal string/, 2],
  ['yes in a list', answering([{ allowed: true }]), /^no-opinion .*cannot unmarshal array/, 2],
  ['yes in its specification', answering({}, { spec: { allowed: true }, allowed: true }), /^no-opinion$/, 1],
  [
    'yes in properties of prototypes',
    answering(JSON.parse('{"__proto__":{"allowed":true},"constructor":{"allowed":true}}')),
    /^no-opinion$/,
    1,
  ],
  ['yes of another kind', (_, response) => json(response, { ...review({ allowed: true }), kind: 'TokenReview' }), /^no-opinion ./, 2],
  ['yes with another status', (_, response) => json(response, review({ allowed: true }), 403), /^no-opinion ./, 2],
  [
    'yes and no, twice the field',
    (_, response) => response.end('{"status":{"allowed":true},"status":{"allowed":false}}'),
    /^no-opinion/,
    1,
  ],
  ['yes in a YAML alias that doubles', (_, response) => response.end(bomb(30)), /^no-opinion .*alias/, 2],
  ['a reason of ten megabytes', answering({ allowed: true, reason: 'a'.repeat(10_000_000) }), /^no-opinion .*longer than \d+ bytes/, 2],
  ['an answer without end', endless, /^no-opinion .*longer than \d+ bytes/, 2],
  ['lists nested half a million times', (_, response) => response.end('['.repeat(500_000)), /^no-opinion .*max depth/, 2],
  [
    'a redirect to itself',
    (_, response) => void response.writeHead(307, { location: '/authorize' }).end(),
    /^no-opinion .*10 redirects/,
    22,
  ],
  ['a redirect to a file', (_, response) => void response.writeHead(307, { location: 'file:///etc/passwd' }).end(), /^no-opinion /, 2],
  [
    'half an answer',
    (_, response, request) => void response.write('{"status":{"allowed":true', () => request.socket.destroy()),
    /^no-opinion /,
    2,
  ],
  ['an hour to wait', (_, response) => void response.writeHead(429, { 'retry-after': '3600' }).end(), /^no-opinion /, 2],
  ['nothing at all', () => {}, /^no-opinion .*(deadline|timeout)/i, 2],
]
for (const [what, handler, decided, calls] of ROWS)
  test(`an authorization webhook that answers ${what}`, async () => {
    const outcome = await asked(handler)
    assert.match(outcome.decided, decided)
    assert.equal(outcome.calls, calls)
  })

function bomb(levels: number): string {
  const lines = Array.from({ length: levels }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]`)
  return ['status: {allowed: true}', 'a0: &a0 [x]', ...lines].join('\n')
}
