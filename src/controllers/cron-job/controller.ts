import { exponentialBounds } from '../../base/exposition.ts'
import { CRON_JOBS, JOBS } from '../../resources/refs.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import { defineController } from '../frame/define-controller.ts'
import { ownerHandler } from '../pods/ownership.ts'
import { isRescheduled, nextRoundInMs } from './plan.ts'
import { reconcileCronJob } from './reconcile.ts'

const NAME = 'cronjob-controller'

/** Creates Jobs by a schedule, and keeps some of the finished ones. */
export const createController = defineController({
  name: NAME,
  for: CRON_JOBS,
  workers: 5,
  deps: ({ client, clock, informers, events, metrics }) => ({
    client,
    clock,
    events: events(NAME),
    jobs: informers.of(JOBS),
    skews: metrics.histogram({
      name: 'cronjob_controller_job_creation_skew_duration_seconds',
      help: 'From the time of a Job until it was created.',
      bounds: exponentialBounds(1, 2, 10),
      stability: 'STABLE',
    }),
  }),
  when: (cron, { clock }, old) => !isRescheduled(cron, old) || nextRoundInMs(cron, clock.now()) === undefined,
  watch({ clock, jobs }, keys, cronJobs) {
    cronJobs.addHandler({
      updated(cron, old) {
        // A new schedule begins with its next start: the starts before it were never promised.
        const waitMs = isRescheduled(cron, old) ? nextRoundInMs(cron, clock.now()) : undefined
        if (waitMs !== undefined) keys.addAfter(objectKey(cron), waitMs)
      },
    })
    jobs.addHandler(ownerHandler('CronJob', keys, () => []))
  },
  reconcile: reconcileCronJob,
})
