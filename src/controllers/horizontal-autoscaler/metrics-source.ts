import { messageOf } from '../../base/message-of.ts'
import { parseGoDuration } from '../../machinery/go/go-duration.ts'
import { isObject, type Json, type JsonObject } from '../../machinery/object.ts'
import { parseQuantity } from '../../machinery/quantity.ts'
import { isStatus } from '../../machinery/status-error.ts'
import type { CrossVersionObjectReference, MetricIdentifier } from '../../resources/types/autoscaling.ts'
import type { Client } from '../../sdk/client/client.ts'
import type { Catalogue } from '../frame/catalogue.ts'
import { MetricsError } from './metrics-error.ts'
import { selectorText } from './selector-text.ts'

/** A measured value of one pod, in thousandths. */
export interface PodMetric {
  readonly milli: number
  /** When it was measured, in milliseconds since the epoch. */
  readonly atMs: number
  /** Over how long it was measured. */
  readonly windowMs: number
}

/** By the name of the pod. */
export type PodMetrics = ReadonlyMap<string, PodMetric>

/** The metrics APIs, of any server. Every method throws an Error with a message for an event. */
export interface MetricsSource {
  /** `metrics.k8s.io`: processor, memory, … of pods, or of one container of each. */
  resource(query: { name: string; namespace: string; selector: string; container?: string }): Promise<PodMetrics>
  /** `custom.metrics.k8s.io`: a number of each pod. */
  pods(query: { metric: MetricIdentifier; namespace: string; selector: string }): Promise<PodMetrics>
  /** `custom.metrics.k8s.io`: a number of one object, in thousandths. */
  object(query: { metric: MetricIdentifier; namespace: string; of: CrossVersionObjectReference }): Promise<number>
  /** `external.metrics.k8s.io`: the sum of the selected external metrics, in thousandths. */
  external(query: { metric: MetricIdentifier; namespace: string }): Promise<number>
}

const RESOURCE_METRICS = { group: 'metrics.k8s.io', version: 'v1beta1', resource: 'pods' }
const CUSTOM = 'custom.metrics.k8s.io'
const EXTERNAL = 'external.metrics.k8s.io'
const USUAL_WINDOW_MS = 60_000

/** Reads the metrics APIs as any client does. */
export function createMetricsSource({ client, catalogue }: { readonly client: Client; readonly catalogue: Catalogue }): MetricsSource {
  async function custom(path: readonly string[], query: Readonly<Record<string, string | undefined>>): Promise<readonly JsonObject[]> {
    return customOf(await customVersion(client), path, query)
  }

  async function customOf(version: string, path: readonly string[], query: Readonly<Record<string, string | undefined>>) {
    const filled = Object.entries(query).flatMap(([k, v]) => (v === undefined || v === '' ? [] : [`${k}=${encodeURIComponent(v)}`]))
    const at = `/apis/${CUSTOM}/${version}/${path.map(encodeURIComponent).join('/')}`
    const { value } = await client.page(filled.length === 0 ? at : `${at}?${filled.join('&')}`)
    return objectsOf(value?.items)
  }

  return {
    async resource({ name, namespace, selector, container }) {
      const items = await listOf('resource', 'pods.metrics.k8s.io', async () => {
        const list = await client.list({ ...RESOURCE_METRICS, namespace }, { labelSelector: selector })
        return objectsOf(list.items)
      })
      return container === undefined ? metricsOfPods(items, name) : metricsOfContainers(items, name, container)
    },
    async pods({ metric, namespace, selector }) {
      const items = await listOf('custom', `pods.${CUSTOM}`, () =>
        custom(['namespaces', namespace, 'pods', '*', metric.name ?? ''], {
          labelSelector: selector,
          metricLabelSelector: selectorText(metric.selector),
        }),
      )
      return new Map(items.map((item) => [describedName(item), reading(item, item.value)]))
    },
    async object({ metric, namespace, of }) {
      const name = metric.name ?? ''
      const query = { metricLabelSelector: selectorText(metric.selector) }
      return fetching('custom', `${of.kind}.${CUSTOM}`, async () => {
        const group = groupOf(of)
        const version = await customVersion(client)
        if (group === '' && of.kind === 'Namespace')
          return exactlyOne(await customOf(version, ['namespaces', namespace, 'metrics', name], query))
        const entry = await catalogue.ofKind(group, of.kind ?? '')
        if (entry === undefined)
          throw new MetricsError(
            'unavailable',
            `unable to map kind ${group === '' ? of.kind : `${of.kind}.${group}`} to resource: ${noMatch(group, of.kind)}`,
          )
        const resource = entry.group === '' ? entry.resource : `${entry.resource}.${entry.group}`
        // Also for an object without a namespace: upstream asks in that of the autoscaler.
        return exactlyOne(await customOf(version, ['namespaces', namespace, resource, of.name ?? '', name], query))
      })
    },
    async external({ metric, namespace }) {
      const name = metric.name ?? ''
      const items = await listOf('external', `${name}.${EXTERNAL}`, async () => {
        const target = { group: EXTERNAL, version: 'v1beta1', resource: name, namespace }
        const list = await client.list(target, { labelSelector: selectorText(metric.selector) })
        return objectsOf(list.items)
      })
      return items.reduce((sum, item) => sum + milli(item.value), 0)
    },
  }
}

/** Kubernetes' message for a kind that is not served. */
export const noMatch = (group: string, kind = ''): string => `no matches for kind ${JSON.stringify(kind)} in group ${JSON.stringify(group)}`

const groupOf = (of: CrossVersionObjectReference): string => (of.apiVersion?.includes('/') ? (of.apiVersion.split('/')[0] ?? '') : '')

async function fetching<T>(which: string, what: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    throw new MetricsError('unavailable', `unable to fetch metrics from ${which} metrics API: ${sayingWhat(error, what)}`, { cause: error })
  }
}

async function listOf(which: string, what: string, read: () => Promise<readonly JsonObject[]>): Promise<readonly JsonObject[]> {
  const items = await fetching(which, what, read)
  if (items.length === 0) throw new MetricsError('no-metrics', `no metrics returned from ${which} metrics API`)
  return items
}

/** The messages of a server, over HTTPS and inside the process, for a path that it does not serve. */
const NOT_SERVED: ReadonlySet<string> = new Set(['404 page not found', 'the server could not find the requested resource'])

/** For a response without a Status: the message of Kubernetes' own clients, which names the request. */
function sayingWhat(error: unknown, what: string): string {
  if (isStatus(error) && NOT_SERVED.has(error.message)) return `the server could not find the requested resource (get ${what})`
  if (isStatus(error) && error.status.code === 503 && error.message === 'service unavailable')
    return `the server is currently unable to handle the request (get ${what})`
  return messageOf(error)
}

/** The preferred version of the custom metrics API, which is served in several. */
async function customVersion(client: Client): Promise<string> {
  const { value } = await client.page('/apis')
  const preferred = objectsOf(value?.groups).find((g) => g.name === CUSTOM)?.preferredVersion
  const version = isObject(preferred) ? preferred.version : undefined
  if (typeof version !== 'string') throw new MetricsError('unavailable', `no custom metrics API (${CUSTOM}) registered`)
  return version
}

/** The response may come from any server: it is not trusted to be a list of objects. */
const objectsOf = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : [])

function exactlyOne(items: readonly JsonObject[]): number {
  const [only] = items
  if (only === undefined || items.length !== 1)
    throw new MetricsError('no-metrics', `the custom metrics API server returned ${items.length} results when we asked for exactly one`)
  return milli(only.value)
}

const milli = (quantity: unknown): number =>
  typeof quantity === 'string' || typeof quantity === 'number' ? parseQuantity(quantity).milliValue() : 0

const describedName = (item: JsonObject): string => (isObject(item.describedObject) ? String(item.describedObject.name ?? '') : '')

function reading(item: JsonObject, value: unknown, windowMs = windowOf(item)): PodMetric {
  return { milli: milli(value), atMs: Date.parse(String(item.timestamp ?? '')) || 0, windowMs }
}

const windowOf = (item: JsonObject): number => (typeof item.windowSeconds === 'number' ? item.windowSeconds * 1000 : USUAL_WINDOW_MS)

/** The window of a PodMetrics: `30s`, `1m0s`. */
const windowMs = (item: JsonObject): number => parseGoDuration(String(item.window ?? '')) ?? 0

/** The figure of one container, if there is one. */
const usageOf = (container: JsonObject, name: string): Json | undefined => (isObject(container.usage) ? container.usage[name] : undefined)
const metaOf = (item: JsonObject): JsonObject => (isObject(item.metadata) ? item.metadata : {})
const nameOf = (item: JsonObject): string => String(metaOf(item).name ?? '')

/** The sum of a pod's containers; a pod of which one container's figure is missing is left out. */
function metricsOfPods(items: readonly JsonObject[], name: string): PodMetrics {
  const found = new Map<string, PodMetric>()
  for (const item of items) {
    const usages = objectsOf(item.containers).map((c) => usageOf(c, name))
    if (usages.length === 0 || usages.includes(undefined)) continue
    const sum = usages.map(milli).reduce((a, b) => a + b, 0)
    found.set(nameOf(item), { ...reading(item, undefined, windowMs(item)), milli: sum })
  }
  return found
}

/** A pod whose figures do not name the container is left out. */
function metricsOfContainers(items: readonly JsonObject[], name: string, container: string): PodMetrics {
  const found = new Map<string, PodMetric>()
  for (const item of items) {
    const its = objectsOf(item.containers).find((c) => c.name === container)
    const usage = its && usageOf(its, name)
    if (usage !== undefined) found.set(nameOf(item), reading(item, usage, windowMs(item)))
  }
  return found
}
