import { exponentialBounds } from '../../base/exposition.ts'
import type { Job } from '../../resources/types/batch.ts'
import type { ControllerMetrics } from '../frame/controller-metrics.ts'
import type { CountingStep } from './counting-steps.ts'
import type { JobPlan } from './plan.ts'
import { isIndexed } from './tracking.ts'

/** What a round of a Job mainly did, in kube-controller-manager's words. */
export type SyncAction = 'reconciling' | 'tracking' | 'pods_created' | 'pods_deleted'

/** What the Job controller counts. */
export interface JobMetrics {
  synced(job: Job, action: SyncAction, seconds: number, failed: boolean): void
  /** The numbers of a status that was written count these pods for the first time. */
  counted(job: Job, numbers: Readonly<Record<'succeeded' | 'failed', number>>): void
  /** The Job has this condition from now on. */
  finished(job: Job, condition: { readonly type: string; readonly reason?: string }): void
}

const STABLE = { stability: 'STABLE' } as const

export function createJobMetrics(metrics: ControllerMetrics): JobMetrics {
  const name = (rest: string) => `job_controller_${rest}`
  const sync = { labels: ['action', 'completion_mode', 'result'], ...STABLE }
  const syncs = metrics.counter({ name: name('job_syncs_total'), help: 'Rounds of Jobs.', ...sync })
  const seconds = metrics.histogram({
    name: name('job_sync_duration_seconds'),
    help: 'How long rounds of Jobs took.',
    bounds: exponentialBounds(0.004, 2, 15),
    ...sync,
  })
  const finished = metrics.counter({
    name: name('jobs_finished_total'),
    help: 'Jobs that have ended.',
    labels: ['completion_mode', 'reason', 'result'],
    ...STABLE,
  })
  const pods = metrics.counter({
    name: name('job_pods_finished_total'),
    help: 'Ended pods that their Job has counted.',
    labels: ['completion_mode', 'result'],
    ...STABLE,
  })
  const modeOf = (job: Job) => (isIndexed(job) ? 'Indexed' : 'NonIndexed')
  return {
    synced(job, action, took, failed) {
      const values = [action, modeOf(job), failed ? 'error' : 'success']
      syncs.add(values)
      seconds.observe(took, values)
    },
    counted(job, numbers) {
      for (const result of ['succeeded', 'failed'] as const) if (numbers[result] > 0) pods.add([modeOf(job), result], numbers[result])
    },
    finished: (job, { type, reason = '' }) => finished.add([modeOf(job), reason, type === 'Complete' ? 'succeeded' : 'failed']),
  }
}

export const actionOf = (plan: Pick<JobPlan, 'create' | 'remove' | 'withdraw' | 'release'>): SyncAction => {
  if (plan.create.length > 0) return 'pods_created'
  if (plan.remove.length > 0 || plan.withdraw.length > 0) return 'pods_deleted'
  return plan.release.length > 0 ? 'tracking' : 'reconciling'
}

/** By how much a written status has more ended pods than the one before. */
export const countedBy = (status: CountingStep['status'], before: Job['status']): Readonly<Record<'succeeded' | 'failed', number>> => ({
  succeeded: (status?.succeeded ?? 0) - (before?.succeeded ?? 0),
  failed: (status?.failed ?? 0) - (before?.failed ?? 0),
})
