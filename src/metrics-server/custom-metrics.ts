import { timestamp } from '../base/clock.ts'
import type { JsonObject, KubeObject } from '../machinery/object.ts'
import type { Quantity } from '../machinery/quantity.ts'
import { CUSTOM_METRIC_PREFIX } from '../machinery/simulated-annotations.ts'
import { notFound, StatusError } from '../machinery/status-error.ts'
import { listObjects } from '../resources/read-objects.ts'
import { PODS } from '../resources/refs.ts'
import type { ApiResponse, GroupApi } from './group-api.ts'
import { Measurement } from './measure.ts'
import { type MetricsDeps, WINDOW_SECONDS } from './resource-metrics.ts'
import { ScriptError } from './script.ts'
import { type Figure, figuresAt } from './scripted-object.ts'
import { labelSelectorOf, selectionOf } from './selection.ts'

const GROUP = 'custom.metrics.k8s.io'

/** A request of `custom.metrics.k8s.io`: one metric of one object, or of all pods that a selector matches. */
interface Wanted {
  readonly namespace: string
  readonly group: string
  readonly resource: string
  /** `*`: those that the label selector chooses. */
  readonly name: string
  readonly metric: string
}

/** `custom.metrics.k8s.io`: figures of any object, by its annotations. */
export function customMetrics(version: 'v1beta1' | 'v1beta2', deps: MetricsDeps): GroupApi {
  const { find, clock } = deps
  const valuesOf = (wanted: Wanted, query: URLSearchParams): JsonObject[] => {
    const key = `${CUSTOM_METRIC_PREFIX}${wanted.metric}`
    const labels = labelSelectorOf(query, 'metricLabelSelector')
    const chosen = (figures: readonly (Pick<Figure, 'labels'> & { readonly quantity: Quantity })[]) =>
      figures.filter((figure) => labels.matches(figure.labels))
    const value = (object: KubeObject, sum: Quantity): JsonObject => ({
      describedObject: described(object),
      ...(version === 'v1beta1' ? { metricName: wanted.metric } : { metric: { name: wanted.metric, selector: null } }),
      timestamp: timestamp(clock.now()),
      windowSeconds: WINDOW_SECONDS,
      value: sum.toString(),
    })
    const summed = (object: KubeObject, figures: readonly { readonly quantity: Quantity }[]): JsonObject[] => {
      const [first, ...more] = figures
      return first === undefined
        ? []
        : [
            value(
              object,
              more.reduce((sum, { quantity }) => sum.add(quantity), first.quantity),
            ),
          ]
    }
    if (wanted.group === '' && wanted.resource === 'pods') {
      const at = new Measurement({ ...deps, nowMs: clock.now() })
      const selected = selectionOf(query)
      const pods = listObjects(find.reader, PODS, wanted.namespace).filter(
        (pod) => at.isMeasured(pod) && (wanted.name === '*' ? selected(pod) : pod.metadata.name === wanted.name),
      )
      return pods.flatMap((pod) => summed(pod, chosen(at.ofPod(pod, key))))
    }
    const object = find.ofResource(wanted.group, wanted.resource, wanted.namespace, wanted.name)
    if (object === undefined) throw notFound({ group: wanted.group, resource: wanted.resource }, wanted.name)
    const figures = figuresAt({ object, field: 'annotations', key }, clock.now())
    return summed(object, chosen(figures.map(({ amount, ...figure }) => ({ ...figure, quantity: amount.quantity }))))
  }

  return {
    group: GROUP,
    version,
    resources: () => [],
    get({ path, query }): ApiResponse | undefined {
      const wanted = wantedOf(path)
      if (wanted === undefined) return undefined
      const items = readable(() => valuesOf(wanted, query))
      if (items.length === 0) throw noMetric(wanted)
      return { value: { kind: 'MetricValueList', apiVersion: `${GROUP}/${version}`, metadata: {}, items } }
    },
  }
}

/** The paths of the API. The metric of a namespace is below `metrics` in it. */
export function wantedOf(path: readonly string[]): Wanted | undefined {
  const [first = '', second = '', third = '', fourth = '', fifth] = path
  if (first === 'namespaces' && path.length === 4 && third === 'metrics')
    return { namespace: '', group: '', resource: 'namespaces', name: second, metric: fourth }
  if (first === 'namespaces' && path.length === 5) return { namespace: second, ...groupResource(third), name: fourth, metric: fifth ?? '' }
  if (path.length === 3) return { namespace: '', ...groupResource(first), name: second, metric: third }
  return undefined
}

function groupResource(text: string): { readonly group: string; readonly resource: string } {
  const [resource = '', group = ''] = text.split(/\.(.*)/s)
  return { group, resource }
}

function described({ kind, apiVersion, metadata: { name = '', namespace } }: KubeObject): JsonObject {
  return { kind, ...(namespace !== undefined && { namespace }), name, apiVersion }
}

const noMetric = ({ group, resource, name, metric }: Wanted): StatusError => {
  const of = group === '' ? resource : `${resource}.${group}`
  const message =
    name === '*'
      ? `the server could not find the metric ${metric} for ${of}`
      : `the server could not find the metric ${metric} for ${of} ${name}`
  return new StatusError({ code: 404, reason: 'NotFound', message })
}

/** What a script's fault is for clients. */
export function readable<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error
    throw new StatusError({ code: 500, reason: 'InternalError', message: error.message, cause: error })
  }
}
