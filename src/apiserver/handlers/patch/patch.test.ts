import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../../base/clock.ts'
import { seededRandom } from '../../../base/random.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { readPath } from '../../../machinery/resource/definition.ts'
import { deployments } from '../../../resources/apps/deployments.ts'
import type { AuditBackend } from '../../audit/audit-backend.ts'
import type { AuditEvent } from '../../audit/audit-event.ts'
import { createAuditLog } from '../../audit/audit-log.ts'
import type { AuditedRequest, AuditRecord } from '../../audit/audit-record.ts'
import { NO_OPINION } from '../../identity/authorizer.ts'
import { widget } from '../../store/store.double.ts'
import { handlerDouble } from '../handler.double.ts'

const COLLECTION = '/apis/apps/v1/namespaces/ns/deployments'
const PATH = `${COLLECTION}/web`
const WIDGET = '/apis/example.com/v1/namespaces/ns/widgets/a'

const TYPES = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const

const container = (name: string, image: string) => ({ name, image })

const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'ns', labels: { tier: 'front', team: 'a' } },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [container('main', 'a:1'), container('side', 'b:1')] } },
  },
}

async function deploymentDouble() {
  const world = await handlerDouble(deployments)
  await world.send(`POST ${COLLECTION}?fieldManager=maker`, { body: deployment })
  return world
}

type Kind = keyof typeof TYPES
const CONTAINERS = ['spec', 'template', 'spec', 'containers']
const imagesOf = (object: KubeObject) =>
  (readPath(object, CONTAINERS) as { name: string; image: string }[]).map((c) => `${c.name}=${c.image}`)

for (const [rule, kind, patch, shown] of [
  ['a merge patch removes what is null', 'merge', { metadata: { labels: { team: null } } }, '1 tier=front main=a:1 side=b:1'],
  [
    'a merge patch replaces lists',
    'merge',
    { spec: { template: { spec: { containers: [container('new', 'c:1')] } } } },
    '1 team=a tier=front new=c:1',
  ],
  [
    'a strategic patch merges containers by name',
    'strategic',
    { spec: { template: { spec: { containers: [container('side', 'b:2')] } } } },
    '1 team=a tier=front main=a:1 side=b:2',
  ],
  [
    'a strategic patch deletes by directive',
    'strategic',
    { spec: { template: { spec: { containers: [{ name: 'side', $patch: 'delete' }] } } } },
    '1 team=a tier=front main=a:1',
  ],
  [
    'a JSON patch works by position',
    'json',
    [
      { op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'a:2' },
      { op: 'remove', path: '/metadata/labels/tier' },
    ],
    '1 team=a main=a:2 side=b:1',
  ],
  [
    'a JSON patch whose test holds is applied',
    'json',
    [
      { op: 'test', path: '/spec/replicas', value: 1 },
      { op: 'replace', path: '/spec/replicas', value: 4 },
    ],
    '4 team=a tier=front main=a:1 side=b:1',
  ],
  ['removing a field with a default restores the default', 'merge', { spec: { replicas: null } }, '1 team=a tier=front main=a:1 side=b:1'],
  ['the status is not written by the resource path', 'merge', { status: { replicas: 9 } }, '1 team=a tier=front main=a:1 side=b:1'],
] as const satisfies readonly (readonly [string, Kind, object, string])[])
  test(rule, async () => {
    await using world = await deploymentDouble()
    const { code, object } = await world.send(`PATCH ${PATH}`, { body: patch, contentType: TYPES[kind] })
    const labels = Object.entries(object.metadata.labels ?? {}).map(([key, value]) => `${key}=${value}`)
    assert.deepEqual(
      object,
      world.store.get(world.store.ownWrite({ group: 'apps', resource: 'deployments', namespace: 'ns', name: 'web' })).object,
    )
    assert.equal([readPath(object, ['spec', 'replicas']), ...labels.sort((a, b) => (a < b ? -1 : 1)), ...imagesOf(object)].join(' '), shown)
    assert.equal(code, 200)
    assert.deepEqual(object.status, {})
  })

for (const [patch, kind, query, outcome] of [
  ['{"spec":', 'merge', '', '400 BadRequest: error decoding patch: unexpected end of JSON input'],
  ['[]', 'merge', '', '400 BadRequest: error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}'],
  ['[]', 'strategic', '', '400 BadRequest: json: cannot unmarshal array into Go value of type map[string]interface {}'],
  ['{}', 'json', '', '400 BadRequest: error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp'],
  [
    '[{"op":"add","path":"/spec/replicas","value":[1e400]}]',
    'json',
    '',
    '400 BadRequest: error decoding patch: json: cannot unmarshal number 1e400 into Go struct field jsonPatchOp.value of type float64',
  ],
  [
    '[{"op":"test","path":"/spec/replicas","value":7}]',
    'json',
    '',
    '422 Invalid: the server rejected our request due to an error in our request',
  ],
  ['[{"op":"remove","path":"/spec/nothing"}]', 'json', '', '422 Invalid: the server rejected our request due to an error in our request'],
  ['{"metadata":{"name":"other"}}', 'merge', '', '400 BadRequest: the name of the object (other) does not match the name on the URL (web)'],
  [
    '{"metadata":{"namespace":"other","resourceVersion":"-a"}}',
    'merge',
    '',
    '400 BadRequest: the namespace of the provided object does not match the namespace sent on the request',
  ],
  [
    '{"metadata":{"name":null}}',
    'merge',
    '',
    '400 BadRequest: the name of the object (web based on URL) was undeterminable: name must be provided',
  ],
  // Without an apiVersion it is decoded into the internal type, whose fields have other names.
  [
    '{"apiVersion":null}',
    'merge',
    '',
    '400 BadRequest: the name of the object (web based on URL) was undeterminable: name must be provided',
  ],
  [
    '[{"op":"remove","path":"/apiVersion"}]',
    'json',
    '',
    '400 BadRequest: the name of the object (web based on URL) was undeterminable: name must be provided',
  ],
  ['{"apiVersion":null}', 'strategic', '', '200'],
  [
    '{"metadata":{"resourceVersion":"1"}}',
    'merge',
    '',
    '409 Conflict: Operation cannot be fulfilled on deployments.apps "web": the object has been modified; please apply your changes to the latest version and try again',
  ],
  ['{"spec":{"replica":2}}', 'merge', '', '200 warning: unknown field "spec.replica"'],
  ['{"spec":{"replica":2}}', 'merge', '?fieldValidation=Ignore', '200'],
  ['{"spec":{"replica":2}}', 'strategic', '', '200 warning: unknown field "spec.replica"'],
  ['{"spec":{"replicas":2,"replicas":3}}', 'merge', '', '200 warning: duplicate field "spec.replicas"'],
  ['[{"op":"replace","path":"/spec/replicas","value":2,"why":"x"}]', 'json', '', '200 warning: json patch unknown field "[0].why"'],
  ['{}', 'apply', '', '422 Invalid: PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch'],
  [
    '{}',
    'merge',
    '?force=true',
    '422 Invalid: PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
  ],
  [
    '{"spec":{"replicas":-1}}',
    'merge',
    '',
    '422 Invalid: Deployment.apps "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
  ],
] as const satisfies readonly (readonly [string, Kind, string, string])[])
  test(`${kind} ${patch}${query}: ${outcome}`, async () => {
    await using world = await deploymentDouble()
    assert.equal(await world.outcome(`PATCH ${PATH}${query}`, { body: patch, contentType: TYPES[kind] }), outcome)
  })

test("a strict request is refused for an unknown field, and shows the patched object in Go's order", async () => {
  await using world = await deploymentDouble()
  const refused = await world.outcome(`PATCH ${PATH}?fieldValidation=Strict`, { body: { spec: { replica: 2 } }, contentType: TYPES.merge })
  assert.match(
    refused,
    /^422 Invalid: {2}"" is invalid: patch: Invalid value: "\{.*\}": strict decoding error: unknown field "spec.replica"$/,
  )
})

for (const [patch, why] of [
  ...[null, '/', 'apps/', 'apps/__internal'].map(
    (apiVersion) =>
      [{ apiVersion }, 'strict decoding error: unknown field "metadata", unknown field "spec", unknown field "status"'] as const,
  ),
  [
    { apiVersion: 'x.io/__internal', kind: 'Nope' },
    'no kind "Nope" is registered for the internal version of group "x.io" in scheme "pkg/runtime/scheme.go:111"',
  ],
  [
    { apiVersion: null, kind: 'Nope' },
    'no kind "Nope" is registered for the internal version of group "apps" in scheme "pkg/runtime/scheme.go:111"',
  ],
] as const)
  test(`a strict patch to ${JSON.stringify(patch)}: ${why}`, async () => {
    await using world = await deploymentDouble()
    const refused = await world.outcome(`PATCH ${PATH}?fieldValidation=Strict`, { body: patch, contentType: TYPES.merge })
    assert.ok(refused.startsWith('422 Invalid: ') && refused.endsWith(`: ${why}`), refused)
  })

test('a patch to a group without a version: the object has none', async () => {
  await using world = await deploymentDouble()
  const refused = await world.outcome(`PATCH ${PATH}`, { body: { apiVersion: 'x.io/' }, contentType: TYPES.merge })
  assert.match(refused, /: Object 'apiVersion' is missing in '\{"apiVersion":"x\.io\/",.*'$/)
})

test('a JSON patch has at most 10,000 operations', async () => {
  await using world = await deploymentDouble()
  const test = { op: 'test', path: '/spec/replicas', value: 1 }
  const sent = (count: number) =>
    world.outcome(`PATCH ${PATH}`, { body: Array.from({ length: count }, () => test), contentType: TYPES.json })
  assert.equal(await sent(10_000), '200')
  assert.match(await sent(10_001), /^413 RequestEntityTooLarge: .*The allowed maximum operations in a JSON patch is 10000, got 10001$/)
})

for (const [contentType, outcome] of [
  ['application/merge-patch+json; charset=utf-8', '200'],
  ['application/json', '415 UnsupportedMediaType: 415: Unsupported Media Type'],
  ['nothing', '415 UnsupportedMediaType: 415: Unsupported Media Type'],
] as const)
  test(`a patch of the type ${contentType}: ${outcome}`, async () => {
    await using world = await deploymentDouble()
    assert.equal(await world.outcome(`PATCH ${PATH}`, { body: {}, contentType }), outcome)
  })

const ACCEPTED = 'application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml'

for (const [patch, contentType, outcome] of [
  ['{"spec":{"size":2}}', TYPES.merge, '200'],
  [
    '{"spec":{"size":2}}',
    TYPES.strategic,
    `415 UnsupportedMediaType: the body of the request was in an unknown format - accepted media types include: ${ACCEPTED}`,
  ],
  [
    '{"kind":"Gadget","apiVersion":"/v1"}',
    TYPES.merge,
    '422 Invalid: Gadget "a" is invalid: [kind: Invalid value: "Gadget": must be Widget, apiVersion: Invalid value: "v1": must be example.com/v1]',
  ],
  [
    '{"apiVersion":"/"}',
    TYPES.merge,
    "500 InternalError: Internal error occurred: Object 'apiVersion' is missing in 'object has no apiVersion field'",
  ],
  ['{"kind":"Gadget"}', TYPES.merge, '422 Invalid: Gadget.example.com "a" is invalid: kind: Invalid value: "Gadget": must be Widget'],
  [
    '{"apiVersion":"example.com/v2"}',
    TYPES.merge,
    '422 Invalid: Widget.example.com "a" is invalid: apiVersion: Invalid value: "example.com/v2": must be example.com/v1',
  ],
  [
    '{"apiVersion":null}',
    TYPES.merge,
    `500 InternalError: Internal error occurred: Object 'apiVersion' is missing in 'object has no apiVersion field'`,
  ],
] as const)
  test(`custom objects: ${contentType} ${patch}: ${outcome}`, async () => {
    await using world = await handlerDouble()
    await world.store.create(world.write(), widget({ size: 1 }))
    assert.equal(await world.outcome(`PATCH ${WIDGET}`, { body: patch, contentType }), outcome)
  })

const applied = (how: object) => ({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, ...how })
const apply = (body: object | string) => ({ body, contentType: TYPES.apply })

test('an apply creates a missing object, and then owns what it names', async () => {
  await using world = await handlerDouble(deployments)
  const created = await world.send(`PATCH ${PATH}?fieldManager=one`, apply({ ...deployment, metadata: { name: 'web' } }))
  assert.equal(created.code, 201)
  assert.equal(created.object.metadata.namespace, 'ns')
  assert.deepEqual(
    created.object.metadata.managedFields?.map((entry) => [entry.manager, entry.operation]),
    [['one', 'Apply']],
  )
  const changed = await world.send(
    `PATCH ${PATH}?fieldManager=one`,
    apply({ ...deployment, metadata: { name: 'web' }, spec: { ...deployment.spec, replicas: 2 } }),
  )
  assert.deepEqual([changed.code, readPath(changed.object, ['spec', 'replicas'])], [200, 2])
})

test("another owner's value is a conflict that names it, unless the apply is forced", async () => {
  await using world = await deploymentDouble()
  const body = applied({ spec: { replicas: 5 } })
  assert.equal(
    await world.outcome(`PATCH ${PATH}?fieldManager=two`, apply(body)),
    '409 Conflict: Apply failed with 1 conflict: conflict with "maker" using apps/v1: .spec.replicas',
  )
  assert.equal(await world.outcome(`PATCH ${PATH}?fieldManager=two&force=true`, apply(body)), '200')
})

for (const [rule, line, body, outcome] of [
  [
    'a text that is no map',
    `${PATH}?fieldManager=m`,
    '- a',
    '400 BadRequest: error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go value of type map[string]interface {}',
  ],
  [
    'a uid of an object that does not exist',
    `${COLLECTION}/none?fieldManager=m`,
    JSON.stringify({ ...deployment, metadata: { name: 'none', uid: 'u' } }),
    '409 Conflict: Operation cannot be fulfilled on deployments.apps "none": uid mismatch: the provided object specified uid u, and no existing object was found',
  ],
  [
    'a key that stands twice',
    `${PATH}?fieldManager=maker`,
    'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nmetadata: {name: web}\n',
    '200 warning: line 4: key "metadata" already set in map',
  ],
] as const)
  test(`an apply of ${rule}: ${outcome}`, async () => {
    await using world = await deploymentDouble()
    assert.equal(await world.outcome(`PATCH ${line}`, apply(body)), outcome)
  })

test('an apply creates only for users who may create', async () => {
  await using world = await handlerDouble(deployments, {
    authorizer: { authorize: ({ verb }) => (verb === 'create' ? NO_OPINION : { verdict: 'allow', reason: '' }) },
  })
  const outcome = await world.outcome(`PATCH ${PATH}?fieldManager=m`, apply(deployment))
  assert.match(outcome, /^403 Forbidden: deployments.apps "web" is forbidden: User "ann" cannot create resource "deployments"/)
})

for (const [query, recorded] of [
  ['?fieldManager=me', '{"spec":{"paused":true}}'],
  ['?fieldValidation=Never', undefined],
] as const)
  test(`the audit log has a patch only if its options are valid: ${query}`, async () => {
    let record: AuditRecord | undefined
    const events: AuditEvent[] = []
    const backend: AuditBackend = {
      process: (some) => events.push(...some) > 0,
      async [Symbol.asyncDispose]() {},
    }
    const log = createAuditLog({ rules: [{ level: 'Request' }] }, { clock: new VirtualClock(), random: seededRandom(1), backend })
    const begin = async (request: AuditedRequest) => {
      record = await log.begin(request)
      return record
    }
    await using world = await handlerDouble(deployments, { audit: { ...log, begin } })
    await world.outcome(`PATCH ${PATH}${query}`, { body: '{"spec":{"paused":true}}', contentType: TYPES.merge })
    record?.complete(404)
    assert.equal(events.at(-1)?.requestObject, recorded)
  })
