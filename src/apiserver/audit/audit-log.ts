import type { Clock } from '../../base/clock.ts'
import type { Random } from '../../base/random.ts'
import { andThen, type Later } from '../../base/steps.ts'
import type { AuditBackend } from './audit-backend.ts'
import { type AuditedRequest, AuditRecord } from './audit-record.ts'
import { type AuditPolicy, auditDecider } from './policy.ts'

/** Writes `audit.k8s.io/v1` events by a policy. */
export interface AuditLog {
  /** Begins the record of an authenticated request; undefined if the policy records nothing of it. A promise if the backend is blocking. */
  begin(request: AuditedRequest): Later<AuditRecord | undefined>
  /**
   * Records a request that was refused before its sender was known: only its response is an event. `message` is the event's if the response
   * has no Status.
   */
  refused(request: AuditedRequest, message: string): AuditRecord | undefined
}

export function createAuditLog(
  policy: AuditPolicy,
  deps: { readonly clock: Clock; readonly random: Random; readonly backend: AuditBackend },
): AuditLog {
  const decide = auditDecider(policy)
  const open = (request: AuditedRequest, stages: 'all' | 'answer') => {
    const decision = decide(request)
    if (decision.level === 'None') return undefined
    return new AuditRecord(request, decision, stages, deps)
  }
  return {
    begin(request) {
      const record = open(request, 'all')
      return record && andThen(record.received(), () => record)
    },
    refused(request, message) {
      const record = open(request, 'answer')
      record?.refused(message)
      return record
    },
  }
}
