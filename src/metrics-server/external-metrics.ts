import { timestamp } from '../base/clock.ts'
import type { JsonObject } from '../machinery/object.ts'
import { readable } from './custom-metrics.ts'
import type { GroupApi } from './group-api.ts'
import { type MetricsDeps, WINDOW_SECONDS } from './resource-metrics.ts'
import { figuresAt } from './scripted-object.ts'
import { labelSelectorOf } from './selection.ts'

const API_VERSION = 'external.metrics.k8s.io/v1beta1'

/** The config map of a namespace whose keys are the namespace's external metrics. */
export const EXTERNAL_CONFIG_MAP = 'simulated-external-metrics'

/** `external.metrics.k8s.io/v1beta1`: metrics from a config map. A metric that it does not contain has no values. */
export function externalMetrics({ find, clock }: Pick<MetricsDeps, 'find' | 'clock'>): GroupApi {
  return {
    group: 'external.metrics.k8s.io',
    version: 'v1beta1',
    resources: () => [],
    get({ path, query }) {
      const [first, namespace = '', metricName = ''] = path
      if (first !== 'namespaces' || path.length !== 3) return undefined
      const labels = labelSelectorOf(query, 'labelSelector')
      const object = find.reader.get('', 'configmaps', namespace, EXTERNAL_CONFIG_MAP)
      const figures = object === undefined ? [] : readable(() => figuresAt({ object, field: 'data', key: metricName }, clock.now()))
      const items = figures
        .filter((figure) => labels.matches(figure.labels))
        .map(
          ({ labels: metricLabels, amount }): JsonObject => ({
            metricName,
            metricLabels,
            timestamp: timestamp(clock.now()),
            window: WINDOW_SECONDS,
            value: amount.quantity.toString(),
          }),
        )
      return { value: { kind: 'ExternalMetricValueList', apiVersion: API_VERSION, metadata: {}, items } }
    },
  }
}
