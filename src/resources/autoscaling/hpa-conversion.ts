import { tryParseJson } from '../../machinery/json/try-parse-json.ts'
import { cloneDecoded } from '../../machinery/schema/given-empty.ts'
import { behaviorText, readBehavior } from './hpa-behavior.ts'
import type { Hpa, HpaStatus, MetricSpec, MetricStatus } from './hpa-types.ts'

const METRICS = 'autoscaling.alpha.kubernetes.io/metrics'
const CURRENT = 'autoscaling.alpha.kubernetes.io/current-metrics'
const CONDITIONS = 'autoscaling.alpha.kubernetes.io/conditions'
const BEHAVIOR = 'autoscaling.alpha.kubernetes.io/behavior'
const OURS = [METRICS, CURRENT, CONDITIONS, BEHAVIOR]
const V1 = 'autoscaling/v1'

type HpaCondition = NonNullable<HpaStatus['conditions']>[number]

/** The v2 object of each converted one: it has the order of all metrics, v1 has CPU in a field of its own. */
const originals = new WeakMap<Hpa, Hpa>()

/** The autoscaler at v2, which is the internal form too. */
export const internalHpa = (object: Hpa): Hpa => originals.get(object) ?? toV2(object)

/** Converts between `autoscaling/v1`, which has only CPU and keeps the rest in annotations, and `autoscaling/v2`. */
export function convertHpas(objects: readonly Hpa[], toApiVersion: string): readonly Hpa[] {
  return objects.map((object) => {
    if (object.apiVersion === toApiVersion) return object
    return toApiVersion === V1 ? toV1(object) : toV2(object)
  })
}

function toV2(object: Hpa): Hpa {
  if (object.apiVersion !== V1) return object
  const out: Hpa = cloneDecoded(object)
  out.apiVersion = 'autoscaling/v2'
  const annotations = out.metadata.annotations ?? {}
  const read = (name: string): unknown => parsed(annotations[name])
  out.spec ??= {}
  out.status ??= {}
  const { targetCPUUtilizationPercentage: cpu, ...spec } = out.spec
  const metrics = list<OldMetric>(read(METRICS)).map((m) => newMetric(m))
  if (cpu !== undefined)
    metrics.push({ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: cpu } } })
  // Kubernetes' list is empty, not absent: managed fields see the difference.
  spec.metrics = metrics
  const behavior = readBehavior(read(BEHAVIOR))
  if (behavior !== undefined) spec.behavior = behavior
  const { currentCPUUtilizationPercentage: used, ...status } = out.status
  const current = list<OldMetric>(read(CURRENT)).map((m) => newStatus(m))
  if (used !== undefined && current.length === 0)
    current.push({ type: 'Resource', resource: { name: 'cpu', current: { averageValue: '0', averageUtilization: used } } })
  if (current.length > 0) status.currentMetrics = current
  const conditions = list<HpaCondition>(read(CONDITIONS))
  if (conditions.length > 0) status.conditions = conditions
  out.spec = spec
  out.status = status
  setAnnotations(out, {})
  return out
}

function toV1(object: Hpa): Hpa {
  const out: Hpa = cloneDecoded(object)
  out.apiVersion = V1
  const { metrics: wanted, behavior, ...spec } = out.spec ?? {}
  const { currentMetrics: observed, conditions: reported, currentReplicas = 0, desiredReplicas = 0, ...first } = out.status ?? {}
  // In Go's order: a failed patch shows the whole object.
  const status: NonNullable<Hpa['status']> = { ...first, currentReplicas, desiredReplicas }
  const metrics = wanted ?? []
  const currentMetrics = observed ?? []
  const conditions = reported ?? []
  const add: Record<string, string> = {}
  const others: MetricSpec[] = []
  for (const metric of metrics) {
    const cpu = metric.type === 'Resource' && metric.resource?.name === 'cpu' ? metric.resource.target?.averageUtilization : undefined
    if (cpu !== undefined && spec.targetCPUUtilizationPercentage === undefined) spec.targetCPUUtilizationPercentage = cpu
    else others.push(metric)
  }
  if (others.length > 0) add[METRICS] = JSON.stringify(others.map(oldMetric).map(inGoOrder))
  for (const metric of currentMetrics)
    if (metric.type === 'Resource' && metric.resource?.name === 'cpu' && metric.resource.current?.averageUtilization !== undefined)
      status.currentCPUUtilizationPercentage = metric.resource.current.averageUtilization
  if (currentMetrics.length > 0) add[CURRENT] = JSON.stringify(currentMetrics.map(oldStatus).map(inGoOrder))
  if (conditions.length > 0) add[CONDITIONS] = JSON.stringify(conditions)
  if (behavior) add[BEHAVIOR] = behaviorText(behavior)
  out.spec = spec
  out.status = status
  setAnnotations(out, add)
  originals.set(out, object)
  return out
}

function setAnnotations(object: Hpa, add: Record<string, string>): void {
  const kept = Object.fromEntries(Object.entries(object.metadata.annotations ?? {}).filter(([name]) => !OURS.includes(name)))
  const annotations = { ...kept, ...add }
  if (Object.keys(annotations).length > 0) object.metadata.annotations = annotations
  else delete object.metadata.annotations
}

const parsed = (text: string | undefined): unknown => (text === undefined ? undefined : tryParseJson(text))

const list = <T>(value: unknown): T[] => (Array.isArray(value) ? (value as T[]) : [])

/** A metric in the annotations of `autoscaling/v1`: the target's values are beside the name. */
interface OldMetric {
  type?: string
  [source: string]: OldSource | string | undefined
}

interface OldSource {
  name?: string
  metricName?: string
  container?: string
  target?: unknown
  selector?: unknown
  metricSelector?: unknown
  targetValue?: string
  targetAverageValue?: string
  targetAverageUtilization?: number
  averageValue?: string
  currentValue?: string
  currentAverageValue?: string
  currentAverageUtilization?: number
}

/** The fields of all sources in the order in which Go writes them. */
const GO_ORDER = [
  'target',
  'name',
  'metricName',
  'metricSelector',
  'targetAverageUtilization',
  'currentAverageUtilization',
  'targetValue',
  'currentValue',
  'targetAverageValue',
  'currentAverageValue',
  'selector',
  'averageValue',
  'container',
] as const

function inGoOrder(metric: OldMetric): OldMetric {
  const ordered = (source: OldSource) =>
    Object.fromEntries(GO_ORDER.flatMap((name) => (source[name] === undefined ? [] : [[name, source[name]]])))
  return Object.fromEntries(Object.entries(metric).map(([field, source]) => [field, typeof source === 'object' ? ordered(source) : source]))
}

const SOURCES = ['object', 'pods', 'resource', 'containerResource', 'external'] as const

function oldMetric(metric: MetricSpec): OldMetric {
  const out: OldMetric = { type: metric.type ?? '' }
  for (const field of SOURCES) {
    const source = metric[field]
    if (!source) continue
    const { value, averageValue, averageUtilization } = source.target ?? {}
    const named = oldName(field, source)
    if (field === 'resource' || field === 'containerResource')
      out[field] = { ...named, ...has('targetAverageUtilization', averageUtilization), ...has('targetAverageValue', averageValue) }
    else if (field === 'pods') out[field] = { ...named, ...has('targetAverageValue', averageValue) }
    else if (field === 'object') out[field] = { ...named, targetValue: value ?? '0', ...has('averageValue', averageValue) }
    else out[field] = { ...named, ...has('targetValue', value), ...has('targetAverageValue', averageValue) }
  }
  return out
}

type Source = NonNullable<MetricSpec[(typeof SOURCES)[number]]> | NonNullable<MetricStatus[(typeof SOURCES)[number]]>

function oldName(field: string, source: Source): OldSource {
  const metric = 'metric' in source ? source.metric : undefined
  const described = 'describedObject' in source ? source.describedObject : undefined
  const out: OldSource = {}
  if (described) out.target = described
  if (metric) {
    out.metricName = metric.name ?? ''
    if (metric.selector) out[field === 'external' ? 'metricSelector' : 'selector'] = metric.selector
  }
  if ('name' in source && source.name !== undefined) out.name = source.name
  if ('container' in source && source.container !== undefined) out.container = source.container
  return out
}

const has = <K extends string, V>(key: K, value: V | undefined): { [k in K]?: V } =>
  value === undefined ? {} : ({ [key]: value } as { [k in K]: V })

function newMetric(old: OldMetric): MetricSpec {
  const out: MetricSpec = { type: old.type ?? '' }
  for (const field of SOURCES) {
    const source = old[field]
    if (!source || typeof source === 'string') continue
    const average = source.targetAverageValue ?? source.averageValue
    const utilization = source.targetAverageUtilization
    const type = utilization !== undefined ? 'Utilization' : average !== undefined ? 'AverageValue' : 'Value'
    const value = field === 'object' && average !== undefined ? undefined : source.targetValue
    const target = { type, ...has('value', value), ...has('averageValue', average), ...has('averageUtilization', utilization) }
    Object.assign(out, { [field]: { ...newName(field, source), target } })
  }
  return out
}

function newName(field: string, source: OldSource): object {
  if (field === 'resource') return { name: source.name ?? '' }
  if (field === 'containerResource') return { name: source.name ?? '', container: source.container ?? '' }
  const selector = source.selector ?? source.metricSelector
  const metric = { name: source.metricName ?? '', ...(selector ? { selector } : {}) }
  return field === 'object' ? { describedObject: source.target ?? {}, metric } : { metric }
}

function oldStatus(status: MetricStatus): OldMetric {
  const out: OldMetric = { type: status.type ?? '' }
  for (const field of SOURCES) {
    const source = status[field]
    if (!source) continue
    const { value, averageValue, averageUtilization } = source.current ?? {}
    const named = oldName(field, source)
    if (field === 'resource' || field === 'containerResource')
      out[field] = { ...named, ...has('currentAverageUtilization', averageUtilization), currentAverageValue: averageValue ?? '0' }
    else if (field === 'pods') out[field] = { ...named, currentAverageValue: averageValue ?? '0' }
    else if (field === 'object') out[field] = { ...named, currentValue: value ?? '0', ...has('averageValue', averageValue) }
    else out[field] = { ...named, currentValue: value ?? '0', ...has('currentAverageValue', averageValue) }
  }
  return out
}

function newStatus(old: OldMetric): MetricStatus {
  const out: MetricStatus = { type: old.type ?? '' }
  for (const field of SOURCES) {
    const source = old[field]
    if (!source || typeof source === 'string') continue
    const current = {
      ...has('value', source.currentValue),
      ...has('averageValue', source.currentAverageValue ?? source.averageValue),
      ...has('averageUtilization', source.currentAverageUtilization),
    }
    Object.assign(out, { [field]: { ...newName(field, source), current } })
  }
  return out
}
