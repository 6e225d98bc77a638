import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import { serverPartDouble } from '../../cluster/server/server-part.double.ts'
import { FLOW_SCHEMAS, PRIORITY_LEVEL_CONFIGURATIONS } from '../../resources/refs.ts'
import type { FlowSchema, PriorityLevelConfiguration } from '../../resources/types/flowcontrol.ts'

const flowSchema = (name: string, level: string): FlowSchema => ({
  apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
  kind: 'FlowSchema',
  metadata: { name },
  spec: { priorityLevelConfiguration: { name: level }, matchingPrecedence: 1000 },
})

const LEVEL: PriorityLevelConfiguration = {
  apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
  kind: 'PriorityLevelConfiguration',
  metadata: { name: 'late' },
  spec: { type: 'Limited', limited: { nominalConcurrencyShares: 1, limitResponse: { type: 'Reject' } } },
}

/** The status of the condition Dangling, a second later. */
async function dangling({ clock, client }: Awaited<ReturnType<typeof serverPartDouble<VirtualClock>>>, name: string) {
  await clock.advance(1000)
  const { status } = await client.get({ ...FLOW_SCHEMAS, name })
  return status?.conditions?.find(({ type }) => type === 'Dangling')?.status
}

test('the flow schemas that every cluster has are not dangling when the server starts to serve', async () => {
  await using it = await serverPartDouble(new VirtualClock())
  const { items } = await it.client.list(FLOW_SCHEMAS)
  assert.equal(items.length, 11)
  for (const { metadata, status } of items) {
    assert.deepEqual(
      status?.conditions?.map(({ type, status, reason }) => [type, status, reason]),
      [['Dangling', 'False', 'Found']],
      metadata.name ?? '',
    )
    assert.deepEqual(
      metadata.managedFields?.map(({ manager, operation, subresource }) => [manager, operation, subresource]),
      [
        ['api-priority-and-fairness-config-consumer-v1', 'Apply', 'status'],
        ['api-priority-and-fairness-config-producer-v1', 'Update', undefined],
      ],
      metadata.name ?? '',
    )
  }
})

test('the condition Dangling follows the reference, and the priority levels that come and go', async () => {
  await using it = await serverPartDouble(new VirtualClock())
  await it.client.create(FLOW_SCHEMAS, flowSchema('s', 'late'))
  assert.equal(await dangling(it, 's'), 'True')
  await it.client.create(PRIORITY_LEVEL_CONFIGURATIONS, LEVEL)
  assert.equal(await dangling(it, 's'), 'False')
  await it.client.delete({ ...PRIORITY_LEVEL_CONFIGURATIONS, name: 'late' })
  assert.equal(await dangling(it, 's'), 'True')
  await it.client.patch({ ...FLOW_SCHEMAS, name: 's' }, 'merge', { spec: { priorityLevelConfiguration: { name: 'system' } } })
  assert.equal(await dangling(it, 's'), 'False')
})

test('a flow schema is written six times within a minute at most, and then has to wait', async () => {
  await using it = await serverPartDouble(new VirtualClock())
  await it.client.create(FLOW_SCHEMAS, flowSchema('s', 'system'))
  const statuses: unknown[] = [await dangling(it, 's')]
  for (let round = 0; round < 6; round++) {
    await it.client.patch({ ...FLOW_SCHEMAS, name: 's', subresource: 'status' }, 'merge', { status: { conditions: [] } })
    statuses.push(await dangling(it, 's'))
  }
  assert.deepEqual(statuses, ['False', 'False', 'False', 'False', 'False', 'False', undefined])
  await it.clock.advance(75_000)
  assert.equal(await dangling(it, 's'), 'False')
})
