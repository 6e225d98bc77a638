/** Observability of a cluster: metrics, the audit log, and flow control. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import http2 from 'node:http2'
import os from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import type { Cluster } from '../../src/cluster/cluster.ts'
import { completeConfig } from '../../src/cluster/config.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'

const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-observe-'))
const log = path.join(folder, 'audit.log')
const POLICY = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [
    { level: 'RequestResponse', verbs: ['create'], resources: [{ resources: ['configmaps'] }], omitManagedFields: true },
    { level: 'RequestResponse', nonResourceURLs: ['/api*'] },
    // Rules apply to the authenticated user, not to the impersonated one.
    { level: 'Metadata', users: ['admin'], resources: [{ resources: ['nodes'] }] },
  ],
}
let cluster: Cluster
let session: http2.ClientHttp2Session | undefined

before(async () => {
  cluster = await startCluster({ parts: ['server'], auditPolicy: POLICY, auditLog: log })
  const address = await cluster.listen()
  const kubeconfig = cluster.kubeconfig()
  const data = (name: string) => Buffer.from(new RegExp(`${name}-data: (\\S+)`).exec(kubeconfig)?.[1] ?? '', 'base64')
  session = http2.connect(address, { ca: data('certificate-authority'), cert: data('client-certificate'), key: data('client-key') })
})
after(async () => {
  session?.destroy()
  await cluster[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

interface Reply {
  readonly code: number
  readonly headers: http2.IncomingHttpHeaders
  readonly body: string
}

async function send(method: string, url: string, body?: unknown, headers: Record<string, string> = {}): Promise<Reply> {
  assert.ok(session)
  const stream = session.request({ ':method': method, ':path': url, 'content-type': 'application/json', ...headers })
  stream.end(body === undefined ? undefined : JSON.stringify(body))
  const got = Promise.withResolvers<http2.IncomingHttpHeaders>()
  stream.once('response', (h) => got.resolve(h))
  stream.once('error', got.reject)
  const answer = await got.promise
  let text = ''
  for await (const part of stream) text += String(part)
  return { code: Number(answer[':status']), headers: answer, body: text }
}

const MAPS = '/api/v1/namespaces/default/configmaps'
const map = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } })
const metric = async (name: string) => {
  const { body } = await send('GET', '/metrics')
  return body.split('\n').filter((line) => line.startsWith(name))
}

test('requests are counted by their attributes and outcomes', async () => {
  for (const code of [201, 409]) assert.equal((await send('POST', MAPS, map('counted'))).code, code)
  await send('GET', MAPS)
  await send('GET', '/api/v1/namespaces/default/unheard-of')
  const totals = await metric('apiserver_request_total')
  const one = (code: number, scope: string, verb: string) =>
    `apiserver_request_total{code="${code}",component="apiserver",dry_run="",group="",resource="configmaps",scope="${scope}",subresource="",verb="${verb}",version="v1"} 1`
  assert.ok(totals.includes(one(409, 'resource', 'POST')))
  assert.ok(totals.includes(one(200, 'namespace', 'LIST')))
  assert.ok(totals.every((line) => !line.includes('unheard-of')))
  assert.match((await metric('apiserver_storage_objects{resource="configmaps"}')).join(), /} \d+$/)
  assert.match((await metric('apiserver_cache_list_total{group="",index="",resource="configmaps"}')).join(), /} 1$/)
  const step = 'apiserver_admission_step_admission_duration_seconds_count{operation="CREATE",rejected="false",type="admit"}'
  assert.match((await metric(step)).join(), /} [1-9]/)
  assert.match((await metric('process_cpu_seconds_total')).join(), / [\d.]+$/)
  assert.match((await send('GET', '/metrics/slis')).body, /^kubernetes_healthcheck\{name="etcd",type="readyz"\} 1$/m)
})

test('each series appears once, under one head', async () => {
  const { body, headers } = await send('GET', '/metrics')
  assert.match(String(headers['content-type']), /^text\/plain; version=0\.0\.4/)
  const lines = body.trim().split('\n')
  const series = lines.filter((line) => line !== '' && !line.startsWith('#')).map((line) => line.slice(0, line.lastIndexOf(' ')))
  assert.deepEqual(series.toSorted(), [...new Set(series)].sort())
  const heads = lines.filter((line) => line.startsWith('# TYPE')).map((line) => line.split(' ')[2])
  assert.equal(new Set(heads).size, heads.length)
})

/** The events of the log, as soon as `enough` accepts them: the file is written after the responses. */
// biome-ignore lint/suspicious/noExplicitAny: events are what the test looks into.
function written(enough: (events: any[]) => boolean): Promise<any[]> {
  return waitFor(() => {
    const events = readFileSync(log, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line))
    if (enough(events)) return events
    throw new Error(`of ${events.length} events none is wanted: ${JSON.stringify(events.at(-1))}`)
  })
}

test('the audit log has the events of its policy, for requests from outside and inside', async () => {
  const created = await send('POST', MAPS, map('audited'), { 'audit-id': 'mine' })
  assert.deepEqual([created.code, created.headers['audit-id']], [201, 'mine'])
  await cluster.client().create({ group: '', version: 'v1', resource: 'configmaps', namespace: 'default' }, map('inside'))
  assert.equal((await send('GET', '/api/v1/nodes', undefined, { 'impersonate-user': 'jane' })).code, 403)
  assert.equal((await send('POST', MAPS, map('unread'), { accept: 'text/csv' })).code, 406)
  const events = await written((all) => all.some((e) => e.impersonatedUser) && all.some((e) => e.responseStatus.code === 406))
  assert.deepEqual(events.find((e) => e.responseStatus.code === 406).responseStatus, { metadata: {}, code: 406 })
  const audited = events.find((e) => e.objectRef?.name === 'audited')
  assert.deepEqual(
    [audited.kind, audited.apiVersion, audited.level, audited.stage, audited.verb, audited.user.username, audited.requestURI],
    ['Event', 'audit.k8s.io/v1', 'RequestResponse', 'ResponseComplete', 'create', 'admin', MAPS],
  )
  assert.equal(audited.auditID, 'mine')
  assert.equal(audited.requestObject.metadata.name, 'audited')
  assert.equal(audited.responseObject.metadata.managedFields, undefined)
  assert.ok(audited.responseObject.metadata.uid)
  assert.equal(audited.annotations['authorization.k8s.io/decision'], 'allow')
  assert.equal(events.find((e) => e.objectRef?.name === 'inside').requestURI, MAPS)
  const refused = events.find((e) => e.impersonatedUser?.username === 'jane')
  assert.deepEqual(
    [refused.responseStatus.code, refused.responseStatus.reason, refused.annotations['authorization.k8s.io/decision']],
    [403, 'Forbidden', 'forbid'],
  )
  assert.ok(events.every((e) => e.verb !== 'list' || e.impersonatedUser))
})

test('an invalid policy is reported at the start', async (t) => {
  const use = (auditPolicy: string) => () => completeConfig({ ephemeral: true, auditLog: log, auditPolicy })
  const file = (text: string) => {
    const name = path.join(folder, 'policy.yaml')
    writeFileSync(name, text)
    return name
  }
  await t.test('missing', () => assert.throws(use('/nowhere/policy.yaml'), /--audit-policy: .*ENOENT/))
  await t.test('no YAML', () => assert.throws(use(file('{')), /--audit-policy: .*cannot be read/))
  await t.test('no policy', () => assert.throws(use(file('apiVersion: audit.k8s.io/v1\nkind: Pod')), /no kind "Pod"/))
  await t.test('wrong level', () =>
    assert.throws(use(file('apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Loud}]')), /rules\[0\]\.level: Unsupported value/),
  )
  await t.test('wrong field', () =>
    assert.throws(use(file('apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: None, user: [a]}]')), /no field "rules\[0\]\.user"/),
  )
  await t.test('without a log', () => assert.throws(() => completeConfig({ auditPolicy: POLICY }), /--audit-log/))
  await t.test('a log that cannot be written', () =>
    assert.rejects(startCluster({ parts: ['server'], auditLog: '/proc/nowhere/audit.log' }), /--audit-log: .*cannot be written/),
  )
})

test('calls of webhooks are counted: those that failed, and those that were passed over', async () => {
  const hook = (name: string, failurePolicy: string) => ({
    name,
    failurePolicy,
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    clientConfig: { url: 'https://127.0.0.1:1/' },
    rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['podtemplates'], operations: ['CREATE'] }],
  })
  const hooks = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'
  const configuration = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'gone' },
    webhooks: [hook('open.example.com', 'Ignore'), hook('closed.example.com', 'Fail')],
  }
  assert.equal((await send('POST', hooks, configuration)).code, 201)
  const template = { spec: { containers: [{ name: 'a', image: 'a' }] } }
  const answer = await send('POST', '/api/v1/namespaces/default/podtemplates', {
    apiVersion: 'v1',
    kind: 'PodTemplate',
    metadata: { name: 'a' },
    template,
  })
  assert.equal(answer.code, 500)
  assert.deepEqual(await metric('apiserver_admission_webhook_fail_open_count'), [
    'apiserver_admission_webhook_fail_open_count{name="open.example.com",type="validating"} 1',
  ])
  assert.deepEqual(await metric('apiserver_admission_webhook_rejection_count'), [
    'apiserver_admission_webhook_rejection_count{error_type="calling_webhook_error",name="closed.example.com",operation="CREATE",rejection_code="0",type="validating"} 1',
  ])
})

test('a client that floods a level gets 429; others and system:masters do not', async () => {
  const flow = '/apis/flowcontrol.apiserver.k8s.io/v1'
  const apiVersion = 'flowcontrol.apiserver.k8s.io/v1'
  const level = await send('POST', `${flow}/prioritylevelconfigurations`, {
    apiVersion,
    kind: 'PriorityLevelConfiguration',
    metadata: { name: 'narrow' },
    spec: { type: 'Limited', limited: { nominalConcurrencyShares: 0, lendablePercent: 0, limitResponse: { type: 'Reject' } } },
  })
  assert.equal(level.code, 201, level.body)
  const rule = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true }
  const schema = await send('POST', `${flow}/flowschemas`, {
    apiVersion,
    kind: 'FlowSchema',
    metadata: { name: 'flooder' },
    spec: {
      priorityLevelConfiguration: { name: 'narrow' },
      matchingPrecedence: 50,
      rules: [{ subjects: [{ kind: 'User', user: { name: 'flooder' } }], resourceRules: [rule] }],
    },
  })
  assert.equal(schema.code, 201, schema.body)
  const binding = await send('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'flooder' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: ['flooder', 'quiet'].map((name) => ({ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name })),
  })
  assert.equal(binding.code, 201, binding.body)
  const as = (name: string | undefined, prefix: string) =>
    Array.from({ length: 40 }, (_, i) => send('POST', MAPS, map(`${prefix}-${i}`), name === undefined ? {} : { 'impersonate-user': name }))
  const [flood, quiet, masters] = await Promise.all([
    Promise.all(as('flooder', 'flood')),
    Promise.all(as('quiet', 'quiet')),
    Promise.all(as(undefined, 'masters')),
  ])
  assert.deepEqual(new Set([...quiet, ...masters].map((r) => r.code)), new Set([201]))
  const refused = flood.filter((r) => r.code === 429)
  assert.ok(refused.length > 0 && flood.some((r) => r.code === 201), `${refused.length} of ${flood.length} refused`)
  for (const { headers, body } of refused) {
    assert.equal(headers['retry-after'], '1')
    assert.equal(JSON.parse(body).reason, 'TooManyRequests')
  }
  const reported = await metric('apiserver_flowcontrol_rejected_requests_total')
  assert.deepEqual(reported, [
    `apiserver_flowcontrol_rejected_requests_total{flow_schema="flooder",priority_level="narrow",reason="concurrency-limit"} ${refused.length}`,
  ])
  assert.deepEqual(await metric('apiserver_request_terminations_total'), [
    `apiserver_request_terminations_total{code="429",component="apiserver",group="",resource="configmaps",scope="resource",subresource="",verb="POST",version="v1"} ${refused.length}`,
  ])
  const executing = await metric('apiserver_flowcontrol_current_executing_requests')
  // The request that reads the metrics is exempt.
  assert.ok(executing.every((line) => line.includes('"exempt"') || line.endsWith(' 0')))
})

test("every response has an audit id: the client's own, or a new one", async () => {
  const ids = new Set<unknown>()
  for (const url of ['/api/v1/nodes', '/api/v1/nodes/none', '/healthz', '/none', '/%zz']) {
    assert.equal((await send('GET', url, undefined, { 'audit-id': 'mine' })).headers['audit-id'], 'mine', url)
    const id = (await send('GET', url)).headers['audit-id']
    assert.match(String(id), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/, url)
    ids.add(id)
  }
  assert.equal(ids.size, 5)
})

for (const [line, isClassified] of [
  [`GET ${MAPS}`, true],
  [`GET ${MAPS}?watch=1&timeoutSeconds=1`, true],
  ['GET /nothing', true],
  ['GET /api/v1/namespaces/default/pods/p/log', false],
  ['POST /api/v1/namespaces/default/pods/p/exec', false],
  ['GET /api/v1/nodes/n/proxy/', false],
] as const)
  test(`${line} ${isClassified ? 'has a flow schema' : 'passes flow control by'}`, async () => {
    const [method = '', url = ''] = line.split(' ')
    const { headers } = await send(method, url)
    assert.equal('x-kubernetes-pf-flowschema-uid' in headers, isClassified)
  })

test('parts of an object have no table', async () => {
  const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }
  for (const part of ['ephemeralcontainers', 'resize']) {
    const { code } = await send('GET', `/api/v1/namespaces/default/pods/p/${part}`, undefined, table)
    assert.equal(code, 406, part)
  }
})

for (const [path, accept, kind] of [
  ['/api/v1', 'application/vnd.kubernetes.protobuf', 'APIResourceList'],
  ['/apis/apps', 'application/yaml', 'APIGroup'],
  ['/apis', 'application/vnd.kubernetes.protobuf;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList', 'APIGroupDiscoveryList'],
] as const)
  test(`the audit log has discovery in JSON, whatever the client gets: ${path} as ${accept}`, async () => {
    const { headers } = await send('GET', path, undefined, { accept })
    const events = await written((all) => all.some((e) => e.auditID === headers['audit-id']))
    assert.equal(events.find((e) => e.auditID === headers['audit-id']).responseObject.kind, kind)
  })
