import type { CausedRequests } from '../../apiserver/trail/caused-requests.ts'
import type { TrailRecorder } from '../../apiserver/trail/trail-recorder.ts'
import type { Clock } from '../../base/clock.ts'
import type { ControllerReport, ReportedReconciliation } from '../../resources/bowsprit/controller-report.ts'
import type { PartReports } from './part-reports.ts'
import { PolledReports } from './polled-reports.ts'
import type { PublishedReports } from './published-reports.ts'

interface ControllerReportsDeps {
  readonly reports: PartReports
  readonly published: PublishedReports
  readonly trails: TrailRecorder
  readonly clock: Clock
}

/** Serves `controllerreports`: from the controllers of this cluster, and those that operators create. */
export const controllerReports = ({ reports, published, trails, clock }: ControllerReportsDeps): PolledReports =>
  new PolledReports(clock, async () => {
    trails.follow()
    const own = (await reports.controllers?.controllers()) ?? []
    return [...own, ...published.besides(own)].map((report) => withTrails(report, trails.causes))
  })

/** With the requests that stored the events: the controller knows their revisions alone. */
function withTrails({ recent, ...report }: ControllerReport, causes: CausedRequests): ControllerReport {
  const trailed = ({ cause, ...one }: ReportedReconciliation): ReportedReconciliation => {
    const trail = cause && causes.storedBy(cause.revision)
    return { ...one, ...(cause && { cause: { ...cause, ...(trail && { requestTrail: trail.name }) } }) }
  }
  return { ...report, ...(recent && { recent: recent.map(trailed) }) }
}
