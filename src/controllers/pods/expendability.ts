import type { KubeObject } from '../../machinery/object.ts'
import { byAge, isReady, restarts } from './pod-state.ts'

const PHASE_ORDER: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 }
const COST = 'controller.kubernetes.io/pod-deletion-cost'

const flag = (x: boolean, y: boolean) => Number(x) - Number(y)
const cost = (pod: KubeObject) => Number.parseInt(pod.metadata.annotations?.[COST] ?? '0', 10) || 0
const phase = (pod: KubeObject) => PHASE_ORDER[pod.status?.phase ?? 'Pending'] ?? 1
const readySince = (pod: KubeObject) =>
  Date.parse(pod.status?.conditions?.find((c: { type: string }) => c.type === 'Ready')?.lastTransitionTime ?? '') || 0

/** Which pod is missed less, as Kubernetes orders them: the first that differs decides. `crowds`: pods of the same work on each node. */
export function expendability(a: KubeObject, b: KubeObject, crowds?: ReadonlyMap<string, number>): number {
  const rank = (pod: KubeObject) => crowds?.get(pod.spec?.nodeName ?? '') ?? 0
  return (
    flag(Boolean(a.spec?.nodeName), Boolean(b.spec?.nodeName)) ||
    phase(a) - phase(b) ||
    flag(isReady(a), isReady(b)) ||
    (crowds === undefined ? 0 : cost(a) - cost(b) || rank(b) - rank(a)) ||
    (isReady(a) && isReady(b) ? readySince(b) - readySince(a) : 0) ||
    restarts(b) - restarts(a) ||
    byAge(b, a)
  )
}
