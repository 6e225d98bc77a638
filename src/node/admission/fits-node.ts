import type { KubeObject } from '../../machinery/object.ts'
import { parseQuantity, Quantity } from '../../machinery/quantity.ts'
import { podRequests } from '../../resources/pod/pod-requests.ts'
import type { Pod } from '../pod/pod-types.ts'
import type { AdmitHandler, Refusal } from './admit-handler.ts'

/** The kubelet's own check of a bound pod against its node and the pods that it has taken on. Pure. */
export function fitsNode(pod: Pod, node: KubeObject, taken: readonly Pod[]): Refusal | undefined {
  const allocatable = (node.status?.allocatable ?? {}) as Record<string, string>
  const room = Number(allocatable.pods ?? 110)
  if (taken.length + 1 > room) return lacking('pods', 1, taken.length, room)
  // What a pod holds that is resized in place is in its status; the scheduler counts it so too.
  const requests = (p: Pod) => podRequests(p.spec, { status: p.status })
  const held = taken.map(requests)
  for (const [name, wanted] of requests(pod)) {
    if (wanted.isZero()) continue
    const unit = name === 'cpu' ? (q: Quantity) => q.milliValue() : (q: Quantity) => q.value()
    const used = held.reduce((sum, totals) => sum.add(totals.get(name) ?? Quantity.zero), Quantity.zero)
    const capacity = parseQuantity(Object.hasOwn(allocatable, name) ? (allocatable[name] ?? '0') : '0')
    if (used.add(wanted).compare(capacity) > 0) return lacking(name, unit(wanted), unit(used), unit(capacity))
  }
  if (!matchesSelector(pod, node)) {
    return { reason: 'NodeAffinity', message: "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector" }
  }
  return undefined
}

function lacking(name: string, requested: number, used: number, capacity: number): Refusal {
  const message = `Node didn't have enough resource: ${name}, requested: ${requested}, used: ${used}, capacity: ${capacity}`
  return { reason: `OutOf${name}`, message }
}

function matchesSelector(pod: Pod, node: KubeObject): boolean {
  const labels = node.metadata.labels ?? {}
  return Object.entries(pod.spec.nodeSelector ?? {}).every(([k, v]) => Object.hasOwn(labels, k) && labels[k] === v)
}

/** The kubelet's first question, asked of every pod that does not run yet. It holds nothing: the agent says what is taken. */
export const fitHandler: AdmitHandler = {
  name: 'fit',
  admit: async ({ pod, node, taken, recovered }) => (recovered ? undefined : fitsNode(pod, node, taken)),
  release: () => {},
}
