import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import { seededRandom } from '../../base/random.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { RequestInfo } from '../request/request-info.ts'
import type { AuditBackend } from './audit-backend.ts'
import { type AuditEvent, eventJson, legacyLine } from './audit-event.ts'
import { createAuditLog } from './audit-log.ts'
import type { AuditRecord } from './audit-record.ts'
import { type Audited, auditDecider } from './policy.ts'
import { AuditPolicyError, readAuditPolicy } from './read-policy.ts'
import { truncatingBackend } from './truncating-backend.ts'

const HEAD = { apiVersion: 'audit.k8s.io/v1', kind: 'Policy' }
const read = (policy: object) => readAuditPolicy(JSON.stringify({ ...HEAD, ...policy })).policy

const policy = read({
  omitStages: ['RequestReceived'],
  rules: [
    { level: 'None', users: ['system:kube-proxy'], verbs: ['watch'], resources: [{ resources: ['services'] }] },
    { level: 'None', nonResourceURLs: ['/healthz*'] },
    { level: 'Request', resources: [{ resources: ['configmaps'], resourceNames: ['important'] }], namespaces: ['kube-system'] },
    { level: 'Metadata', resources: [{ resources: ['secrets', 'pods/log', 'services/*'] }] },
    { level: 'RequestResponse', resources: [{ group: 'apps' }], omitManagedFields: true },
    { level: 'Metadata', userGroups: ['ops'] },
    { level: 'Metadata', namespaces: [''], resources: [{ resources: ['*'] }] },
  ],
})

/** `user[,group…] verb group/resource[/subresource] namespace/name`, or a path. */
function request(text: string): Audited & { readonly info: RequestInfo } {
  const [who = '', verb = '', what = '', where = ''] = text.split(' ')
  const [name = '', ...groups] = who.split(',')
  const sender = name === '-' ? undefined : { name, groups }
  if (what.startsWith('/')) return { sender, info: { method: '', verb, path: what, target: undefined } }
  const [group = '', resource = '', subresource = ''] = what.split('/').map((p) => (p === 'core' ? '' : p))
  const [namespace = '', object = ''] = where.split('/')
  const target = { group, version: 'v1', resource, subresource, namespace, namespaced: true, name: object, rest: '', prefix: '' } as const
  return { sender, info: { method: '', verb, path: '', target } }
}

const decide = auditDecider(policy)
for (const [text, level] of [
  ['system:kube-proxy watch core/services x', 'None'],
  ['ann get /healthz/etcd', 'None'],
  ['ann update core/configmaps kube-system/important', 'Request'],
  ['ann update core/configmaps kube-system/other', 'None'],
  ['ann get core/secrets x/y', 'Metadata'],
  ['ann get core/pods/log x/y', 'Metadata'],
  ['ann get core/pods x/y', 'None'],
  ['ann get core/services x/y', 'Metadata'],
  ['ann get core/services/proxy x/y', 'Metadata'],
  ['ann get apps/deployments/status x/y', 'RequestResponse'],
  ['bob,ops get core/pods x/y', 'Metadata'],
  ['- get core/pods x/y', 'None'],
  ['ann get core/nodes /n', 'Metadata'],
] as const)
  test(`${text} → ${level}`, () => assert.equal(decide(request(text)).level, level))

interface World {
  readonly clock: VirtualClock
  readonly events: AuditEvent[]
  begin(text: string, more?: { long?: boolean; auditId?: string; userAgent?: string }): AuditRecord
}

function world(rules: object, taken: boolean | (() => Promise<boolean>) = true): World {
  const events: AuditEvent[] = []
  const backend: AuditBackend = {
    process(some) {
      events.push(...some)
      return typeof taken === 'boolean' ? taken : taken()
    },
    async [Symbol.asyncDispose]() {},
  }
  const clock = new VirtualClock()
  const log = createAuditLog(read(rules), { clock, random: seededRandom(1), backend })
  return {
    clock,
    events,
    begin(text, more = {}) {
      const whole = {
        ...request(text),
        url: '/x',
        sourceIPs: ['127.0.0.1'],
        userAgent: 'kubectl',
        long: false,
        auditId: undefined,
        ...more,
      }
      const record = log.begin(whole)
      assert.ok(record !== undefined && !(record instanceof Promise))
      return record
    },
  }
}

const deployment = (name: string) => ({ kind: 'Deployment', metadata: { name, managedFields: [] } }) as unknown as KubeObject

test('an event names user, verb, object and result', () => {
  const { events, begin } = world({
    omitStages: ['RequestReceived'],
    rules: [{ level: 'RequestResponse', omitManagedFields: true }],
  })
  const record = begin('ann create apps/deployments x')
  record.annotate('k', 'v')
  record.annotate('k', 'later')
  record.object(deployment('d'))
  record.response(deployment('d'))
  record.complete(201)
  record.complete(500)
  assert.equal(events.length, 1)
  const event = JSON.parse(eventJson(events[0] as AuditEvent))
  assert.deepEqual(event.objectRef, { resource: 'deployments', namespace: 'x', name: 'd', apiGroup: 'apps', apiVersion: 'v1' })
  assert.deepEqual(
    [event.stage, event.responseStatus, event.annotations, event.requestObject.metadata, event.responseObject.metadata],
    ['ResponseComplete', { metadata: {}, code: 201 }, { k: 'v' }, { name: 'd' }, { name: 'd' }],
  )
})

test('the event of a slow request says how long it took, that of a stream does not', async () => {
  const { clock, events, begin } = world({ omitStages: ['RequestReceived', 'ResponseStarted'], rules: [{ level: 'Metadata' }] })
  const watch = begin('ann watch core/pods x', { long: true })
  const slow = begin('ann get core/pods x/y')
  await clock.advance(501)
  slow.complete(200)
  const quick = begin('ann get core/pods x/y')
  await clock.advance(500)
  quick.complete(200)
  watch.complete(200)
  assert.deepEqual(
    events.map(({ annotations }) => annotations.get('apiserver.latency.k8s.io/total')),
    ['501ms', undefined, undefined],
  )
})

const stages = (events: readonly AuditEvent[]) => events.map((e) => `${e.stage} ${e.responseStatus?.code ?? ''}`)

test('streams have a stage more; who leaves before the answer leaves an event too', () => {
  const { events, begin } = world({ rules: [{ level: 'Metadata' }] })
  const watch = begin('ann watch core/pods x', { long: true })
  watch.started(200)
  watch.complete(200)
  begin('ann get core/pods x/y').complete(0)
  assert.deepEqual(stages(events), [
    'RequestReceived ',
    'ResponseStarted 200',
    'ResponseComplete 200',
    'RequestReceived ',
    'ResponseComplete 200',
  ])
  assert.equal(events.at(-1)?.responseStatus?.message, 'Connection closed early')
})

test('a refused request has its status at every level, and its body at the highest', () => {
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', reason: 'NotFound', code: 404 }
  for (const [level, body] of [
    ['Metadata', undefined],
    ['RequestResponse', JSON.stringify(status)],
  ] as const) {
    const { events, begin } = world({ rules: [{ level }] })
    const record = begin('ann get core/pods x/y')
    record.response(status)
    record.complete(404)
    const last = events.at(-1)
    assert.deepEqual([last?.responseStatus?.reason, last?.responseObject], ['NotFound', body])
  }
})

for (const [level, expected] of [
  ['Metadata', 2],
  ['Request', 1],
] as const)
  test(`a patch that is no JSON takes the event with it, as in Kubernetes, where its text would be shown: ${JSON.stringify(level)}`, () => {
    const { events, begin } = world({ rules: [{ level }] })
    const record = begin('ann patch core/pods x/y')
    record.patch('a: {b: c')
    record.complete(200)
    assert.equal(events.length, expected)
  })

test('audit ids of the client are stored whole, and returned truncated', () => {
  const { events, begin } = world({ rules: [{ level: 'Metadata' }] })
  const record = begin('ann get core/pods x/y', { auditId: 'x'.repeat(99) })
  assert.equal(record.id.length, 64)
  assert.equal(events[0]?.auditID.length, 99)
})

for (const [agent, seen] of [
  ['a'.repeat(1024), 'a'.repeat(1024)],
  ['a'.repeat(1025), `${'a'.repeat(1024)}...TRUNCATED`],
  ['é'.repeat(600), `${'é'.repeat(512)}...TRUNCATED`],
] as const)
  test(`a user agent of ${Buffer.byteLength(agent)} bytes: its first 1024 are stored`, () => {
    const { events, begin } = world({ rules: [{ level: 'Metadata' }] })
    begin('ann get core/pods x/y', { userAgent: agent })
    assert.equal(events[0]?.userAgent, seen)
  })

test('a request whose audit event cannot be written fails, and a waiting one reports its deadline', async () => {
  assert.equal(world({ rules: [{ level: 'Metadata' }] }, false).begin('ann get core/pods x/y').lost, true)
  const log = world({ omitStages: ['RequestReceived'], rules: [{ level: 'Metadata' }] }, async () => true)
  const record = log.begin('ann get core/pods x/y')
  assert.equal(record.delivered, undefined)
  record.complete(200)
  await record.delivered
  assert.equal(log.events.length, 1)
})

test('the old form is a line of words', () => {
  const { events, begin } = world({ rules: [{ level: 'Metadata' }] })
  begin('ann,g,h get core/pods x/y').complete(200)
  assert.equal(
    legacyLine(events[1] as AuditEvent)
      .replace(/^\S+/, 'T')
      .replace(/id="[^"]*"/, 'id=I'),
    'T AUDIT: id=I stage="ResponseComplete" ip="127.0.0.1" method="get" user="ann" groups="\\"g\\",\\"h\\"" as="<self>" asgroups="<lookup>" user-agent="kubectl" namespace="x" uri="/x" response="200"',
  )
})

test('a large event loses its bodies, and is dropped when it is still too large', () => {
  const kept: AuditEvent[] = []
  let dropped = 0
  const inner: AuditBackend = {
    process(events) {
      kept.push(...events)
      return true
    },
    async [Symbol.asyncDispose]() {},
  }
  const { events, begin } = world({ omitStages: ['RequestReceived'], rules: [{ level: 'RequestResponse' }] })
  const record = begin('ann get core/pods x/y')
  record.responseText(JSON.stringify('x'.repeat(3000)))
  record.complete(200)
  const backend = truncatingBackend(inner, 2000, () => dropped++)
  backend.process(events)
  assert.deepEqual([kept[0]?.responseObject, kept[0]?.annotations.get('audit.k8s.io/truncated')], [undefined, 'true'])
  truncatingBackend(inner, 100, () => dropped++).process(events)
  assert.deepEqual([kept.length, dropped], [1, 1])
})

for (const [name, text, says] of [
  ['nothing', '', 'unknown group version field audit.k8s.io/__internal, Kind=Policy in policy'],
  ['no version and a wrong type', 'rules: x', 'unknown group version field audit.k8s.io/__internal, Kind=Policy in policy'],
  [
    'another kind without a version',
    'kind: Pod',
    'failed decoding: no kind "Pod" is registered for the internal version of group "audit.k8s.io" in scheme "pkg/runtime/scheme.go:111"',
  ],
  ['no rules', 'apiVersion: audit.k8s.io/v1\nkind: Policy', 'loaded illegal policy with 0 rules'],
  ['no JSON', '"x"', /^failed decoding: couldn't get version\/kind; json parse error: json: cannot unmarshal string/],
  [
    'another kind',
    'apiVersion: audit.k8s.io/v1\nkind: Event',
    'failed decoding: converting (v1.Event) to (audit.Policy): unknown conversion',
  ],
  [
    'a wrong type',
    'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: 3}]',
    'failed decoding: json: cannot unmarshal number into Go struct field PolicyRule.rules.level of type v1.Level',
  ],
  [
    'several faults',
    'apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [Bad]\nrules: [{}, {level: None, nonResourceURLs: [z]}]',
    '[omitStages[0]: Invalid value: "Bad": allowed stages are RequestReceived,ResponseStarted,ResponseComplete,Panic, rules[0].level: Required value, rules[1].nonResourceURLs[0]: Invalid value: "z": non-resource URL rules must begin with a \'/\' character]',
  ],
] as const)
  test(`a policy with ${name} is refused in Kubernetes' words`, () =>
    assert.throws(
      () => readAuditPolicy(text),
      (e) => e instanceof AuditPolicyError && (typeof says === 'string' ? e.message === says : says.test(e.message)),
    ))

test('unknown fields are passed over, and named', () => {
  const { unknown } = readAuditPolicy(JSON.stringify({ ...HEAD, rules: [{ level: 'None', user: ['a'] }], more: 1 }))
  assert.deepEqual(unknown, ['rules[0].user', 'more'])
})
