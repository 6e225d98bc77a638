import { andThen, type Later } from '../../base/steps.ts'
import { StatusError } from '../../machinery/status-error.ts'
import type { AuditRecord } from '../audit/audit-record.ts'
import type { PipelineRequest } from './pipeline-request.ts'
import type { PipelineServer } from './step.ts'

/** The audit backend refused the event of a request's arrival, so the request is refused. */
export class AuditLostError extends StatusError {
  constructor() {
    super({ code: 500, reason: 'InternalError', message: 'failed to store audit event' })
  }
}

/** Begins the audit record of the request, before impersonation. */
export function beginAudit({ deps }: PipelineServer, request: PipelineRequest): Later<void> {
  if (deps.audit === undefined) return
  return andThen(deps.audit.begin(request), (record: AuditRecord | undefined) => {
    if (record?.lost === true) throw new AuditLostError()
    request.recordedBy(record)
  })
}
