import type { JsonObject } from '../../../machinery/object.ts'
import type { ChangeWrite, ReportedChange, SchedulingReport } from '../../../resources/bowsprit/scheduling-report.ts'
import type { Client } from '../../../sdk/client/client.ts'
import type { Saved } from '../../wire/draft-page.ts'
import type { ObjectName } from '../../wire/object-name.ts'
import { savedBy } from '../edit/saved-by.ts'
import { schedulingReportOf } from './why-reports.ts'

const FIELD_MANAGER = 'bowsprit-page'

/** The change of a report that says this; it may be gone, for the cluster has moved on. */
export function changeNamed({ changes = [] }: SchedulingReport, message: string): ChangeWrite {
  const found = changes.find((change: ReportedChange) => change.message === message)
  if (found === undefined) throw new Error('the scheduler no longer proposes this: the cluster has changed')
  if (found.write === undefined) throw new Error('this cannot be done by one request')
  return found.write
}

/** Makes the change. @throws {StatusError} */
export async function makeChange(client: Client, { resource, namespace, name, patch }: ChangeWrite): Promise<void> {
  const target = { group: '', version: 'v1', resource, ...(namespace !== undefined && { namespace }), name }
  if (patch === undefined) await client.delete(target)
  else await client.patch(target, 'merge', JSON.parse(patch) as JsonObject, { fieldManager: FIELD_MANAGER })
}

/** Makes the change that the scheduler proposes in these words for a pod. */
export const makeProposedChange = (client: Client, pod: ObjectName, message: string): Promise<Saved> =>
  savedBy(async (sending) => {
    const write = changeNamed(await schedulingReportOf(client, pod), message)
    sending()
    await makeChange(client, write)
    return ''
  })
