import type { QueueObserver } from '../controller/work-queue.ts'
import { createMetricsRegistry, type MetricsRegistry } from './metrics.ts'

/** How a reconciliation ended, as controller-runtime counts it. */
export type ReconcileOutcome = 'success' | 'error' | 'requeue' | 'requeue_after'

/** The metrics of a manager, by controller-runtime's names, so that its dashboards and alerts fit. */
export interface OperatorMetrics {
  readonly registry: MetricsRegistry
  /** The part of one controller. */
  of(controller: string, workers: number): ControllerMetrics
  /** A call to the API server returned this code. */
  called(method: string, code: string, host: string): void
  /** Whether this process leads. */
  leads(name: string, leads: boolean): void
}

/** The metrics of one controller. */
export interface ControllerMetrics extends QueueObserver {
  began(): void
  ended(outcome: ReconcileOutcome, seconds: number): void
  /** It will not be tried again. */
  terminal(): void
  /** A predicate, a mapping or the reconciler threw what is no error of the API. */
  panicked(): void
}

const RECONCILE_BUCKETS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 4.5,
  5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
]
const QUEUE_BUCKETS = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1, 10, 100, 1000]

/** Makes them, in a registry of one's own or a new one. */
export function createOperatorMetrics(registry: MetricsRegistry = createMetricsRegistry()): OperatorMetrics {
  const reconcile = 'controller_runtime_reconcile'
  const total = registry.counter({ name: `${reconcile}_total`, help: 'Total number of reconciliations per controller' })
  const errors = registry.counter({ name: `${reconcile}_errors_total`, help: 'Total number of reconciliation errors per controller' })
  const terminal = registry.counter({
    name: 'controller_runtime_terminal_reconcile_errors_total',
    help: 'Total number of terminal reconciliation errors per controller',
  })
  const panics = registry.counter({ name: `${reconcile}_panics_total`, help: 'Total number of reconciliation panics per controller' })
  const time = registry.histogram({
    name: `${reconcile}_time_seconds`,
    help: 'Length of time per reconciliation per controller',
    buckets: RECONCILE_BUCKETS,
  })
  const most = registry.gauge({
    name: 'controller_runtime_max_concurrent_reconciles',
    help: 'Maximum number of concurrent reconciles per controller',
  })
  const active = registry.gauge({ name: 'controller_runtime_active_workers', help: 'Number of currently used workers per controller' })
  const depth = registry.gauge({ name: 'workqueue_depth', help: 'Current depth of workqueue' })
  const adds = registry.counter({ name: 'workqueue_adds_total', help: 'Total number of adds handled by workqueue' })
  const retries = registry.counter({ name: 'workqueue_retries_total', help: 'Total number of retries handled by workqueue' })
  const waited = registry.histogram({
    name: 'workqueue_queue_duration_seconds',
    help: 'How long in seconds an item stays in workqueue before being requested',
    buckets: QUEUE_BUCKETS,
  })
  const worked = registry.histogram({
    name: 'workqueue_work_duration_seconds',
    help: 'How long in seconds processing an item from workqueue takes.',
    buckets: QUEUE_BUCKETS,
  })
  const calls = registry.counter({
    name: 'rest_client_requests_total',
    help: 'Number of HTTP requests, partitioned by status code, method, and host.',
  })
  const leading = registry.gauge({
    name: 'leader_election_master_status',
    help: 'Gauge of if the reporting system is master of the relevant lease, 0 indicates backup, 1 indicates master.',
  })
  return {
    registry,
    of(controller, workers) {
      const by = { controller }
      const queue = { controller, name: controller }
      most.set(workers, by)
      active.set(0, by)
      depth.set(0, queue)
      for (const counter of [errors, terminal, panics]) counter.inc(by, 0)
      for (const result of ['success', 'error', 'requeue', 'requeue_after']) total.inc({ controller, result }, 0)
      for (const counter of [adds, retries]) counter.inc(queue, 0)
      return {
        began: () => active.add(1, by),
        ended(outcome, seconds) {
          active.add(-1, by)
          total.inc({ controller, result: outcome })
          if (outcome === 'error') errors.inc(by)
          time.observe(seconds, by)
        },
        terminal: () => terminal.inc(by),
        panicked: () => panics.inc(by),
        depth: (keys) => depth.set(keys, queue),
        added: () => adds.inc(queue),
        retried: () => retries.inc(queue),
        taken: (waitedMs) => waited.observe(waitedMs / 1000, queue),
        worked: (workedMs) => worked.observe(workedMs / 1000, queue),
      }
    },
    called: (method, code, host) => calls.inc({ method, code, host }),
    leads: (name, leads) => leading.set(leads ? 1 : 0, { name }),
  }
}
