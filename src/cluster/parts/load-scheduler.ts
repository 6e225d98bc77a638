import { holding } from '../../base/clock.ts'
import { CallCounts } from '../../sdk/client/call-counts.ts'
import { countingClient } from '../../sdk/client/counting-client.ts'
import { featureGates } from '../feature-gates.ts'
import { electedPart, leaderFamilies } from '../leader-part.ts'
import type { RunPart } from '../supervisor.ts'
import { SCHEDULER } from '../users.ts'
import type { PartDeps } from './part-deps.ts'
import { schedulerConfiguration } from './scheduler-configuration.ts'

const NAME = 'kube-scheduler'

/** kube-scheduler, and its reports while it runs. */
export async function loadScheduler({ setup, access, informers, reports }: PartDeps): Promise<RunPart> {
  const { config, clock, random, log } = setup
  const { createScheduler } = await holding(clock, 'loading the scheduler', () => import('../../scheduler/scheduler.ts'))
  const calls = new CallCounts({ component: NAME })
  const client = config.trails ? countingClient(access.client(SCHEDULER), calls.count, clock) : access.client(SCHEDULER)
  const gates = featureGates(config)
  const init = { client, informers, clock, random, log, config: await schedulerConfiguration(setup), gates }
  // Created here for the first time, so that an invalid configuration ends the part at once: a restart would not mend it.
  let first: ReturnType<typeof createScheduler> | undefined = createScheduler(init)
  return electedPart(NAME, config, { client, clock, random, log }, (signal) => {
    const scheduler = first ?? createScheduler(init)
    first = undefined
    reports.scheduler = {
      report: (pod) => scheduler.report(pod),
      queue: () => scheduler.queueReports(),
      metrics: async () => [...scheduler.metrics(), ...calls.families(), ...leaderFamilies(NAME, config)],
    }
    return scheduler.run(signal).finally(() => {
      reports.scheduler = undefined
    })
  })
}
