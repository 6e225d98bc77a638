import { podRequests } from '../../resources/pod/pod-requests.ts'
import { qosClass } from '../../resources/pod/qos.ts'
import type { Pod } from '../types/pod.ts'
import { isPreemptable } from './critical-pod.ts'

/** What a node lacks for a pod: thousandths for `cpu`, whole units for all else. */
export interface Shortage {
  readonly resource: string
  readonly amount: number
}

const QUALITIES = ['BestEffort', 'Burstable', 'Guaranteed'] as const

/**
 * The pods that have to go so that a critical one fits: those that are promised least first, and of these the few that free most. Their
 * requests count, not what they use. Pure; a text says why no set of pods is enough.
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
  const asked = podRequests(pod.spec).get(resource)
  return (resource === 'cpu' ? asked?.milliValue() : asked?.value()) ?? 0
}

function subtract(lacking: readonly Shortage[], pods: readonly Pod[]): readonly Shortage[] {
  return lacking.flatMap(({ resource, amount }) => {
    const left = pods.reduce((rest, p) => rest - requestOf(p, resource), amount)
    return left > 0 ? [{ resource, amount: left }] : []
  })
}

/** One after the other the pod that leaves least to be found; of equals the smaller one. */
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

/** How much of each shortage the pod would leave, each weighing the same. */
const distance = (pod: Pod, lacking: readonly Shortage[]) =>
  lacking.reduce((sum, { resource, amount }) => sum + (Math.max(0, amount - requestOf(pod, resource)) / amount) ** 2, 0)
