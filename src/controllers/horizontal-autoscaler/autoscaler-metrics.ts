import { type ControllerMetrics, FROM_ONE_MS } from '../frame/controller-metrics.ts'

/** What a pass does to its target, in the words of kube-controller-manager's metrics. */
export type ScaleAction = 'none' | 'scale_up' | 'scale_down'

/** What autoscalers count. */
export interface AutoscalerMetrics {
  /** A pass has ended; `followed`: its metrics could be followed. */
  reconciled(action: ScaleAction, followed: boolean, seconds: number): void
  /** A metric asks for so many replicas; undefined: it could not be computed. */
  computed(type: string, result: { readonly replicas: number | undefined; readonly current: number; readonly seconds: number }): void
}

export function createAutoscalerMetrics(metrics: ControllerMetrics): AutoscalerMetrics {
  const BETA = { stability: 'BETA' } as const
  const name = (rest: string) => `horizontal_pod_autoscaler_controller_${rest}`
  const pass = { labels: ['action', 'error'], ...BETA }
  const passes = metrics.counter({ name: name('reconciliations_total'), help: 'Passes over autoscalers.', ...pass })
  const passSeconds = metrics.histogram({
    name: name('reconciliation_duration_seconds'),
    help: 'How long passes over autoscalers took.',
    bounds: FROM_ONE_MS,
    ...pass,
  })
  const metric = { labels: ['action', 'error', 'metric_type'], ...BETA }
  const computations = metrics.counter({ name: name('metric_computation_total'), help: 'Looks at metrics of autoscalers.', ...metric })
  const metricSeconds = metrics.histogram({
    name: name('metric_computation_duration_seconds'),
    help: 'How long looks at metrics took.',
    bounds: FROM_ONE_MS,
    ...metric,
  })
  return {
    reconciled(action, followed, seconds) {
      const values = [action, followed ? 'none' : 'internal']
      passes.add(values)
      passSeconds.observe(seconds, values)
    },
    computed(type, { replicas, current, seconds }) {
      const action = replicas === undefined || replicas === current ? 'none' : replicas > current ? 'scale_up' : 'scale_down'
      const values = [action, replicas === undefined ? 'internal' : 'none', type]
      computations.add(values)
      metricSeconds.observe(seconds, values)
    },
  }
}
