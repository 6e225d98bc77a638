import { cloneJson } from '../../machinery/object.ts'
import type { CronJob, Job } from '../../resources/types/batch.ts'
import { controllerReference } from '../pods/ownership.ts'
import { zonedTimestamp } from './schedule.ts'

/** The Job of one start. Its name has the minute in it, so that no start happens twice. Pure. */
export function jobOf(cron: CronJob, atMs: number): Job {
  const { metadata, spec } = cloneJson(cron.spec.jobTemplate)
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: `${cron.metadata.name}-${Math.floor(atMs / 60_000)}`,
      namespace: cron.metadata.namespace ?? '',
      ...(metadata?.labels === undefined ? {} : { labels: metadata.labels }),
      annotations: {
        ...metadata?.annotations,
        'batch.kubernetes.io/cronjob-scheduled-timestamp': zonedTimestamp(atMs, cron.spec.timeZone ?? 'UTC'),
      },
      ownerReferences: [controllerReference(cron)],
    },
    spec,
  }
}
