import { podRequests } from '../../resources/pod/pod-requests.ts'
import { qosClass } from '../../resources/pod/qos.ts'
import type { Pod } from '../types/pod.ts'
import { isPreemptable } from './critical-pod.ts'

/** A resource that the node lacks for a pod: in thousandths for `cpu`, in whole units otherwise. */
export interface Shortage {
  readonly resource: string
  readonly amount: number
}

const QUALITIES = ['BestEffort', 'Burstable', 'Guaranteed'] as const

/**
 * The pods to preempt so that a critical pod fits: lowest QoS class first, and within it as few pods as possible. Requests count, not
 * usage. Returns a message if no set of pods is enough. Pure.
 */
export function podsToPreempt(pod: Pod, others: readonly Pod[], lacking: readonly Shortage[]): readonly Pod[] | string {
  const [bestEffort, burstable, guaranteed] = QUALITIES.map((quality) =>
    others.filter((p) => isPreemptable(pod, p) && qosClass(p.spec) === quality),
  ) as [Pod[], Pod[], Pod[]]
  const never = subtract(lacking, [...bestEffort, ...burstable, ...guaranteed])
  if (never.length > 0) return `no set of running pods found to reclaim resources: ${said(never)}`
  const last = byDistance(guaranteed, subtract(lacking, [...bestEffort, ...burstable]))
  const second = byDistance(burstable, subtract(lacking, [...bestEffort, ...last]))
  const first = byDistance(bestEffort, subtract(lacking, [...second, ...last]))
  return [...first, ...second, ...last]
}

const said = (lacking: readonly Shortage[]) => `[${lacking.map((l) => `(res: ${l.resource}, q: ${l.amount}), `).join('')}]`

export function requestOf(pod: Pod, resource: string): number {
  if (resource === 'pods') return 1
  const requested = podRequests(pod.spec).get(resource)
  return (resource === 'cpu' ? requested?.milliValue() : requested?.value()) ?? 0
}

function subtract(lacking: readonly Shortage[], pods: readonly Pod[]): readonly Shortage[] {
  return lacking.flatMap(({ resource, amount }) => {
    const left = pods.reduce((rest, p) => rest - requestOf(p, resource), amount)
    return left > 0 ? [{ resource, amount: left }] : []
  })
}

/** Picks, one after the other, the pod that leaves the smallest shortage; of equal pods the smaller one. */
function byDistance(pods: readonly Pod[], lacking: readonly Shortage[]): readonly Pod[] {
  const rest = [...pods]
  const chosen: Pod[] = []
  let left = lacking
  while (left.length > 0 && rest.length > 0) {
    let best = 0
    for (let i = 1; i < rest.length; i++) if (isBetter(rest[i], rest[best], left)) best = i
    const [pod] = rest.splice(best, 1)
    if (pod === undefined) break
    chosen.push(pod)
    left = subtract(left, [pod])
  }
  return chosen
}

function isBetter(pod: Pod | undefined, than: Pod | undefined, lacking: readonly Shortage[]): boolean {
  if (pod === undefined || than === undefined) return false
  const [a, b] = [distance(pod, lacking), distance(than, lacking)]
  if (a !== b) return a < b
  const bigger = ['memory', 'cpu'].map((r) => requestOf(pod, r) - requestOf(than, r)).find((d) => d !== 0)
  return bigger === undefined || bigger < 0
}

/** The shortage that would remain, normalized so that each resource has the same weight. */
const distance = (pod: Pod, lacking: readonly Shortage[]) =>
  lacking.reduce((sum, { resource, amount }) => sum + (Math.max(0, amount - requestOf(pod, resource)) / amount) ** 2, 0)
