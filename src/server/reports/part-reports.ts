import type { Family } from '../../base/exposition.ts'
import { StatusError } from '../../machinery/status-error.ts'
import type { ControllerReport } from '../../resources/bowsprit/controller-report.ts'
import type { QueueReport } from '../../resources/bowsprit/queue-report.ts'
import type { SchedulingReport } from '../../resources/bowsprit/scheduling-report.ts'

/** A scheduler that decides about pods. */
export interface ReportingScheduler {
  /** Why a pod, `namespace/name`, is where it is; undefined where there is no such pod. */
  report(pod: string): Promise<SchedulingReport | undefined>
  /** Pods in its queue. */
  queue(): Promise<readonly QueueReport[]>
  /** `scheduler_*` */
  metrics(): Promise<readonly Family[]>
}

/** Controllers that run. */
export interface ReportingControllers {
  controllers(): Promise<readonly ControllerReport[]>
  /** `workqueue_*` */
  metrics(): Promise<readonly Family[]>
}

/** The parts of this cluster that can be asked about themselves, while they run; in this thread or another one. */
export interface PartReports {
  scheduler: ReportingScheduler | undefined
  controllers: ReportingControllers | undefined
}

/** No part runs yet. */
export const noReports = (): PartReports => ({ scheduler: undefined, controllers: undefined })

/** @throws {StatusError} 503 while no scheduler decides */
export function runningScheduler({ scheduler }: PartReports): ReportingScheduler {
  if (scheduler !== undefined) return scheduler
  throw new StatusError({
    code: 503,
    reason: 'ServiceUnavailable',
    message: 'the scheduler of this process does not decide about pods now: it is starting, or another process holds its lease',
  })
}
