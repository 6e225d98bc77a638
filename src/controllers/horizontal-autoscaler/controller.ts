import { HORIZONTAL_POD_AUTOSCALERS, PODS } from '../../resources/refs.ts'
import { defineController } from '../frame/define-controller.ts'
import { createAutoscalerMetrics } from './autoscaler-metrics.ts'
import { createMetricsSource } from './metrics-source.ts'
import { PERIOD_MS, reconcileAutoscaler } from './reconcile.ts'
import type { ScalingHistory } from './scaling-history.ts'
import { SelectorIndex } from './selector-index.ts'

const NAME = 'horizontal-pod-autoscaler'

/** Scales workloads by the metrics of their pods. */
export const createController = defineController({
  name: NAME,
  for: HORIZONTAL_POD_AUTOSCALERS,
  workers: 5,
  delayMs: PERIOD_MS,
  deps: ({ client, clock, catalogue, informers, events, log, metrics }) => ({
    client,
    clock,
    catalogue,
    log,
    events: events(NAME),
    pods: informers.of(PODS),
    source: createMetricsSource({ client, catalogue }),
    counts: createAutoscalerMetrics(metrics),
    histories: new Map<string, ScalingHistory>(),
    selectors: new SelectorIndex(),
  }),
  reconcile: reconcileAutoscaler,
  gone({ histories, selectors }, key) {
    histories.delete(key)
    selectors.delete(key)
  },
})
