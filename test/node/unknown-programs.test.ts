import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import type { UnknownPrograms } from '../../src/node/runtime/simulated/unknown-programs.ts'
import { PODS } from '../../src/resources/refs.ts'
import { pod } from '../../src/testing/builders.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'

const JOB = { 'batch.kubernetes.io/job-name': 'migrate' }
const NOTHING_RAN = 'simulated: there is no program for flyway/flyway:11: nothing ran'

/** How a pod of a Job ends whose program is not known, and what its log contains. */
const ENDS: readonly [UnknownPrograms, phase: string, exitCode: number, log: string][] = [
  ['succeed', 'Succeeded', 0, `${NOTHING_RAN}, and the container succeeds\n`],
  ['fail', 'Failed', 127, `${NOTHING_RAN}\n`],
]

for (const [unknownPrograms, phase, exitCode, log] of ENDS)
  test(`unknownPrograms ${unknownPrograms}: the pod of a Job is ${phase}, and its log says that nothing ran`, async () => {
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
    assert.equal(await text(await client.logs(target)), log)
  })
