import { messageOf } from '../../base/message-of.ts'
import { parseQuantity, Quantity, type QuantityFormat } from '../../machinery/quantity.ts'
import { goSelector } from '../../machinery/selectors/go-selector.ts'
import type { MetricIdentifier, MetricSpec, MetricStatus, MetricTarget } from '../../resources/types/autoscaling.ts'
import type { Pod } from '../../resources/types/core.ts'
import { MetricsError } from './metrics-error.ts'
import type { MetricsSource } from './metrics-source.ts'
import { replicasByAverage, replicasByShare, replicasByUtilization, replicasByValue, type Scene, type Tolerance } from './replica-count.ts'

/** What the metrics of one autoscaler are computed from. */
export interface MetricScene {
  readonly namespace: string
  /** The pods' label selector, from the scale of the target. */
  readonly selector: string
  readonly pods: readonly Pod[]
  readonly specReplicas: number
  readonly statusReplicas: number
  readonly tolerance: Tolerance
  readonly nowMs: number
}

/** The number of replicas that one metric proposes. */
export interface MetricProposal {
  readonly replicas: number
  /** As events call it. */
  readonly name: string
  readonly status: MetricStatus
}

/** Why a metric proposes nothing: the reason of the event and of the condition, and the message around the cause. */
export class MetricError extends Error {
  override readonly name = 'MetricError'
  readonly reason: string
  readonly whole: string
  constructor(reason: string, message: string, whole: string) {
    super(message)
    this.reason = reason
    this.whole = whole
  }
}

/** Reads one metric, and computes the replicas that it proposes. @throws {MetricError} */
export async function propose(spec: MetricSpec, scene: MetricScene, source: MetricsSource): Promise<MetricProposal> {
  const kind = KINDS.get(spec.type ?? '')
  if (kind === undefined) {
    const message = `unknown metric source type ${JSON.stringify(spec.type ?? '')}`
    throw new MetricError('InvalidMetricSourceType', message, message)
  }
  try {
    return await kind.propose(spec, scene, source)
  } catch (error) {
    const message = messageOf(error)
    throw new MetricError(kind.reason, message, `failed to get ${kind.title(spec)}: ${kind.step?.(spec) ?? ''}${message}`)
  }
}

interface MetricKind {
  readonly reason: string
  title(spec: MetricSpec): string
  /** The failed step, which events name and conditions do not. */
  step?(spec: MetricSpec): string
  propose(spec: MetricSpec, scene: MetricScene, source: MetricsSource): Promise<MetricProposal>
}

const KINDS: ReadonlyMap<string, MetricKind> = new Map<string, MetricKind>([
  [
    'Resource',
    {
      reason: 'FailedGetResourceMetric',
      title: (spec) => `${spec.resource?.name} resource metric value`,
      async propose({ resource }, scene, source) {
        const { name, target } = sourceOf(resource)
        const { current, ...rest } = await ofResource({ name, target }, scene, source)
        return { ...rest, status: { type: 'Resource', resource: { name, current } } }
      },
    },
  ],
  [
    'ContainerResource',
    {
      reason: 'FailedGetContainerResourceMetric',
      title: (spec) => `${spec.containerResource?.container} container metric value`,
      async propose({ containerResource }, scene, source) {
        const { name, container, target } = sourceOf(containerResource)
        const { current, ...rest } = await ofResource({ name, container, target }, scene, source)
        return { ...rest, status: { type: 'ContainerResource', containerResource: { name, container, current } } }
      },
    },
  ],
  [
    'Pods',
    {
      reason: 'FailedGetPodsMetric',
      title: () => 'pods metric value',
      async propose({ pods }, scene, source) {
        const { metric, target } = sourceOf(pods)
        const { namespace, selector } = scene
        const measured = await because(`unable to get metric ${metric.name}`, source.pods({ metric, namespace, selector }))
        const { replicas, averageMilli } = replicasByAverage(ofSpec(scene), measured, milli(target.averageValue))
        return {
          replicas,
          name: `pods metric ${metric.name}`,
          status: { type: 'Pods', pods: { metric: identifier(metric), current: { averageValue: amount(averageMilli) } } },
        }
      },
    },
  ],
  [
    'Object',
    {
      reason: 'FailedGetObjectMetric',
      title: () => 'object metric value',
      step: ({ object }) => (object?.target?.type === 'AverageValue' ? `failed to get ${object.metric?.name} object metric: ` : ''),
      async propose({ object }, scene, source) {
        const { metric, target, describedObject } = sourceOf(object)
        if (target.type !== 'Value' && target.type !== 'AverageValue')
          throw new MetricsError('bad-source', 'invalid object metric source: neither a value target nor an average value target was set')
        const { namespace } = scene
        const what = `unable to get metric ${metric.name}: ${describedObject.kind} on ${namespace} ${describedObject.name}/`
        const value = await because(what, source.object({ metric, namespace, of: describedObject }), '')
        const { replicas, current } = byValueOrShare(value, target, scene)
        const name =
          target.type === 'Value'
            ? `${describedObject.kind} metric ${metric.name}`
            : `external metric ${metric.name}(${goSelector(metric.selector)})`
        return { replicas, name, status: { type: 'Object', object: { metric: identifier(metric), current, describedObject } } }
      },
    },
  ],
  [
    'External',
    {
      reason: 'FailedGetExternalMetric',
      title: (spec) => `${spec.external?.metric?.name} external metric value`,
      step({ external }) {
        const name = external?.metric?.name
        return external?.target?.averageValue === undefined
          ? `failed to get external metric ${name}: `
          : `failed to get ${name} external metric: `
      },
      async propose({ external }, scene, source) {
        const { metric, target } = sourceOf(external)
        const { namespace } = scene
        const share = target.averageValue !== undefined
        if (!share && target.value === undefined)
          throw new MetricsError('bad-source', 'invalid external metric source: neither a value target nor an average value target was set')
        const what = `unable to get external metric ${namespace}/${metric.name}/${goSelector(metric.selector)}`
        const value = await because(what, source.external({ metric, namespace }))
        const { replicas, current } = byValueOrShare(value, { ...target, type: share ? 'AverageValue' : 'Value' }, scene)
        const name = `external metric ${metric.name}(${goSelector(metric.selector)})`
        return { replicas, name, status: { type: 'External', external: { metric: identifier(metric), current } } }
      },
    },
  ],
])

async function ofResource(
  wanted: { readonly name: string; readonly container?: string; readonly target: MetricTarget },
  scene: MetricScene,
  source: MetricsSource,
): Promise<Omit<MetricProposal, 'status'> & { current: { averageValue: string; averageUtilization?: number } }> {
  const { name, container, target } = wanted
  const { namespace, selector } = scene
  const read = () =>
    because(
      `unable to get metrics for resource ${name}`,
      source.resource({ name, namespace, selector, ...(container !== undefined && { container }) }),
    )
  if (target.averageValue !== undefined) {
    const wantedMilli = milli(target.averageValue)
    const { replicas, averageMilli } = await because(
      `failed to get ${name} usage`,
      read().then((measured) => replicasByAverage(ofSpec(scene), measured, wantedMilli, name)),
    )
    return { replicas, name: `${name} resource`, current: { averageValue: amount(averageMilli, formatOf(name)) } }
  }
  const percent = target.averageUtilization
  if (percent === undefined)
    throw new MetricsError(
      'bad-source',
      'invalid resource metric source: neither an average utilization target nor an average value (usage) target was set',
    )
  const found = await because(
    `failed to get ${name} utilization`,
    read().then((measured) => replicasByUtilization(ofSpec(scene), measured, { resource: name, container, percent })),
  )
  return {
    replicas: found.replicas,
    name: `${name} ${container === undefined ? '' : 'container '}resource utilization (percentage of request)`,
    current: { averageValue: amount(found.averageMilli, formatOf(name)), averageUtilization: found.percent },
  }
}

function byValueOrShare(
  value: number,
  target: MetricTarget,
  scene: MetricScene,
): { replicas: number; current: { value?: string; averageValue?: string } } {
  if (target.type === 'Value')
    return { replicas: replicasByValue(ofSpec(scene), value, milli(target.value)), current: { value: amount(value) } }
  const { replicas, averageMilli } = replicasByShare(scene, value, milli(target.averageValue))
  return { replicas, current: { averageValue: amount(averageMilli) } }
}

const ofSpec = (scene: MetricScene): Scene => ({ ...scene, replicas: scene.specReplicas })

/** Memory is written in powers of two. */
const formatOf = (resource: string): QuantityFormat => (resource === 'memory' ? 'BinarySI' : 'DecimalSI')

/** The source that the metric's type names. The API requires it; without it the metric is invalid. */
function sourceOf<T>(source: T | undefined): T {
  if (source === undefined) throw new MetricsError('bad-source', 'the source of the metric is missing')
  return source
}

const milli = (quantity: string | number | undefined): number => (quantity === undefined ? 0 : parseQuantity(quantity).milliValue())
const amount = (milliValue: number, format: QuantityFormat = 'DecimalSI'): string => Quantity.milli(milliValue, format).toString()

const identifier = ({ name, selector }: MetricIdentifier): MetricIdentifier => ({
  name,
  ...(selector !== undefined && { selector }),
})

async function because<T>(what: string, work: Promise<T>, joint = ': '): Promise<T> {
  try {
    return await work
  } catch (error) {
    const code = error instanceof MetricsError ? error.code : 'unavailable'
    throw new MetricsError(code, `${what}${joint}${messageOf(error)}`, { cause: error })
  }
}
