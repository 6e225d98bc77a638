import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import type { UnknownPrograms } from '../../src/node/runtime/simulated/unknown-programs.ts'
import { CORE_EVENTS, PODS } from '../../src/resources/refs.ts'
import type { Client } from '../../src/sdk/client/client.ts'
import { pod } from '../../src/testing/builders.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'

const JOB = { 'batch.kubernetes.io/job-name': 'migrate' }
const NOTHING_RAN = 'there is no program for flyway/flyway:11: nothing ran'

/** How a pod of a Job ends whose program is not known, and what its event and its log say. */
const ENDS: readonly [UnknownPrograms, phase: string, exitCode: number, remark: string][] = [
  ['succeed', 'Succeeded', 0, `${NOTHING_RAN}, and the container succeeds`],
  ['fail', 'Failed', 127, NOTHING_RAN],
]

for (const [unknownPrograms, phase, exitCode, remark] of ENDS)
  test(`unknownPrograms ${unknownPrograms}: the pod of a Job is ${phase}, and its event and log say that nothing ran`, async () => {
    await using cluster = await startCluster({ unknownPrograms })
    const client = cluster.client()
    const { metadata, spec } = pod('migrate', { image: 'flyway/flyway:11' })
    const target = { ...PODS, namespace: 'default', name: 'migrate' }
    await client.create(
      { ...PODS, namespace: 'default' },
      { apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, labels: JOB }, spec: { ...spec, restartPolicy: 'Never' } },
    )
    const ended = await waitFor(async () => {
      const found = await client.get(target)
      return found.status?.phase === phase && found
    })
    assert.equal(ended.status?.containerStatuses?.[0]?.state?.terminated?.exitCode, exitCode)
    assert.equal(await text(await client.logs(target)), `simulated: ${remark}\n`)
    assert.deepEqual(await remarks(client), [['spec.containers{main}', remark]])
  })

test('a container that only runs says once that nothing runs in it, unless a shipped server takes its place', async () => {
  await using cluster = await startCluster()
  const client = cluster.client()
  const pods = { ...PODS, namespace: 'default' }
  await client.create(pods, pod('app', { image: 'example.com/app:1' }))
  await client.create(pods, pod('web', { image: 'nginx' }))
  for (const name of ['app', 'web']) await waitFor(async () => (await client.get({ ...pods, name })).status?.phase === 'Running')
  const remark = 'there is no program for example.com/app:1: nothing runs in the container'
  await waitFor(async () => (await remarks(client)).length > 0)
  assert.deepEqual(await remarks(client), [['spec.containers{main}', remark]])
  assert.equal(await text(await client.logs({ ...pods, name: 'app' })), `simulated: ${remark}\n`)
  assert.equal(await text(await client.logs({ ...pods, name: 'web' })), '')
})

/** The events about containers in which nothing runs. */
async function remarks(client: Client): Promise<(readonly [container: string | undefined, message: string | undefined])[]> {
  const { items } = await client.list({ ...CORE_EVENTS, namespace: 'default' }, { fieldSelector: 'reason=Simulated' })
  return items.map(({ involvedObject, message }) => [involvedObject.fieldPath, message] as const)
}
