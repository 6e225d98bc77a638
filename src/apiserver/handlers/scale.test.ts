import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPath } from '../../machinery/resource/definition.ts'
import { deployments } from '../../resources/apps/deployments.ts'
import { handlerDouble } from './handler.double.ts'

const PATH = '/apis/apps/v1/namespaces/ns/deployments/web'
const MERGE = 'application/merge-patch+json'

const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'ns' },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' }, matchExpressions: [{ key: 'tier', operator: 'In', values: ['b', 'a'] }] },
    template: { metadata: { labels: { app: 'web', tier: 'a' } }, spec: { containers: [{ name: 'main', image: 'a:1' }] } },
  },
}

const scaleTo = (replicas: number, metadata: object = {}) => ({
  apiVersion: 'autoscaling/v1',
  kind: 'Scale',
  metadata: { name: 'web', namespace: 'ns', ...metadata },
  spec: { replicas },
})

async function scaleDouble(definition = deployments) {
  const world = await handlerDouble(definition)
  await world.send('POST /apis/apps/v1/namespaces/ns/deployments?fieldManager=maker', { body: deployment })
  const stored = () =>
    world.store.get(world.store.ownWrite({ group: 'apps', resource: 'deployments', namespace: 'ns', name: 'web' })).object
  return {
    ...world,
    stored,
    replicas: () => readPath(stored(), ['spec', 'replicas']),
    /** Who owns the replicas, in the order of the managed fields. */
    owners: () =>
      (stored().metadata.managedFields ?? [])
        .filter(({ fieldsV1 }) => JSON.stringify(fieldsV1).includes('"f:replicas"'))
        .map(({ manager, operation, apiVersion }) => `${manager} ${operation} ${apiVersion}`),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}

test('a scale shows the identity of its object, the replicas and the selector as text, and no managed fields', async () => {
  await using world = await scaleDouble()
  await world.store.change(
    { group: 'apps', resource: 'deployments', namespace: 'ns', name: 'web' },
    (draft) => {
      draft.status = { replicas: 1 }
    },
    { subresource: 'status' },
  )
  const { object } = await world.send(`GET ${PATH}/scale`)
  const { uid, resourceVersion, creationTimestamp } = world.stored().metadata
  assert.deepEqual(object, {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name: 'web', namespace: 'ns', uid, resourceVersion, creationTimestamp },
    spec: { replicas: 2 },
    status: { replicas: 1, selector: 'app=web,tier in (a,b)' },
  })
})

test('a scale writes the replicas of its object alone, and takes their ownership', async () => {
  await using world = await scaleDouble()
  const before = world.stored()
  assert.deepEqual(world.owners(), ['maker Update apps/v1'])
  const { object } = await world.send(`PUT ${PATH}/scale?fieldManager=scaler`, { body: scaleTo(7) })
  assert.deepEqual([readPath(object, ['spec', 'replicas']), world.replicas()], [7, 7])
  assert.deepEqual(world.owners(), ['scaler Update apps/v1'])
  assert.deepEqual({ ...(world.stored().spec as object), replicas: 2 }, before.spec)
  assert.equal(world.stored().metadata.generation, 2)
})

test('an apply of a scale owns the replicas, and another applier is a conflict', async () => {
  await using world = await scaleDouble()
  const apply = (manager: string, replicas: number, force = '') =>
    world.outcome(`PATCH ${PATH}/scale?fieldManager=${manager}${force}`, {
      body: { apiVersion: 'autoscaling/v1', kind: 'Scale', spec: { replicas }, metadata: { name: 'web' } },
      contentType: 'application/apply-patch+yaml',
    })
  assert.equal(await apply('one', 3, '&force=true'), '200')
  assert.deepEqual(world.owners(), ['one Apply apps/v1'])
  assert.match(
    await apply('two', 4),
    /^409 Conflict: Apply failed with 1 conflict: conflict with "one" with subresource "scale": \.spec\.replicas$/,
  )
  assert.equal(await apply('two', 4, '&force=true'), '200')
  assert.deepEqual([world.owners(), world.replicas()], [['two Apply apps/v1'], 4])
})

test('a scale leaves the owners at a version without scale alone', async () => {
  const [v1] = deployments.versions
  assert.ok(v1)
  const { scale: _, ...others } = deployments.subresources ?? {}
  const versions = [v1, { ...v1, version: 'v2', subresources: others }]
  await using world = await scaleDouble({ ...deployments, versions })
  const apply = { apiVersion: 'apps/v2', kind: 'Deployment', spec: { replicas: 2 } }
  await world.send(`PATCH ${PATH.replace('v1', 'v2')}?fieldManager=two`, { body: apply, contentType: 'application/apply-patch+yaml' })
  await world.send(`PATCH ${PATH}/scale?fieldManager=scaler`, { body: { spec: { replicas: 3 } }, contentType: MERGE })
  assert.deepEqual([world.owners(), world.replicas()], [['two Apply apps/v2', 'scaler Update apps/v1'], 3])
})

test('a custom object without replicas has no scale until a write sets them', async () => {
  const custom = { ...deployments, customDefinition: 'deployments.apps', rules: { validateCreate: () => [], validateUpdate: () => [] } }
  await using world = await handlerDouble(custom)
  const { replicas: _, ...spec } = deployment.spec
  await world.send('POST /apis/apps/v1/namespaces/ns/deployments', { body: { ...deployment, spec } })
  const empty = '400 BadRequest: the spec replicas field ".spec.replicas" cannot be empty'
  assert.match(await world.outcome(`GET ${PATH}/scale`), /^500 InternalError: .*the spec replicas field ".spec.replicas" does not exist$/)
  assert.equal(await world.outcome(`PATCH ${PATH}/scale`, { body: {}, contentType: MERGE }), empty)
  assert.equal(await world.outcome(`PATCH ${PATH}/scale`, { body: { spec: { replicas: null } }, contentType: MERGE }), '200')
  assert.deepEqual((await world.send(`GET ${PATH}/scale`)).object.spec, {})
})

test('an apply that changes the scale of a custom object is refused, as Kubernetes cannot convert it', async () => {
  await using world = await scaleDouble({ ...deployments, customDefinition: 'deployments.apps' })
  const apply = (replicas: number) =>
    world.outcome(`PATCH ${PATH}/scale?fieldManager=one&force=true`, {
      body: { apiVersion: 'autoscaling/v1', kind: 'Scale', spec: { replicas }, metadata: { name: 'web' } },
      contentType: 'application/apply-patch+yaml',
    })
  const refused = 'to proper version: request to convert CR to an invalid group/version: autoscaling/v1'
  assert.equal(await apply(3), `500 -: failed to convert new object (/web; autoscaling/v1, Kind=Scale) ${refused}`)
  assert.equal(await apply(2), '200')
  await world.send(`PATCH ${PATH}`, { body: { metadata: { managedFields: [{}] } }, contentType: MERGE })
  assert.equal(
    await apply(2),
    `500 -: failed to create manager for existing fields: failed to convert live object (/; autoscaling/v1, Kind=Scale) ${refused}`,
  )
})

test('zero replicas are an empty spec', async () => {
  await using world = await scaleDouble()
  await world.send(`PATCH ${PATH}/scale`, { body: { spec: { replicas: 0 } }, contentType: MERGE })
  assert.equal(world.replicas(), 0)
  assert.deepEqual((await world.send(`GET ${PATH}/scale`)).object.spec, {})
})

const MODIFIED = 'the object has been modified; please apply your changes to the latest version and try again'

for (const [rule, body, outcome] of [
  [
    'a negative number',
    scaleTo(-1),
    '422 Invalid: Scale.autoscaling "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
  ],
  [
    'another name',
    scaleTo(3, { name: 'other' }),
    '400 BadRequest: the name of the object (other) does not match the name on the URL (web)',
  ],
  [
    'another namespace',
    scaleTo(3, { namespace: 'other' }),
    '400 BadRequest: the namespace of the provided object does not match the namespace sent on the request',
  ],
  [
    'an old revision',
    scaleTo(3, { resourceVersion: '1' }),
    `409 Conflict: Operation cannot be fulfilled on deployments.apps "web": ${MODIFIED}`,
  ],
  [
    'another kind',
    { ...scaleTo(3), kind: 'Deployment', apiVersion: 'apps/v1' },
    '400 BadRequest: Deployment in version "v1" cannot be handled as a Scale: converting (v1.Deployment) to (autoscaling.Scale): unknown conversion',
  ],
  [
    'the version of an old group',
    { ...scaleTo(3), apiVersion: 'extensions/v1beta1' },
    '400 BadRequest: the API version in the data (extensions/v1beta1) does not match the expected API version (autoscaling/v1)',
  ],
] as const)
  test(`a scale with ${rule} is refused`, async () => {
    await using world = await scaleDouble()
    assert.equal(await world.outcome(`PUT ${PATH}/scale`, { body }), outcome)
    assert.equal(world.replicas(), 2)
  })

for (const [rule, metadata, message] of [
  ['labels', { labels: { 'a b': 'c' } }, /Scale\.autoscaling "web" is invalid: metadata\.labels: Invalid value: "a b"/],
  ['finalizers', { finalizers: ['x'] }, /name is neither a standard finalizer name nor is it fully qualified/],
  ['a generated name', { generateName: 'A_' }, /metadata\.generateName: Invalid value: "A_"/],
  ['another uid', { uid: 'x' }, /deployments\/scale\.apps "web": Precondition failed: UID in precondition: x, UID in object meta: /],
  ['no revision', { resourceVersion: 'x' }, /strconv\.ParseUint: parsing "x": invalid syntax/],
] as const) {
  test(`the metadata of a patched scale is validated: ${rule}`, async () => {
    await using world = await scaleDouble()
    const body = { metadata, spec: { replicas: 3 } }
    await assert.rejects(world.send(`PATCH ${PATH}/scale`, { body, contentType: MERGE }), message)
    assert.equal(world.replicas(), 2)
  })
}
