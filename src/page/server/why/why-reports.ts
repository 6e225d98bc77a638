import { ignoring } from '../../../machinery/ignoring.ts'
import type { QueueReport } from '../../../resources/bowsprit/queue-report.ts'
import type { SchedulingReport } from '../../../resources/bowsprit/scheduling-report.ts'
import type { Client } from '../../../sdk/client/client.ts'
import type { ObjectName } from '../../wire/object-name.ts'

const REPORTS = { group: 'bowsprit.dev', version: 'v1', resource: 'schedulingreports' }
const QUEUES = { ...REPORTS, resource: 'queuereports' }

/** Why the pod is where it is. @throws {StatusError} */
export const schedulingReportOf = (client: Client, { namespace, name }: ObjectName, signal?: AbortSignal): Promise<SchedulingReport> =>
  client.get({ ...REPORTS, namespace, name }, signal && { signal }) as Promise<SchedulingReport>

/** Where it waits; undefined: it does not wait, or that is not known. */
export const queueReportOf = (client: Client, { namespace, name }: ObjectName, signal: AbortSignal): Promise<QueueReport | undefined> =>
  client.get({ ...QUEUES, namespace, name }, { signal }).catch(ignoring()) as Promise<QueueReport | undefined>
