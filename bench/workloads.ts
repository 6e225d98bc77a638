/** What controllers and simulated nodes make of large workloads, in one process: `npm run bench -- workloads`. */

import { DEPLOYMENTS, JOBS } from '../src/resources/refs.ts'
import type { Deployment } from '../src/resources/types/apps.ts'
import type { JobSpec } from '../src/resources/types/batch.ts'
import type { Client } from '../src/sdk/client/client.ts'
import { deployment } from '../src/testing/builders.ts'
import { startCluster } from '../src/testing/start-cluster.ts'
import { waitFor } from '../src/testing/wait-for.ts'
import type { Result } from './measures.ts'

const REPLICAS = 1000
const COMPLETIONS = 10_000
const PARALLELISM = 1000
const LONG = { timeoutMs: 300_000 }

/** A rollout of a deployment, and a job, from the write to the status that reports the end. */
export async function workloads(): Promise<Result[]> {
  await using cluster = await startCluster({ nodes: 50 })
  const client = cluster.client()
  return [await rollout(client), await job(client)]
}

async function rollout(client: Client): Promise<Result> {
  const target = { ...DEPLOYMENTS, namespace: 'default', name: 'web' }
  const out = ({ metadata, status }: Deployment) =>
    status?.observedGeneration === metadata.generation && status?.updatedReplicas === REPLICAS && status?.availableReplicas === REPLICAS
  const settled = () => waitFor(async () => out(await client.get(target)), LONG)
  await client.create({ ...DEPLOYMENTS, namespace: 'default' }, deployment('web', { replicas: REPLICAS }))
  await settled()
  const began = performance.now()
  await client.patch(target, 'strategic', { spec: { template: { metadata: { annotations: { turn: '2' } } } } })
  await settled()
  const seconds = (performance.now() - began) / 1000
  return { measure: `rollout of a deployment of ${REPLICAS}`, value: `${seconds.toFixed(1)} s`, aim: '≤ 3 s', upstream: '–' }
}

async function job(client: Client): Promise<Result> {
  const target = { ...JOBS, namespace: 'default', name: 'sums' }
  const container = { name: 'main', image: 'done', command: ['true'] }
  const spec: JobSpec = {
    completions: COMPLETIONS,
    parallelism: PARALLELISM,
    template: { spec: { restartPolicy: 'Never', containers: [container] } },
  }
  const began = performance.now()
  await client.create({ ...JOBS, namespace: 'default' }, { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'sums' }, spec })
  await waitFor(async () => (await client.get(target)).status?.succeeded === COMPLETIONS, { ...LONG, everyMs: 100 })
  const seconds = (performance.now() - began) / 1000
  return {
    measure: `a job of ${COMPLETIONS} completions, ${PARALLELISM} at once`,
    value: `${seconds.toFixed(1)} s`,
    aim: '≤ 15 s',
    upstream: '–',
  }
}
