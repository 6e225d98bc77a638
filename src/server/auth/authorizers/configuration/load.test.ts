import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AuthorizationConfigurationError } from './configuration.ts'
import { loadAuthorization } from './load.ts'

const webhook = {
  timeout: '2s',
  subjectAccessReviewVersion: 'v1',
  matchConditionSubjectAccessReviewVersion: 'v1',
  failurePolicy: 'NoOpinion',
  connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: import.meta.filename },
}
const hook = (more: object = {}) => ({ type: 'Webhook', name: 'one', webhook: { ...webhook, ...more } })
const file = (...authorizers: object[]) =>
  JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AuthorizationConfiguration', authorizers })

test('what is absent has its default', () => {
  assert.deepEqual(loadAuthorization(file(hook(), { type: 'RBAC', name: 'rbac' })), [
    {
      type: 'Webhook',
      name: 'one',
      webhook: {
        version: 'v1',
        authorizedTtlMs: 300_000,
        unauthorizedTtlMs: 30_000,
        timeoutMs: 2000,
        onFailure: 'no-opinion',
        kubeConfigFile: import.meta.filename,
        conditions: [],
      },
    },
    { type: 'RBAC', name: 'rbac' },
  ])
})

test('caches can be switched off', () => {
  const [one] = loadAuthorization(file(hook({ cacheAuthorizedRequests: false, cacheUnauthorizedRequests: false, failurePolicy: 'Deny' })))
  assert.ok(one?.type === 'Webhook')
  assert.deepEqual([one.webhook.authorizedTtlMs, one.webhook.unauthorizedTtlMs, one.webhook.onFailure], [0, 0, 'deny'])
})

const refused: readonly (readonly [text: string, says: string])[] = [
  ['', 'authorizers: Required value: at least one authorization mode must be defined'],
  [file({ type: 'RBAC', name: 'other' }), 'expected name rbac for authorizer RBAC instead of other'],
  [file({ name: 'x' }), 'authorizers[0].type: Required value'],
  [
    file({ type: 'RBAC', name: 'rbac', webhook }),
    'authorizers[0].webhook: Invalid value: "non-null": may only be specified when type=Webhook',
  ],
  [file(hook({ timeout: '31s' })), 'authorizers[0].timeout: Invalid value: "31s": must be > 0s and <= 30s'],
  [
    file(hook({ failurePolicy: 'Maybe' })),
    'authorizers[0].failurePolicy: Unsupported value: "Maybe": supported values: "NoOpinion", "Deny"',
  ],
  [
    file(hook({ subjectAccessReviewVersion: 'v2' })),
    'authorizers[0].subjectAccessReviewVersion: Unsupported value: "v2": supported values: "v1", "v1beta1"',
  ],
  [
    file(hook({ connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: '/none/at/all' } })),
    'authorizers[0].connectionInfo.kubeConfigFile: Invalid value: "/none/at/all": error loading file: stat /none/at/all: no such file or directory',
  ],
  [
    file(hook({ connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: '/' } })),
    'authorizers[0].connectionInfo.kubeConfigFile: Invalid value: "/": must be a regular file',
  ],
  [
    file(hook({ matchConditions: Array.from({ length: 65 }, () => ({ expression: 'true' })) })),
    'authorizers[0].matchConditions: Too many: 65: must have at most 64 items',
  ],
  [
    file(hook({ timeout: undefined, matchConditions: [{ expression: '1' }] })),
    '[authorizers[0].timeout: Required value, authorizers[0].matchConditions[0].expression: Invalid value: "1": must evaluate to bool but got int]',
  ],
  [
    file(hook({ timeout: 3 })),
    'failed to load AuthorizationConfiguration from file: json: cannot unmarshal number into Go struct field WebhookConfiguration.authorizers.webhook.timeout of type string',
  ],
]

for (const [text, says] of refused) {
  test(`an authorization configuration is refused: ${says.slice(0, 80)}`, () =>
    assert.throws(() => loadAuthorization(text), { name: AuthorizationConfigurationError.name, message: says }))
}

test('what the server began with may not leave', () => {
  assert.throws(() => loadAuthorization(file(hook()), new Set(['RBAC', 'Node'])), { message: 'missing required types: [Node RBAC]' })
})
