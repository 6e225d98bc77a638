import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { pause } from '../../base/pause.ts'
import { isStatus } from '../../machinery/status-error.ts'
import type { ControllerReport } from '../../resources/bowsprit/controller-report.ts'
import { CONTROLLER_REPORTS } from '../../resources/bowsprit/report-refs.ts'
import type { Client } from '../client/client.ts'
import type { ControllerActivities } from '../controller/controller-activity.ts'
import { controllerReport } from '../controller/controller-report.ts'

/** What is reported, and where. */
export interface PublishDeps {
  readonly activities: ControllerActivities
  /** Not the one that is counted in the operator's metrics. */
  readonly client: Client
  readonly clock: Clock
  readonly log: Logger
}

/** A report that has changed is sent after this time, in milliseconds; one that has not, before the server forgets it. */
const EVERY_MS = 1_000
const AGAIN_MS = 5_000

/** Sends reports of all controllers until the signal is aborted, or the cluster does not take them. */
export async function publishReports({ activities, client, clock, log }: PublishDeps, signal: AbortSignal): Promise<void> {
  const sent = new Map<string, { readonly text: string; readonly atMs: number }>()
  while (!signal.aborted) {
    await pause(clock, EVERY_MS, signal)
    for (const activity of activities.list()) {
      const report = controllerReport(activity, COMPONENT, clock)
      const [text, atMs] = [JSON.stringify(report), clock.monotonic()]
      const last = sent.get(activity.name)
      if (last?.text === text && atMs - last.atMs < AGAIN_MS) continue
      if (!(await isTaken(client, report, log, signal))) return
      sent.set(activity.name, { text, atMs })
    }
  }
}

/** The server puts the user in its place. */
const COMPONENT = 'operator'

/** False: the cluster has no such reports, or this user may not create them. */
async function isTaken(client: Client, report: ControllerReport, log: Logger, signal: AbortSignal): Promise<boolean> {
  try {
    await client.create(CONTROLLER_REPORTS, report, { signal })
  } catch (error) {
    if (signal.aborted) return false
    const isFinal = isStatus(error) && [403, 404, 405].includes(error.code)
    log[isFinal ? 'info' : 'debug']('the reports of the controllers were not taken', { error })
    return !isFinal
  }
  return true
}
