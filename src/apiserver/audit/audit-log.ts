import type { Clock } from '../../base/clock.ts'
import type { Random } from '../../base/random.ts'
import type { AuditBackend } from './audit-backend.ts'
import { type AuditedRequest, AuditRecord } from './audit-record.ts'
import { type AuditPolicy, auditDecider } from './policy.ts'

/** Writes `audit.k8s.io/v1` events by a policy. */
export interface AuditLog {
  /** A request that is carried out: undefined when nothing of it is written down. A promise where the backend makes requests wait. */
  begin(request: AuditedRequest): AuditRecord | undefined | Promise<AuditRecord>
  /** A request that is refused before anybody knows who sent it; its answer is all that is told. */
  refused(request: Omit<AuditedRequest, 'user'>): AuditRecord | undefined
}

/** Longer ones are cut, as they are in Kubernetes. */
const MOST_AGENT = 1024
const CUT = '...TRUNCATED'

export function createAuditLog(
  policy: AuditPolicy,
  deps: { readonly clock: Clock; readonly random: Random; readonly backend: AuditBackend },
): AuditLog {
  const decide = auditDecider(policy)
  const open = (request: AuditedRequest, stages: 'all' | 'answer') => {
    const decision = decide(request)
    if (decision.level === 'None') return undefined
    const userAgent = request.userAgent.length > MOST_AGENT ? request.userAgent.slice(0, MOST_AGENT - CUT.length) + CUT : request.userAgent
    return new AuditRecord({ ...request, userAgent }, decision, stages, deps)
  }
  return {
    begin(request) {
      const record = open(request, 'all')
      const received = record?.received()
      return received instanceof Promise ? received.then(() => record as AuditRecord) : record
    },
    refused: (request) => open({ ...request, user: undefined }, 'answer'),
  }
}
