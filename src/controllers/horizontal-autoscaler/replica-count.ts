import { parseQuantity } from '../../machinery/quantity.ts'
import { type PodAmounts, podRequests } from '../../resources/pod/pod-requests.ts'
import type { Pod } from '../../resources/types/core.ts'
import { conditionOf, isReady, isTerminating } from '../pods/pod-state.ts'
import { MetricsError } from './metrics-error.ts'
import type { PodMetric, PodMetrics } from './metrics-source.ts'

/** How far a ratio may be from 1 before anything is done. */
export interface Tolerance {
  readonly up: number
  readonly down: number
}

/** What a number of replicas is worked out from. */
export interface Scene {
  readonly pods: readonly Pod[]
  readonly replicas: number
  readonly tolerance: Tolerance
  readonly nowMs: number
}

/** The number of replicas that a metric proposes, and the measured value. */
export interface Proposal {
  readonly replicas: number
  /** A pod's average, in thousandths. */
  readonly averageMilli: number
}

/** How long a pod's processor time is that of its start. */
const CPU_INITIALIZATION_MS = 300_000
/** How long after its start a pod that was never ready counts as one that starts. */
const INITIAL_READINESS_MS = 30_000
const MOST_REPLICAS = 2 ** 31 - 1

/** By the share of the pods' requests, in percent. */
export function replicasByUtilization(
  scene: Scene,
  metrics: PodMetrics,
  wanted: { readonly resource: string; readonly container?: string | undefined; readonly percent: number },
): Proposal & { readonly percent: number } {
  const groups = sorted(scene, metrics, wanted.resource)
  const requests = new Map(scene.pods.map((pod) => [pod.metadata.name ?? '', requestOf(pod, wanted.resource, wanted.container)]))
  const measure = (values: ReadonlyMap<string, number>) => {
    let used = 0
    let requested = 0
    let pods = 0
    for (const [name, value] of values) {
      const request = requests.get(name)
      if (request === undefined) continue
      used += value
      requested += request
      pods++
    }
    if (requested === 0) throw new MetricsError('no-metrics', 'no metrics returned matched known pods')
    const percent = Math.trunc((used * 100) / requested)
    return { ratio: percent / wanted.percent, percent, averageMilli: Math.trunc(used / pods) }
  }
  const seen = measure(groups.measured)
  const missing = (name: string) => Math.trunc(((requests.get(name) ?? 0) * Math.max(100, wanted.percent)) / 100)
  const replicas = withAssumptions(scene, groups, seen.ratio, missing, (values) => measure(values).ratio)
  return { replicas, percent: seen.percent, averageMilli: seen.averageMilli }
}

/** By the average of a pod, in thousandths. */
export function replicasByAverage(scene: Scene, metrics: PodMetrics, targetMilli: number, resource = ''): Proposal {
  const groups = sorted(scene, metrics, resource)
  const average = (values: ReadonlyMap<string, number>) => Math.trunc([...values.values()].reduce((a, b) => a + b, 0) / values.size)
  const averageMilli = average(groups.measured)
  const ratio = (values: ReadonlyMap<string, number>) => average(values) / targetMilli
  return { replicas: withAssumptions(scene, groups, averageMilli / targetMilli, () => targetMilli, ratio), averageMilli }
}

/** By one number for all. */
export function replicasByValue(scene: Scene, milli: number, targetMilli: number): number {
  const ratio = milli / targetMilli
  if (scene.replicas === 0) return Math.ceil(ratio)
  if (within(scene.tolerance, ratio)) return scene.replicas
  if (scene.pods.length === 0) throw new MetricsError('no-pods', `unable to calculate ready pods: ${NO_PODS}`)
  const ready = scene.pods.filter((pod) => pod.status?.phase === 'Running' && isReady(pod)).length
  return Math.min(Math.ceil(ratio * ready), MOST_REPLICAS)
}

/** By one number for all, shared among the replicas that there are. */
export function replicasByShare(
  scene: Pick<Scene, 'tolerance'> & { readonly statusReplicas: number },
  milli: number,
  targetMilli: number,
): Proposal {
  const { statusReplicas, tolerance } = scene
  const ratio = milli / (targetMilli * statusReplicas)
  const replicas = within(tolerance, ratio) ? statusReplicas : Math.min(Math.ceil(milli / targetMilli), MOST_REPLICAS)
  return { replicas, averageMilli: statusReplicas === 0 ? 0 : Math.ceil(milli / statusReplicas) }
}

const NO_PODS = 'no pods returned by selector while calculating replica count'

const within = ({ up, down }: Tolerance, ratio: number): boolean => 1 - down <= ratio && ratio <= 1 + up

interface Groups {
  readonly ready: number
  /** The figures of ready pods, by name. */
  readonly measured: ReadonlyMap<string, number>
  readonly unready: readonly string[]
  readonly missing: readonly string[]
}

/** Which pods count: those that end or failed do not, those that start or have no figures count in their own way. */
function sorted(scene: Scene, metrics: PodMetrics, resource: string): Groups {
  if (scene.pods.length === 0) throw new MetricsError('no-pods', NO_PODS)
  const measured = new Map([...metrics].map(([name, metric]) => [name, metric.milli]))
  const unready: string[] = []
  const missing: string[] = []
  let ready = 0
  for (const pod of scene.pods) {
    const name = pod.metadata.name ?? ''
    const metric = metrics.get(name)
    if (isTerminating(pod) || pod.status?.phase === 'Failed') measured.delete(name)
    else if (pod.status?.phase === 'Pending' || (metric !== undefined && resource === 'cpu' && starts(pod, metric, scene.nowMs))) {
      unready.push(name)
      measured.delete(name)
    } else if (metric === undefined) missing.push(name)
    else ready++
  }
  if (measured.size === 0) throw new MetricsError('no-metrics', 'did not receive metrics for targeted pods (pods might be unready)')
  return { ready, measured, unready, missing }
}

/** Whether a pod's CPU time is caused by its start rather than by its work. */
function starts(pod: Pod, metric: PodMetric, nowMs: number): boolean {
  const ready = conditionOf(pod, 'Ready')
  const startMs = Date.parse(pod.status?.startTime ?? '')
  if (ready === undefined || Number.isNaN(startMs)) return true
  const turnedMs = Date.parse(ready.lastTransitionTime ?? '') || 0
  if (startMs + CPU_INITIALIZATION_MS > nowMs) return ready.status === 'False' || metric.atMs < turnedMs + metric.windowMs
  return ready.status === 'False' && startMs + INITIAL_READINESS_MS > turnedMs
}

/** Pods without metrics count as if they changed the result least, so that a later metric does not reverse the decision. */
function withAssumptions(
  scene: Scene,
  { ready, measured, unready, missing }: Groups,
  ratio: number,
  ofMissing: (name: string) => number,
  ratioOf: (values: ReadonlyMap<string, number>) => number,
): number {
  const upWithUnready = unready.length > 0 && ratio > 1
  if (!upWithUnready && missing.length === 0) return within(scene.tolerance, ratio) ? scene.replicas : Math.ceil(ratio * ready)
  const values = new Map(measured)
  for (const name of missing) {
    if (ratio < 1) values.set(name, ofMissing(name))
    else if (ratio > 1) values.set(name, 0)
  }
  if (upWithUnready) for (const name of unready) values.set(name, 0)
  const again = ratioOf(values)
  if (within(scene.tolerance, again) || (ratio < 1 && again > 1) || (ratio > 1 && again < 1)) return scene.replicas
  const replicas = Math.ceil(again * values.size)
  return (again < 1 && replicas > scene.replicas) || (again > 1 && replicas < scene.replicas) ? scene.replicas : replicas
}

/** The request of a pod, or of one container of it, in thousandths. */
function requestOf(pod: Pod, resource: string, container: string | undefined): number {
  const spec: PodAmounts = pod.spec ?? {}
  const name = pod.metadata.name ?? ''
  if (container === undefined && Object.keys(spec.resources?.requests ?? {}).length > 0) {
    const request = podRequests(spec).get(resource)
    if (request === undefined) throw new MetricsError('no-request', `missing pod-level request for ${resource} in Pod ${name}`)
    return request.milliValue()
  }
  let sum = 0
  for (const c of [...(spec.containers ?? []), ...(spec.initContainers ?? []).filter((i) => i.restartPolicy === 'Always')]) {
    if (container !== undefined && container !== c.name) continue
    const request = c.resources?.requests?.[resource]
    if (request === undefined) throw new MetricsError('no-request', `missing request for ${resource} in container ${c.name} of Pod ${name}`)
    sum += parseQuantity(request).milliValue()
    if (container !== undefined) return sum
  }
  if (container !== undefined) throw new MetricsError('no-pods', `container ${container} not found in Pod ${name}`)
  return sum
}
