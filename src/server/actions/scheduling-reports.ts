import type { Report } from '../../apiserver/extension-points.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { notFound, StatusError } from '../../machinery/status-error.ts'

/** The scheduler of this process, once it runs. */
export interface SchedulingReports {
  /** By `namespace/name`; undefined where there is no such pod. */
  of: ((pod: string) => Promise<KubeObject | undefined>) | undefined
}

/** Serves `schedulingreports` from the scheduler in this process. */
export const schedulingReport =
  (reports: SchedulingReports): Report =>
  async ({ namespace, name }) => {
    if (reports.of === undefined)
      throw new StatusError({
        code: 503,
        reason: 'ServiceUnavailable',
        message: 'the scheduler of this process does not decide about pods now: it is starting, or another process holds its lease',
      })
    const report = await reports.of(`${namespace}/${name}`)
    if (report === undefined) throw notFound({ group: '', resource: 'pods' }, name)
    return report
  }
