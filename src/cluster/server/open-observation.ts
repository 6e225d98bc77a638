import type { AuditLog } from '../../apiserver/audit/audit-log.ts'
import { createFlowControl, FLOW_DEFAULTS, type FlowControl } from '../../apiserver/flow/flow-control.ts'
import { createInFlightLimits } from '../../apiserver/flow/in-flight-limits.ts'
import { ServerMetrics } from '../../apiserver/metrics/server-metrics.ts'
import { stateMetrics } from '../../apiserver/metrics/state-metrics.ts'
import { TrailRecorder } from '../../apiserver/trail/trail-recorder.ts'
import { WatchRegistry } from '../../apiserver/trail/watch-registry.ts'
import { holding } from '../../base/clock.ts'
import { KUBERNETES_VERSION } from '../../base/version.ts'
import type { ServerOptions } from '../../server/options/server-options.ts'
import type { Caches } from './open-caches.ts'
import type { PhaseDeps } from './server-part-deps.ts'

/** Metrics, limits and audit of requests. */
export interface Observation {
  readonly metrics: ServerMetrics
  readonly flow: FlowControl
  /** Undefined: auditing is off. */
  readonly audit: AuditLog | undefined
  /** Undefined: what happens to requests is not recorded. */
  readonly trails: TrailRecorder | undefined
  readonly watches: WatchRegistry | undefined
}

export async function openObservation(options: ServerOptions, { watchCache, etcdMetrics }: Caches, deps: PhaseDeps): Promise<Observation> {
  const metrics = new ServerMetrics(deps.clock)
  const audit = await openAudit(options.audit, metrics, deps)
  const { fair, inFlight } = options.requests
  const flow = fair
    ? createFlowControl({ ...FLOW_DEFAULTS, concurrency: inFlight.reading + inFlight.writing }, { watchCache, clock: deps.clock })
    : createInFlightLimits(inFlight)
  const { countsObjects } = options.storage
  metrics.add(() => [...stateMetrics(watchCache, { gitVersion: KUBERNETES_VERSION, countsObjects }), ...flow.metrics()])
  if (etcdMetrics !== undefined) metrics.add(() => etcdMetrics.families())
  if (deps.encryption !== undefined) {
    const { encryption } = deps
    metrics.add(() => encryption.metrics.families())
  }
  const recorded = deps.trails === true
  return {
    metrics,
    flow,
    audit,
    trails: recorded ? new TrailRecorder(deps) : undefined,
    watches: recorded ? new WatchRegistry(deps) : undefined,
  }
}

async function openAudit(options: ServerOptions['audit'], metrics: ServerMetrics, deps: PhaseDeps): Promise<AuditLog | undefined> {
  const { clock, random, log, held } = deps
  if (options.unknownFields.length > 0) log.warn('the audit policy has fields that are passed over', { fields: options.unknownFields })
  if (options.policy === undefined) return undefined
  const [{ createAuditLog }, { createAuditBackend }] = await holding(clock, 'loading audit', () =>
    Promise.all([import('../../apiserver/audit/audit-log.ts'), import('../../server/audit/create-audit.ts')]),
  )
  const lost = (backend: string, events: number) => metrics.auditLost(backend, events)
  const backend = await createAuditBackend(options, { clock, random, log, lost })
  if (backend === undefined) return undefined
  return createAuditLog(options.policy, { clock, random, backend: metrics.audited(held.use(backend)) })
}
