/** `controllerreports` of an operator of the SDK: its keys, and of each reconciliation the event, the plan and the writes. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { isStatus } from '../../src/machinery/status-error.ts'
import type { ControllerReport } from '../../src/resources/bowsprit/controller-report.ts'
import type { RequestTrail } from '../../src/resources/bowsprit/request-trail.ts'
import * as refs from '../../src/resources/refs.ts'
import { CONFIG_MAP, SECRET } from '../../src/sdk/kinds/builtin-kinds.ts'
import { controller } from '../../src/sdk/operator/controller.ts'
import { createManager } from '../../src/sdk/operator/manager.ts'
import { configMap } from '../../src/testing/builders.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'

const REPORTS = { group: 'bowsprit.dev', version: 'v1', resource: 'controllerreports' }
const TRAILS = { ...REPORTS, resource: 'requesttrails' }
const MAPS = { ...refs.CONFIG_MAPS, namespace: 'default' }

/** Each config map with an `owner` has a secret; one that is `broken` fails. */
const secrets = controller({
  for: CONFIG_MAP,
  name: 'secrets',
  owns: [SECRET],
  reconcile: ({ object: { metadata, data } }) => {
    if (data?.broken !== undefined) throw new Error('it is broken')
    if (data?.owner === undefined) return undefined
    return { children: [{ apiVersion: 'v1', kind: 'Secret', metadata: { name: `${metadata.name}-s` } }], requeueAfterMs: 60_000 }
  },
})

/** A cluster with the operator, which is somebody else's program. */
async function withOperator(t: TestContext, user = 'admin') {
  const cluster = await startCluster({ nodes: 0, parts: ['server'], trails: true })
  t.after(() => cluster[Symbol.asyncDispose]())
  const stop = new AbortController()
  const client = user === 'admin' ? cluster.client() : cluster.client({ name: user, groups: ['system:authenticated'] })
  const running = createManager({ client, controllers: [secrets], reports: true }).run(stop.signal)
  t.after(async () => {
    stop.abort()
    await running
  })
  return cluster
}

test('an operator tells its keys, and the event, plan and writes of each reconciliation', async (t) => {
  const cluster = await withOperator(t)
  const client = cluster.client()
  await client.create(MAPS, configMap('web', { owner: 'ann' }))
  await client.create(MAPS, configMap('bad', { broken: 'yes' }))
  const report = await waitFor(async () => {
    const found = (await client.list<ControllerReport>(REPORTS)).items.find(({ metadata }) => metadata.name === 'secrets')
    return found?.recent?.some(({ writes }) => writes) && found.failing > 0 ? found : undefined
  })
  assert.equal(report.component, 'admin')
  const [first] = report.keys ?? []
  assert.deepEqual([first?.key, first?.error], ['default/bad', 'it is broken'])
  const made = report.recent?.find(({ writes }) => writes !== undefined)
  assert.equal(made?.key, 'default/web')
  assert.deepEqual(made.plan, [
    { step: 'apply', apiVersion: 'v1', kind: 'Secret', namespace: 'default', name: 'web-s' },
    { step: 'again', afterMs: 60_000 },
  ])
  assert.deepEqual(
    made.writes?.map(({ verb, resource, name }) => [verb, resource, name]),
    [['patch', 'secrets', 'web-s']],
  )
  const cause = await client.get<RequestTrail>({ ...TRAILS, name: made.cause?.requestTrail ?? '' })
  assert.deepEqual([cause.verb, cause.target?.name], ['create', 'web'])
})

test('who may not create reports is an operator without them', async (t) => {
  const cluster = await withOperator(t, 'somebody')
  await waitFor(async () => {
    const trails = await cluster.client().list<RequestTrail>(TRAILS, { fieldSelector: 'user.name=somebody' })
    return trails.items.length > 0
  })
  assert.deepEqual((await cluster.client().list(REPORTS)).items, [])
})

test('a report is checked: it has a name, is of bounded size, and its component is its user', async () => {
  await using cluster = await startCluster({ nodes: 0, parts: ['server'], trails: true })
  const client = cluster.client()
  const report = (more: object) => ({ apiVersion: 'bowsprit.dev/v1', kind: 'ControllerReport', metadata: { name: 'x' }, ...more }) as never
  const refusedWith = (code: number) => (error: unknown) => isStatus(error) && error.code === code
  await assert.rejects(client.create(REPORTS, report({ metadata: {} })), refusedWith(422))
  await assert.rejects(client.create(REPORTS, report({ component: 'x'.repeat(200_000) })), refusedWith(413))
  await client.create(REPORTS, report({ component: 'somebody else', keys: [{ key: 'a/b', state: 'waiting' }] }))
  const [only] = (await client.list<ControllerReport>(REPORTS)).items
  assert.deepEqual([only?.component, only?.working, only?.keys?.[0]?.key], ['admin', 0, 'a/b'])
})
