import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import { seededRandom } from '../../base/random.ts'
import type { ApiCall } from '../../machinery/api-call.ts'
import type { UserInfo } from '../../machinery/resource/user.ts'
import { isStatus } from '../../machinery/status-error.ts'
import type { AuditEvent } from '../audit/audit-event.ts'
import { createAuditLog } from '../audit/audit-log.ts'
import { pipelineDouble } from '../pipeline/pipeline.double.ts'
import { widget } from '../store/store.double.ts'
import { infoOf } from './in-process-request.ts'
import { inProcess } from './in-process-transport.ts'

const target = { group: 'example.com', version: 'v1', resource: 'widgets', namespace: 'ns' }
const ann = { name: 'ann', groups: [] }

/** A transport into a server of widgets, and the audit events of what comes by it. */
async function transportDouble() {
  const events: AuditEvent[] = []
  const backend = {
    process: (some: readonly AuditEvent[]) => events.push(...some) > 0,
    async [Symbol.asyncDispose]() {},
  }
  const policy = { rules: [{ level: 'Metadata' as const }], omitStages: ['RequestReceived' as const] }
  const audit = createAuditLog(policy, { clock: new VirtualClock(), random: seededRandom(1), backend })
  const world = await pipelineDouble({ audit })
  const lines = () => events.map((e) => `${e.stage} ${e.user?.name} ${e.verb} ${e.requestURI} ${e.responseStatus?.code}`)
  return { ...world, lines, transport: inProcess(() => world.server, ann), [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() }
}

const call = (verb: ApiCall['verb'], more: Partial<ApiCall> = {}): ApiCall => ({ verb, target, query: {}, ...more })

for (const [verb, where, path] of [
  ['list', {}, 'GET /apis/example.com/v1/namespaces/ns/widgets'],
  ['update', { name: 'a', subresource: 'status' }, 'PUT /apis/example.com/v1/namespaces/ns/widgets/a/status'],
  ['get', { group: '', namespace: '', resource: 'nodes', name: 'n' }, 'GET /api/v1/nodes/n'],
] as const)
  test(`${verb} in process requests ${path}`, () => {
    const info = infoOf({ verb, target: { ...target, ...where } })
    assert.equal(`${info.method} ${info.path}`, path)
  })

test('a call is carried out, answered with an object, and audited like one from a socket', async () => {
  await using world = await transportDouble()
  const made = await world.transport.call(call('create', { body: widget({ size: 1 }), query: { fieldManager: 'test' } }))
  assert.equal(made.metadata.name, 'a')
  const list = await world.transport.call(call('list'))
  assert.equal(list.kind, 'WidgetList')
  assert.deepEqual(world.lines(), [
    'ResponseComplete ann create /apis/example.com/v1/namespaces/ns/widgets?fieldManager=test 201',
    'ResponseComplete ann list /apis/example.com/v1/namespaces/ns/widgets 200',
  ])
})

test('a caller owns the fields that it writes by the name of its program, or its own', async () => {
  await using world = await transportDouble()
  const manager = async (user: UserInfo, name: string) => {
    const body = { ...widget({ size: 1 }), metadata: { name } }
    const made = await inProcess(() => world.server, user).call(call('create', { body }))
    return made.metadata.managedFields?.map((entry) => entry.manager)
  }
  assert.deepEqual(await manager(ann, 'a'), ['ann'])
  assert.deepEqual(await manager({ ...ann, program: 'kubelet' }, 'b'), ['kubelet'])
})

test('a call that fails rejects with its status, and its record ends with it', async () => {
  await using world = await transportDouble()
  const gone = world.transport.call(call('get', { target: { ...target, name: 'missing' } }))
  await assert.rejects(gone, (error) => isStatus(error, 'NotFound'))
  assert.deepEqual(world.lines(), ['ResponseComplete ann get /apis/example.com/v1/namespaces/ns/widgets/missing 404'])
})

test('a page is read by its path, and a resource is no page', async () => {
  await using world = await transportDouble()
  assert.deepEqual((await world.transport.page({ path: '/version' })).value, {})
  await assert.rejects(world.transport.page({ path: '/nothing' }), (error) => isStatus(error, 'NotFound'))
  const resource = world.transport.page({ path: '/apis/example.com/v1/namespaces/ns/widgets' })
  await assert.rejects(resource, (error) => isStatus(error, 'BadRequest'))
})

test('a watch sends events until it is aborted, and its record has a beginning and an end', async () => {
  await using world = await transportDouble()
  const end = new AbortController()
  await world.transport.call(call('create', { body: widget({ size: 1 }) }))
  const seen: string[] = []
  for await (const events of world.transport.watch(call('watch', { signal: end.signal }))) {
    seen.push(...events.map((e) => `${e.type} ${e.object.metadata.name}`))
    end.abort()
  }
  assert.deepEqual(seen, ['ADDED a'])
  assert.deepEqual(
    world
      .lines()
      .slice(1)
      .map((line) => line.split(' ')[0]),
    ['ResponseStarted', 'ResponseComplete'],
  )
})
