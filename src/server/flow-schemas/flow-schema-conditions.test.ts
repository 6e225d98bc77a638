import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import { silentLogger } from '../../base/logger.ts'
import { seededRandom } from '../../base/random.ts'
import { openCertificates } from '../../cluster/certificates.ts'
import { completeConfig } from '../../cluster/config.ts'
import { serverOptionsOf } from '../../cluster/server/server-options.ts'
import { openServerPart } from '../../cluster/server/server-part.ts'
import { FLOW_SCHEMAS, PRIORITY_LEVEL_CONFIGURATIONS } from '../../resources/refs.ts'
import type { FlowSchema, PriorityLevelConfiguration } from '../../resources/types/flowcontrol.ts'
import { createClient } from '../../sdk/client/create-client.ts'
import { openMemoryStore } from '../../storage/memory/memory-store.ts'
import { noReports } from '../reports/part-reports.ts'

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

/** A server with a store in memory and a virtual clock. */
async function stage() {
  const clock = new VirtualClock()
  const config = completeConfig({ parts: ['server'], ephemeral: true, port: 0 })
  const certificates = openCertificates({ folder: undefined, serviceCidr: config.serviceCidr }, { clock })
  const part = await openServerPart(serverOptionsOf(config, certificates), {
    parts: config.parts,
    opening: Promise.resolve(openMemoryStore({}, { clock })),
    clock,
    random: seededRandom(1),
    log: silentLogger,
    freeze: true,
    connectors: {},
    reports: noReports(),
  })
  const client = createClient(part.server.transport({ name: 'admin', groups: ['system:masters', 'system:authenticated'] }))
  return {
    clock,
    client,
    /** The status of the condition Dangling, a second later. */
    async dangling(name: string) {
      await clock.advance(1000)
      const { status } = await client.get({ ...FLOW_SCHEMAS, name })
      return status?.conditions?.find(({ type }) => type === 'Dangling')?.status
    },
    [Symbol.asyncDispose]: () => part[Symbol.asyncDispose](),
  }
}

test('the flow schemas that every cluster has are not dangling when the server starts to serve', async () => {
  await using it = await stage()
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
  await using it = await stage()
  await it.client.create(FLOW_SCHEMAS, flowSchema('s', 'late'))
  assert.equal(await it.dangling('s'), 'True')
  await it.client.create(PRIORITY_LEVEL_CONFIGURATIONS, LEVEL)
  assert.equal(await it.dangling('s'), 'False')
  await it.client.delete({ ...PRIORITY_LEVEL_CONFIGURATIONS, name: 'late' })
  assert.equal(await it.dangling('s'), 'True')
  await it.client.patch({ ...FLOW_SCHEMAS, name: 's' }, 'merge', { spec: { priorityLevelConfiguration: { name: 'system' } } })
  assert.equal(await it.dangling('s'), 'False')
})

test('a flow schema is written six times within a minute at most, and then has to wait', async () => {
  await using it = await stage()
  await it.client.create(FLOW_SCHEMAS, flowSchema('s', 'system'))
  const statuses: unknown[] = [await it.dangling('s')]
  for (let round = 0; round < 6; round++) {
    await it.client.patch({ ...FLOW_SCHEMAS, name: 's', subresource: 'status' }, 'merge', { status: { conditions: [] } })
    statuses.push(await it.dangling('s'))
  }
  assert.deepEqual(statuses, ['False', 'False', 'False', 'False', 'False', 'False', undefined])
  await it.clock.advance(75_000)
  assert.equal(await it.dangling('s'), 'False')
})
