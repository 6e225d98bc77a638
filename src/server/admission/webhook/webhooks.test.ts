import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AdmissionRequest } from '../../../apiserver/admission/plugin.ts'
import { createResourceRegistry } from '../../../apiserver/cache/resource-registry.ts'
import { watchCacheDouble } from '../../../apiserver/cache/watch-cache.double.ts'
import { VirtualClock } from '../../../base/clock.ts'
import { seededRandom } from '../../../base/random.ts'
import type { Draft, JsonObject } from '../../../machinery/object.ts'
import { readPath } from '../../../machinery/resource/definition.ts'
import { isStatus } from '../../../machinery/status-error.ts'
import type { RuleWithOperations } from '../../../resources/types/admissionregistration.ts'
import type { ConfigMap } from '../../../resources/types/core.ts'
import { kubernetesKinds } from '../../kubernetes-kinds.ts'
import { denial, readPatch, readVerdict } from './admission-review.ts'
import { matchWebhook, type Webhook } from './match-webhook.ts'
import { type WebhookClient, WebhookError } from './webhook-client.ts'
import { mutatingWebhooks, validatingWebhooks } from './webhooks.ts'

const GROUP = 'admissionregistration.k8s.io'
const definitions = createResourceRegistry([])

/** `CREATE group/version/resource[/subresource] namespace/name`. */
function request(text: string, more: Partial<AdmissionRequest> = {}): AdmissionRequest {
  const [operation = '', what = '', where = ''] = text.split(' ')
  const [group = '', version = '', resource = '', subresource = ''] = what.split('/').map((p) => (p === 'core' ? '' : p))
  const [namespace = '', name = ''] = where.split('/')
  const configMap: Draft<ConfigMap> = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data: { k: 'v' } }
  return {
    operation: operation as AdmissionRequest['operation'],
    resource: { group, version, resource },
    kind: { group, version, kind: 'ConfigMap' },
    subresource,
    namespace,
    name,
    user: { name: 'u', groups: [] },
    dryRun: false,
    object: configMap,
    oldObject: undefined,
    options: { apiVersion: 'meta.k8s.io/v1', kind: 'CreateOptions', metadata: {} },
    warn: () => {},
    requireReinvocation: () => {},
    annotate: () => {},
    ...more,
  }
}

const all: RuleWithOperations = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] }
const matches: readonly (readonly [string, Webhook['rules'], string, boolean])[] = [
  ['everything', [all], 'CREATE core/v1/configmaps ns/a', true],
  ['not its subresources', [all], 'UPDATE core/v1/pods/status ns/a', false],
  ['with all subresources', [{ ...all, resources: ['*/*'] }], 'UPDATE core/v1/pods/status ns/a', true],
  ['one subresource', [{ ...all, resources: ['pods/status'] }], 'UPDATE core/v1/pods/status ns/a', true],
  ['another operation', [{ ...all, operations: ['DELETE'] }], 'CREATE core/v1/configmaps ns/a', false],
  ['another group', [{ ...all, apiGroups: ['apps'] }], 'CREATE core/v1/configmaps ns/a', false],
  ['cluster scope alone', [{ ...all, scope: 'Cluster' }], 'CREATE core/v1/configmaps ns/a', false],
  ['a namespace is of cluster scope', [{ ...all, scope: 'Cluster' }], 'CREATE core/v1/namespaces ns/ns', true],
]
for (const [name, rules, text, expected] of matches) {
  test(`a webhook wants: ${name}`, () => {
    const hook: Webhook = {
      configuration: 'c',
      name: 'h',
      clientConfig: {},
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      ...(rules && { rules }),
    }
    assert.equal(matchWebhook(hook, request(text), { reader: watchCacheDouble().reader, definitions }) !== undefined, expected)
  })
}

const answers: readonly (readonly [string, object, string, mutating?: boolean])[] = [
  [
    'a patch of an empty type',
    { uid: '1', allowed: true, patchType: '', patch: 'W10=' },
    'received invalid webhook response: webhook returned invalid response.patchType of ""',
  ],
  [
    'the patch of a validating webhook',
    { uid: '1', allowed: true, patchType: 'JSONPatch', patch: 'W10=' },
    'received invalid webhook response: validating webhook may not return response.patch',
    false,
  ],
  ['another uid', { uid: 'x', allowed: true }, 'received invalid webhook response: expected response.uid="1", got "x"'],
  [
    'a patch of no type',
    { uid: '1', allowed: true, patch: 'W10=' },
    'received invalid webhook response: webhook returned response.patch but not response.patchType',
  ],
  [
    'a patch that is no JSON',
    { uid: '1', allowed: true, patchType: 'JSONPatch', patch: 'bm90IGpzb24=' },
    "received undecodable patch in webhook response: invalid character 'o' in literal null (expecting 'u')",
  ],
]
for (const [name, response, expected, mutating = true] of answers) {
  test(`a response is refused: ${name}`, async () => {
    const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response } as JsonObject
    await assert.rejects(
      async () => {
        const { patch } = readVerdict(review, '1', 'v1', mutating)
        assert.ok(patch)
        await readPatch(patch.base64)
      },
      (e) => e instanceof WebhookError && e.message === expected,
    )
  })
}

test('a denial is a failure, whatever code the webhook gave it', () => {
  assert.deepEqual(
    [denial('h', { code: 200, message: 'no' }).code, denial('h', undefined).message],
    [400, 'admission webhook "h" denied the request without explanation'],
  )
})

/** Webhooks by name, each with a function from the object to its response. */
function setUp(
  hooks: readonly (Partial<Webhook> & { readonly name: string })[],
  behave: Readonly<Record<string, (object: ConfigMap) => JsonObject>>,
) {
  const watchCache = watchCacheDouble()
  const webhooks = hooks.map((hook) => ({ rules: [all], sideEffects: 'None', clientConfig: { url: hook.name }, ...hook }))
  const configuration = (kind: string) => ({ apiVersion: `${GROUP}/v1`, kind, metadata: { name: 'c' }, webhooks })
  watchCache.put(GROUP, 'mutatingwebhookconfigurations', configuration('MutatingWebhookConfiguration'))
  watchCache.put(GROUP, 'validatingwebhookconfigurations', configuration('ValidatingWebhookConfiguration'))
  const calls: string[] = []
  const client: WebhookClient = {
    async call(config, review) {
      const name = config.url ?? ''
      calls.push(name)
      const sent: unknown = review.request
      const { uid, object } = sent as { uid: string; object: ConfigMap }
      const answer = behave[name]
      if (answer === undefined) throw new WebhookError(`failed to call webhook: ${name} is away`)
      return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, ...answer(object) } }
    },
    async [Symbol.asyncDispose]() {},
  }
  const deps = {
    clock: new VirtualClock(),
    random: seededRandom(1),
    reader: watchCache.reader,
    onChange: watchCache.onChange,
    definitions,
    kinds: kubernetesKinds,
    client,
  }
  return { calls, mutating: mutatingWebhooks(deps), validating: validatingWebhooks(deps) }
}

const patch = (...operations: object[]): JsonObject => ({
  allowed: true,
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
})

test('a webhook is reinvoked if a later one changed the object', async () => {
  const { calls, mutating } = setUp([{ name: 'one', reinvocationPolicy: 'IfNeeded' }, { name: 'two' }], {
    one: (o) => patch({ op: 'add', path: '/data/seen', value: o.data?.two ?? 'nothing' }),
    two: () => patch({ op: 'add', path: '/data/two', value: 'yes' }),
  })
  const requested = request('CREATE core/v1/configmaps ns/a')
  await mutating.mutate?.(requested)
  assert.deepEqual(calls, ['one', 'two'])
  await mutating.reinvoke?.(requested)
  assert.deepEqual(
    [calls, requested.object && readPath(requested.object, ['data'])],
    [['one', 'two', 'one'], { k: 'v', seen: 'yes', two: 'yes' }],
  )
})

test('a webhook that is unavailable is ignored or reported, by its failure policy', async () => {
  const ignoring = setUp([{ name: 'away', failurePolicy: 'Ignore' }], {})
  await ignoring.validating.validate?.(request('CREATE core/v1/configmaps ns/a'))
  const failing = setUp([{ name: 'away' }], {})
  const requested = failing.validating.validate?.(request('CREATE core/v1/configmaps ns/a'))
  await assert.rejects(
    async () => requested,
    (e) =>
      isStatus(e, 'InternalError') &&
      e.message === 'Internal error occurred: failed calling webhook "away": failed to call webhook: away is away',
  )
})

test('a patch of another type than JSONPatch fails, after that of a request without an object', async () => {
  const { mutating } = setUp([{ name: 'h' }], { h: () => ({ ...patch({ op: 'test', path: '' }), patchType: 'MergePatch' }) })
  const requested = request('CREATE core/v1/configmaps ns/a')
  await assert.rejects(async () => mutating.mutate?.(requested), /failed calling webhook "h": unsupported patch type "MergePatch"$/)
  requested.object = undefined
  await assert.rejects(
    async () => mutating.mutate?.(requested),
    /"h" attempted to modify the object, which is not supported for this operation$/,
  )
})

test('a denial counts and its warnings are given, whatever its patch and failure policy', async () => {
  const denied = {
    ...patch({ op: 'x' }),
    allowed: false,
    patch: 'bm90IGpzb24=',
    warnings: ['careful'],
    status: { metadata: { continue: 'c' } },
  }
  const { mutating } = setUp([{ name: 'deny', failurePolicy: 'Ignore' }], { deny: () => denied })
  const requested = request('CREATE core/v1/configmaps ns/a')
  const warned: string[] = []
  requested.warn = (text) => void warned.push(text)
  await assert.rejects(
    async () => mutating.mutate?.(requested),
    (e) => isStatus(e, '') && /denied the request without explanation/.test(e.message) && e.status.metadata.continue === 'c',
  )
  assert.deepEqual(warned, ['careful'])
})

test('no webhook can prevent its own removal', () => {
  const { validating } = setUp([{ name: 'deny' }], { deny: () => ({ allowed: false }) })
  assert.equal(validating.handles(request(`DELETE ${GROUP}/v1/validatingwebhookconfigurations /c`)), false)
})

test('a dry run does not reach a webhook with side effects', async () => {
  const { calls, mutating } = setUp([{ name: 'one', sideEffects: 'Some' }], { one: () => ({ allowed: true }) })
  const requested = mutating.mutate?.(request('CREATE core/v1/configmaps ns/a', { dryRun: true }))
  await assert.rejects(
    async () => requested,
    (e) => isStatus(e, 'BadRequest') && e.message === 'admission webhook "one" does not support dry run',
  )
  assert.deepEqual(calls, [])
})

for (const [said, code] of [
  [undefined, 400],
  [0, 400],
  [200, 400],
  [101, 400],
  [403, 403],
  [599, 599],
  [600, 500],
  [99_999, 500],
] as const)
  test(`a denial has a valid code, whatever the webhook's response: ${said}`, () => {
    assert.equal(denial('h', said === undefined ? {} : { code: said }).code, code, `${said}`)
  })

test('a status with ill-typed fields makes the response malformed', () => {
  const answer = (status: JsonObject): JsonObject => ({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: { uid: 'u', allowed: false, status },
  })
  for (const status of [
    { code: 444.5 },
    { code: 1e300 },
    { code: 429, details: { retryAfterSeconds: 'a\r\nX: y' } },
    { code: 403, details: [] },
    { message: {} },
  ] as JsonObject[]) {
    assert.throws(() => readVerdict(answer(status), 'u', 'v1', false), WebhookError, JSON.stringify(status))
  }
  assert.equal(readVerdict(answer({ code: 429, details: { retryAfterSeconds: 7 } }), 'u', 'v1', false).status?.code, 429)
})

test('configurations are put in order when they change, not with every write', async () => {
  const watchCache = watchCacheDouble()
  let listed = 0
  const reader = {
    ...watchCache.reader,
    list: (...args: Parameters<typeof watchCache.reader.list>) => {
      listed++
      return watchCache.reader.list(...args)
    },
  }
  const client: WebhookClient = {
    call: async (_config, review) => ({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: { uid: (review.request as { uid: string }).uid, allowed: false },
    }),
    async [Symbol.asyncDispose]() {},
  }
  const plugin = validatingWebhooks({
    clock: new VirtualClock(),
    random: seededRandom(1),
    reader,
    onChange: watchCache.onChange,
    definitions,
    kinds: kubernetesKinds,
    client,
  })
  for (let i = 0; i < 10; i++) await plugin.validate?.(request('CREATE core/v1/configmaps ns/a'))
  assert.equal(listed, 1)
  const webhooks = [{ name: 'h', rules: [all], sideEffects: 'None', clientConfig: { url: 'x' } }]
  const configuration = { apiVersion: `${GROUP}/v1`, kind: 'ValidatingWebhookConfiguration', metadata: { name: 'c' }, webhooks }
  watchCache.put(GROUP, 'validatingwebhookconfigurations', configuration)
  await assert.rejects(async () => plugin.validate?.(request('CREATE core/v1/configmaps ns/a')), /denied the request/)
  watchCache.remove(GROUP, 'validatingwebhookconfigurations', 'c')
  await plugin.validate?.(request('CREATE core/v1/configmaps ns/a'))
})
