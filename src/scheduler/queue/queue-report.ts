import { timestamp } from '../../base/clock.ts'
import type { QueueReport } from '../../resources/bowsprit/queue-report.ts'
import type { QueuedPod } from './scheduling-queue.ts'

/** Pods that are reported; of longer queues those that entered first. */
export const MOST_QUEUED = 5000

const QUEUES: Readonly<Record<QueuedPod['place'], QueueReport['queue']>> = {
  active: 'Active',
  'back-off': 'Backoff',
  unschedulable: 'Unschedulable',
  'in-flight': 'InFlight',
  asking: 'Gated',
}

/** Where a pod is in the queue. `readyAt`: when its wait after failures ends. */
export function queueReport({ info, attempts, since, plugins, gate, place, wokenBy }: QueuedPod, readyAt: number): QueueReport {
  const { name = '', namespace = '' } = info.pod.metadata
  const asleep = place === 'unschedulable'
  return {
    apiVersion: 'bowsprit.dev/v1',
    kind: 'QueueReport',
    metadata: { name, namespace, creationTimestamp: timestamp(since) },
    scheduler: info.pod.spec.schedulerName ?? '',
    queue: asleep && gate !== undefined ? 'Gated' : QUEUES[place],
    priority: info.priority,
    attempts,
    since: new Date(since).toISOString(),
    ...(place === 'back-off' && { until: new Date(readyAt).toISOString() }),
    ...(plugins.size > 0 && { plugins: [...plugins].sort() }),
    ...(gate !== undefined && { message: gate.message }),
    ...(asleep && { wokenBy: [...wokenBy].sort() }),
  }
}
