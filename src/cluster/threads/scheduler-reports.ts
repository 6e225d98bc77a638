import type { KubeObject } from '../../machinery/object.ts'
import type { SchedulingReports } from '../../server/actions/scheduling-reports.ts'
import type { Exchange } from '../../threads/exchange.ts'
import type { Link, Services } from '../../threads/link.ts'

/** Open while the scheduler of the thread that opens it decides about pods. */
const DECIDES = 'scheduler-decides'
const REPORT = 'scheduling-report'

/** Reports of this thread's scheduler, for the API server at the other end of the link. */
export function offeredReports(link: Link): SchedulingReports {
  let report: SchedulingReports['of']
  let deciding: Exchange | undefined
  link.offer({
    async [REPORT]({ pod }, exchange) {
      exchange.end(JSON.stringify({ found: await report?.(String(pod)) }))
    },
  })
  return {
    get of() {
      return report
    },
    set of(present) {
      report = present
      deciding?.end()
      deciding = present && link.open(DECIDES, {})
    },
  }
}

/** Fills `reports` while a scheduler decides at the other end of the link. */
export const reportServices = (link: Link, reports: SchedulingReports): Services => ({
  async [DECIDES](_asked, exchange) {
    reports.of = async (pod) => (await link.ask(REPORT, { pod })).found as KubeObject | undefined
    try {
      await exchange.next()
      exchange.end()
    } finally {
      reports.of = undefined
    }
  },
})
