import { ignoring } from '../../../machinery/ignoring.ts'
import { QUEUE_REPORTS, SCHEDULING_REPORTS } from '../../../resources/bowsprit/report-refs.ts'
import type { Client } from '../../../sdk/client/client.ts'
import type { ObjectName } from '../../wire/object-name.ts'

/** Why the pod is where it is. @throws {StatusError} */
export const schedulingReportOf = (client: Client, { namespace, name }: ObjectName, signal?: AbortSignal) =>
  client.get({ ...SCHEDULING_REPORTS, namespace, name }, signal && { signal })

/** Where it waits; undefined: it does not wait, or that is not known. */
export const queueReportOf = (client: Client, { namespace, name }: ObjectName, signal: AbortSignal) =>
  client.get({ ...QUEUE_REPORTS, namespace, name }, { signal }).catch(ignoring())
