/** Gangs on a running cluster: PodGroups through the API, and pods that are bound together or not at all. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isStatus } from '../../src/machinery/status-error.ts'
import type { SchedulingReport } from '../../src/resources/bowsprit/scheduling-report.ts'
import { POD_GROUPS, PODS } from '../../src/resources/refs.ts'
import type { Client } from '../../src/sdk/client/client.ts'
import { pod } from '../../src/testing/builders.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'

const pods = { ...PODS, namespace: 'default' }
const groups = { ...POD_GROUPS, namespace: 'default' }

const createGang = (client: Client, minCount: number) =>
  client.create(groups, {
    apiVersion: 'scheduling.k8s.io/v1alpha2',
    kind: 'PodGroup',
    metadata: { name: 'gang' },
    spec: { schedulingPolicy: { gang: { minCount } } },
  })

async function createMember(client: Client, name: string, cpu = '100m') {
  const made = pod(name, { resources: { cpu } })
  await waitFor(() => client.create(pods, { ...made, spec: { ...made.spec, schedulingGroup: { podGroupName: 'gang' } } }))
}

const nodeOf = async (client: Client, name: string) => (await client.get({ ...pods, name })).spec.nodeName
/** Waits until the scheduler's report on the pod begins so. */
async function reported(client: Client, name: string, summary: string) {
  const target = { group: 'bowsprit.dev', version: 'v1', resource: 'schedulingreports', namespace: 'default', name }
  await waitFor(async () => (await client.get<SchedulingReport>(target)).summary.startsWith(summary))
}

const GATED = 'kept out of the queue by plugin GangScheduling: '

test('no pod of a gang is bound before minCount of them exist', async () => {
  await using cluster = await startCluster({ nodes: 1, gangScheduling: true })
  const client = cluster.client()
  await createMember(client, 'a')
  await reported(client, 'a', `${GATED}waiting for pods's pod group "gang" to appear in scheduling queue`)
  await createGang(client, 2)
  await reported(client, 'a', `${GATED}waiting for minCount pods from a gang to appear in scheduling queue`)
  assert.equal(await nodeOf(client, 'a'), undefined)
  await createMember(client, 'b')
  for (const name of ['a', 'b']) await waitFor(() => nodeOf(client, name))
})

test('a gang of which one pod fits nowhere holds its nodes, and binds nothing until that pod fits', async () => {
  await using cluster = await startCluster({ nodes: 1, gangScheduling: true })
  const client = cluster.client()
  const filler = pod('filler', { resources: { cpu: '7' } })
  await waitFor(() => client.create(pods, filler))
  await waitFor(() => nodeOf(client, 'filler'))
  await createGang(client, 2)
  await createMember(client, 'small')
  await createMember(client, 'large', '2')
  await waitFor(async () =>
    (await client.get({ ...pods, name: 'large' })).status?.conditions?.some((c) => c.message?.includes('Insufficient cpu')),
  )
  assert.equal(await nodeOf(client, 'small'), undefined)
  await client.delete({ ...pods, name: 'filler' }, { gracePeriodSeconds: 0 })
  for (const name of ['small', 'large']) await waitFor(() => nodeOf(client, name))
})

test('without the feature gate there are no PodGroups, and pods lose their group', async () => {
  await using cluster = await startCluster({ nodes: 1 })
  const client = cluster.client()
  await assert.rejects(createGang(client, 2), (error) => isStatus(error, 'NotFound'))
  await createMember(client, 'a')
  assert.equal((await client.get({ ...pods, name: 'a' })).spec.schedulingGroup, undefined)
  await waitFor(() => nodeOf(client, 'a'))
})
