import type { Report } from '../../apiserver/extension-points.ts'
import { notFound } from '../../machinery/status-error.ts'
import { type PartReports, runningScheduler } from './part-reports.ts'

/** Serves `schedulingreports` from the scheduler of this process. */
export const schedulingReport =
  (reports: PartReports): Report =>
  async ({ namespace, name }) => {
    const report = await runningScheduler(reports).report(`${namespace}/${name}`)
    if (report === undefined) throw notFound({ group: '', resource: 'pods' }, name)
    return report
  }
