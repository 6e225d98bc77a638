import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AdmissionPlugin, AdmissionRequest, Operation } from '../../apiserver/admission/plugin.ts'
import { VirtualClock } from '../../base/clock.ts'
import { seededRandom } from '../../base/random.ts'
import type { Draft, KubeObject } from '../../machinery/object.ts'
import type { Reader } from '../../machinery/resource/definition.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { builtinResources } from '../../resources/builtin.ts'
import type { Event, Pod, Toleration } from '../../resources/types/core.ts'
import { WebhookCallError, type WebhookCaller } from '../webhook-callers/webhook-caller.ts'
import { alwaysAdmit, alwaysDeny } from './always.ts'
import { denyServiceExternalIps } from './deny-service-external-ips.ts'
import { eventRateLimit } from './event-rate-limit.ts'
import { namespaceAutoProvision, namespaceExists } from './namespace-existence.ts'
import { alwaysPullImages } from './pods/always-pull-images.ts'
import { imagePolicyWebhook, readImagePolicy } from './pods/image-policy-webhook.ts'
import { limitPodHardAntiAffinityTopology } from './pods/limit-pod-hard-anti-affinity-topology.ts'
import { podNodeSelector, readNodeSelectors } from './pods/pod-node-selector.ts'
import { podTolerationRestriction } from './pods/pod-toleration-restriction.ts'

interface Case {
  readonly operation?: Operation
  readonly object: KubeObject
  readonly old?: KubeObject
  readonly annotations?: Record<string, string>
  readonly dryRun?: boolean
  readonly user?: string
}

const noted: string[] = []

function requestOf({ operation = 'CREATE', object, old, dryRun = false, user = 'u' }: Case): AdmissionRequest {
  const definition = builtinResources().find((d) => d.names.kind === object.kind && d.group === '')
  return {
    operation,
    resource: { group: '', version: 'v1', resource: definition?.names.plural ?? '' },
    kind: { group: '', version: 'v1', kind: object.kind },
    subresource: '',
    namespace: object.metadata.namespace ?? '',
    name: object.metadata.name ?? '',
    user: { name: user, groups: [] },
    dryRun,
    object,
    oldObject: old,
    options: { apiVersion: 'meta.k8s.io/v1', kind: 'CreateOptions', metadata: {} },
    warn: () => {},
    requireReinvocation: () => {},
    annotate: (key, value) => noted.push(`${key}=${value}`),
  }
}

/** Runs the plugin as a server does: mutation, then validation. `ok`, or the message. */
async function admit(plugin: AdmissionPlugin, requested: Case): Promise<string> {
  const request = requestOf(requested)
  if (!plugin.handles(request)) return 'ok'
  try {
    await plugin.mutate?.(request)
    await plugin.validate?.(request)
    return 'ok'
  } catch (error) {
    if (isStatus(error)) return `${error.status.code} ${error.message}`
    throw error
  }
}

const pod = (spec: object = {}, metadata: object = {}): Draft<Pod> => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'ns', ...metadata },
  spec: { containers: [{ name: 'c', image: 'i:1' }], ...spec },
})

const namespaces = (annotations: Record<string, string> = {}): Pick<Reader, 'get'> & Reader => {
  const ns: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ns', annotations } }
  return { get: (_group, _resource, _namespace, name) => (name === 'ns' ? ns : undefined), list: () => [] }
}

test('AlwaysAdmit admits and AlwaysDeny denies', async () => {
  assert.equal(await admit(alwaysAdmit, { object: pod() }), 'ok')
  assert.equal(await admit(alwaysDeny, { object: pod() }), '403 pods "p" is forbidden: admission control is denying all modifications')
})

test('AlwaysPullImages sets the policy of every image, and ignores updates without new images', async () => {
  const made = pod({
    containers: [{ name: 'c', image: 'a', imagePullPolicy: 'Never' }],
    initContainers: [{ name: 'i', image: 'b' }],
    volumes: [{ name: 'v', image: { reference: 'r' } }, { name: 'w' }],
  })
  assert.equal(await admit(alwaysPullImages, { object: made }), 'ok')
  assert.deepEqual(
    [made.spec.containers[0]?.imagePullPolicy, made.spec.initContainers?.[0]?.imagePullPolicy, made.spec.volumes?.[0]?.image?.pullPolicy],
    ['Always', 'Always', 'Always'],
  )
  const kept = pod()
  await admit(alwaysPullImages, { operation: 'UPDATE', object: kept, old: pod() })
  assert.equal(kept.spec.containers[0]?.imagePullPolicy, undefined)
})

const topology = (topologyKey: string) => ({
  affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey }] } },
})

const refusals: readonly (readonly [rule: string, plugin: AdmissionPlugin, asked: Case, said: string])[] = [
  ['a node may be kept', limitPodHardAntiAffinityTopology, { object: pod(topology('kubernetes.io/hostname')) }, 'ok'],
  [
    'a zone may not',
    limitPodHardAntiAffinityTopology,
    { object: pod(topology('zone')) },
    '403 pods "p" is forbidden: affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey zone but only key kubernetes.io/hostname is allowed',
  ],
  [
    'the namespace must exist',
    namespaceExists({ reader: namespaces() }),
    { object: pod({}, { namespace: 'x' }) },
    '404 namespaces "x" not found',
  ],
  [
    'for deletions too',
    namespaceExists({ reader: namespaces() }),
    { operation: 'DELETE', object: pod({}, { namespace: 'x' }) },
    '404 namespaces "x" not found',
  ],
  ['and may', namespaceExists({ reader: namespaces() }), { object: pod() }, 'ok'],
  [
    'new external addresses',
    denyServiceExternalIps,
    { object: { ...pod({ externalIPs: ['1.2.3.4'] }), kind: 'Service' } },
    '403 services "p" is forbidden: Use of external IPs is denied by admission control',
  ],
  [
    'external addresses that were there',
    denyServiceExternalIps,
    {
      operation: 'UPDATE',
      object: { ...pod({ externalIPs: ['1.2.3.4'] }), kind: 'Service' },
      old: { ...pod({ externalIPs: ['1.2.3.4', '5.6.7.8'] }), kind: 'Service' },
    },
    'ok',
  ],
]

for (const [rule, plugin, requested, said] of refusals)
  test(`${plugin.name}: ${rule}`, async () => assert.equal(await admit(plugin, requested), said))

test('NamespaceAutoProvision creates a missing namespace, but not for a dry run', async () => {
  const made: string[] = []
  const plugin = namespaceAutoProvision({ reader: namespaces(), createNamespace: async (name) => void made.push(name) })
  for (const requested of [
    { object: pod() },
    { object: pod({}, { namespace: 'x' }) },
    { object: pod({}, { namespace: 'y' }), dryRun: true },
  ])
    assert.equal(await admit(plugin, requested), 'ok')
  assert.deepEqual(made, ['x'])
})

const SELECTOR = 'scheduler.alpha.kubernetes.io/node-selector'
const selectors = readNodeSelectors('podNodeSelectorPluginConfig:\n  clusterDefaultNodeSelector: env=dev\n  ns: env=dev,team=a,x=y\n')

const selecting: readonly (readonly [rule: string, own: string | undefined, asked: object | undefined, outcome: string])[] = [
  ['the default is added', undefined, undefined, '{"env":"dev"}'],
  ['to what the pod asks for', undefined, { x: 'y' }, '{"env":"dev","x":"y"}'],
  [
    'which may not say otherwise',
    undefined,
    { env: 'prod' },
    '403 pods "p" is forbidden: pod node label selector conflicts with its namespace node label selector',
  ],
  [
    'nor leave the list',
    undefined,
    { other: '1' },
    '403 pods "p" is forbidden: pod node label selector labels conflict with its namespace whitelist',
  ],
  ["the namespace's own comes first", 'team=a', undefined, '{"team":"a"}'],
  ['and may be empty', '', undefined, 'undefined'],
  ['but not broken', 'team', undefined, '500 invalid selector: [team]'],
]

for (const [rule, own, requested, outcome] of selecting) {
  test(`PodNodeSelector: ${rule}`, async () => {
    const object = pod(requested === undefined ? {} : { nodeSelector: requested })
    const plugin = podNodeSelector(selectors, { reader: namespaces(own === undefined ? {} : { [SELECTOR]: own }) })
    const said = await admit(plugin, { object })
    assert.equal(said === 'ok' ? String(JSON.stringify(object.spec.nodeSelector)) : said, outcome)
  })
}

const DEFAULTS = 'scheduler.alpha.kubernetes.io/defaultTolerations'
const ALLOWED = 'scheduler.alpha.kubernetes.io/tolerationsWhitelist'
const exists = (key: string): Toleration => ({ key, operator: 'Exists' })
const tolerating: readonly (readonly [rule: string, own: Record<string, string>, spec: object, outcome: string])[] = [
  ['the default is added', {}, {}, 'd'],
  ["the namespace's own takes its place", { [DEFAULTS]: '[{"key":"n","operator":"Exists"}]', [ALLOWED]: '' }, {}, 'n'],
  ['what is covered already is not added', {}, { tolerations: [exists('d')] }, 'd'],
  [
    'nothing that is not allowed',
    {},
    { tolerations: [exists('z')] },
    '500 pod tolerations (possibly merged with namespace default tolerations) conflict with its cluster whitelist',
  ],
  [
    "by the namespace's own list",
    { [ALLOWED]: '[{"key":"q"}]' },
    {},
    '500 pod tolerations (possibly merged with namespace default tolerations) conflict with its namespace whitelist',
  ],
  [
    'a pod that asks for something tolerates pressure of memory',
    { [ALLOWED]: '' },
    { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '1' } } }] },
    'd node.kubernetes.io/memory-pressure',
  ],
  ['a broken annotation is told', { [DEFAULTS]: 'x' }, {}, "500 invalid character 'x' looking for beginning of value"],
]

for (const [rule, own, spec, outcome] of tolerating) {
  test(`PodTolerationRestriction: ${rule}`, async () => {
    const object = pod(spec)
    const plugin = podTolerationRestriction({ default: [exists('d')], whitelist: [exists('d')] }, { reader: namespaces(own) })
    const said = await admit(plugin, { object })
    assert.equal(said === 'ok' ? object.spec.tolerations?.map((t) => t.key).join(' ') : said, outcome)
  })
}

const event = (name: string): Event => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name, namespace: 'ns' },
  source: { component: 'c' },
  involvedObject: { name },
})

const limited = [
  ['Server', ''],
  ['Namespace', 'ns'],
  ['User', 'u'],
] as const

for (const [type, key] of limited) {
  test(`EventRateLimit by ${type}: a burst passes, then as many as come in time; dry runs are not counted`, async () => {
    const clock = new VirtualClock()
    const plugin = eventRateLimit([{ type, qps: 1, burst: 2, cacheSize: 10 }], { clock })
    const send = (name: string, dryRun = false) => admit(plugin, { object: event(name), dryRun })
    assert.deepEqual([await send('a'), await send('b', true), await send('c')], ['ok', 'ok', 'ok'])
    assert.equal(await send('d'), `429 Too many requests: limit reached on type ${type} for key ${key}`)
    await clock.advance(1000)
    assert.equal(await send('e'), 'ok')
    assert.match(await send('f'), /^429/)
  })
}

test('EventRateLimit by SourceAndObject counts each object apart, as many as it has room for', async () => {
  const plugin = eventRateLimit([{ type: 'SourceAndObject', qps: 1, burst: 1, cacheSize: 2 }], { clock: new VirtualClock() })
  const send = (name: string) => admit(plugin, { object: event(name) })
  assert.deepEqual([await send('a'), await send('b')], ['ok', 'ok'])
  assert.equal(await send('a'), '429 Too many requests: limit reached on type SourceAndObject for key ca')
  await send('c')
  // The bucket of b was dropped: it starts again.
  assert.equal(await send('b'), 'ok')
})

const IMAGES = 'imagePolicy: {kubeConfigFile: /k, allowTTL: 50, denyTTL: -1, defaultAllow: DEFAULT}'

function images(answers: readonly (object | string)[], defaultAllow = false) {
  const bodies: string[] = []
  const caller: WebhookCaller = {
    url: 'https://images',
    async post(body) {
      bodies.push(body)
      const answer = answers[Math.min(bodies.length, answers.length) - 1]
      if (answer === 'reset') throw new WebhookCallError('reset', 'Post "https://images": EOF')
      const text =
        typeof answer === 'string'
          ? answer
          : JSON.stringify({ apiVersion: 'imagepolicy.k8s.io/v1alpha1', kind: 'ImageReview', status: answer })
      return { status: 200, headers: {}, body: Buffer.from(text) }
    },
    [Symbol.dispose]() {},
  }
  const config = readImagePolicy(IMAGES.replace('DEFAULT', String(defaultAllow)))
  return { bodies, plugin: imagePolicyWebhook(config, { clock: new VirtualClock(), random: seededRandom(1), caller }) }
}

test("ImagePolicyWebhook reviews all images with the pod's annotations, once per time to live", async () => {
  const { plugin, bodies } = images([{ allowed: true, auditAnnotations: { a: 'b' } }])
  const object = pod({ initContainers: [{ name: 'x', image: 'j:1' }] }, { annotations: { 'a.image-policy.k8s.io/t': '1', other: '2' } })
  noted.length = 0
  assert.deepEqual([await admit(plugin, { object }), await admit(plugin, { object })], ['ok', 'ok'])
  assert.deepEqual(noted, ['imagepolicywebhook.image-policy.k8s.io/a=b', 'imagepolicywebhook.image-policy.k8s.io/a=b'])
  assert.equal(bodies.length, 1)
  assert.deepEqual(JSON.parse(bodies[0] ?? '').spec, {
    containers: [{ image: 'i:1' }, { image: 'j:1' }],
    annotations: { 'a.image-policy.k8s.io/t': '1' },
    namespace: 'ns',
  })
})

const judged: readonly (readonly [rule: string, answer: object | string, open: boolean, said: string])[] = [
  [
    'a denial with its reason',
    { allowed: false, reason: 'old' },
    true,
    '403 pods "p" is forbidden: image policy webhook backend denied one or more images: old',
  ],
  ['a denial without one', { allowed: false }, true, '403 pods "p" is forbidden: one or more images rejected by webhook backend'],
  ['a failure is told', 'reset', false, '403 pods "p" is forbidden: Post "https://images": EOF'],
  ['or passed over', 'reset', true, 'ok'],
  [
    'another kind is a failure',
    '{"apiVersion":"v1","kind":"Pod"}',
    false,
    '403 pods "p" is forbidden: converting (v1.Pod) to (v1alpha1.ImageReview): unknown conversion',
  ],
]

for (const [rule, answer, open, said] of judged)
  test(`ImagePolicyWebhook: ${rule}`, async () => assert.equal(await admit(images([answer], open).plugin, { object: pod() }), said))
