/** What autoscalers cost that have nothing to do: each looks at its figures every 15 seconds. */

import { VirtualClock } from '../src/base/clock.ts'
import { seededRandom } from '../src/base/random.ts'
import { DEPLOYMENTS, HORIZONTAL_POD_AUTOSCALERS } from '../src/resources/refs.ts'
import type { HorizontalPodAutoscaler, MetricSpec } from '../src/resources/types/autoscaling.ts'
import { deployment } from '../src/testing/builders.ts'
import { startCluster } from '../src/testing/start-cluster.ts'
import type { Result } from './measures.ts'

const COUNT = 1000
const MINUTES = 5
const metric: MetricSpec = { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 20 } } }

const autoscaler = (name: string): HorizontalPodAutoscaler => ({
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name },
  spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name }, minReplicas: 1, maxReplicas: 3, metrics: [metric] },
})

/** Processor time of some minutes of virtual time, of everything in the process. */
export async function autoscalersAtRest(): Promise<Result[]> {
  const clock = new VirtualClock()
  await using cluster = await startCluster({ nodes: 10 }, { clock, random: seededRandom(1), freeze: false })
  const client = cluster.client()
  for (let i = 0; i < COUNT; i++) {
    await client.create({ ...DEPLOYMENTS, namespace: 'default' }, deployment(`d${i}`, { resources: { cpu: '10m' } }))
    await client.create({ ...HORIZONTAL_POD_AUTOSCALERS, namespace: 'default' }, autoscaler(`d${i}`))
  }
  await clock.advance(120_000)
  const before = process.cpuUsage()
  await clock.advance(MINUTES * 60_000)
  const { user, system } = process.cpuUsage(before)
  const percent = (user + system) / 1000 / (MINUTES * 600)
  return [
    {
      measure: `${COUNT} autoscalers at rest, metrics from simulated nodes`,
      value: `${percent.toFixed(1)} % of a core`,
      aim: '≤ 5 %',
      upstream: '–',
    },
  ]
}
