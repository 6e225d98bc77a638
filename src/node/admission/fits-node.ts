import { parseQuantity, Quantity } from '../../machinery/quantity.ts'
import { all, compileRequirement } from '../../machinery/selectors/label-matcher.ts'
import { clash, hostPortsOf } from '../../resources/pod/host-ports.ts'
import { podRequests, type ResourceTotals } from '../../resources/pod/pod-requests.ts'
import type { Node } from '../../resources/types/core.ts'
import type { AdmitHandler, AdmitRequest, Refusal, ResizeRefusal } from '../types/admit-handler.ts'
import type { Pod } from '../types/pod.ts'
import { isCritical } from './critical-pod.ts'
import { heldRequests } from './held-requests.ts'
import { podsToPreempt } from './pods-to-preempt.ts'
import { tolerates } from './tolerates.ts'

/** The kubelet's check of a bound pod against its node and the pods that are admitted already. Pure. */
function fits(
  pod: Pod,
  node: Node,
  taken: Taken & { readonly pods: () => readonly Pod[] },
  isAccounted: AccountedElsewhere,
): Refusal | undefined {
  const [lack] = lackingAmounts(pod, node, taken, isAccounted)
  return unsupported(pod, node) ?? (lack && lacking(lack)) ?? unsuited(pod, node, taken.pods)
}

/** Why the node does not suit the pod, regardless of free resources. */
function unsuited(pod: Pod, node: Node, taken: () => readonly Pod[]): Refusal | undefined {
  return (
    (matchesNode(pod, node) ? undefined : failed('NodeAffinity', "node(s) didn't match Pod's node affinity/selector")) ??
    (portsAreFree(pod, taken) ? undefined : failed('NodePorts', "node(s) didn't have free ports for the requested pod ports")) ??
    (toleratesTaints(pod, node) ? undefined : failed('TaintToleration', "node(s) had taints that the pod didn't tolerate"))
  )
}

type AccountedElsewhere = ((resource: string) => boolean) | undefined

const failed = (predicate: string, why: string): Refusal => ({ reason: predicate, message: `Predicate ${predicate} failed: ${why}` })

/** What no free resources would help. */
const unsupported = (pod: Pod, node: Node) => otherSystem(pod, node) ?? strictGroups(pod, node)

function strictGroups({ spec }: Pod, { status }: Node): Refusal | undefined {
  if (spec.securityContext?.supplementalGroupsPolicy !== 'Strict' || status?.features?.supplementalGroupsPolicy) return undefined
  const message = 'SupplementalGroupsPolicy=Strict is not supported in this node'
  return { reason: 'SupplementalGroupsPolicyNotSupported', message }
}

function otherSystem(pod: Pod, node: Node): Refusal | undefined {
  const own = node.status?.nodeInfo?.operatingSystem ?? 'linux'
  // Only the pod's own label counts here. The node selector is checked with node affinity.
  const label = pod.metadata.labels?.['kubernetes.io/os']
  if (label !== undefined && label !== own) {
    const message = "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label"
    return { reason: 'PodOSSelectorNodeLabelDoesNotMatch', message }
  }
  const wanted = pod.spec.os?.name
  if (wanted === undefined || wanted === own) return undefined
  return { reason: 'PodOSNotSupported', message: "Failed to admit pod as the OS field doesn't match node OS" }
}

interface Lack {
  readonly resource: string
  readonly requested: number
  readonly used: number
  readonly capacity: number
}

/** The total of a resource that pods request. */
type TotalOf = (resource: string) => Quantity

interface Taken {
  readonly count: number
  readonly held: TotalOf
}

function sumOf(pods: readonly Pod[]): TotalOf {
  let totals: readonly ResourceTotals[] | undefined
  return (resource) => {
    totals ??= pods.map(heldRequests)
    return totals.reduce((sum, of) => sum.add(of.get(resource) ?? Quantity.zero), Quantity.zero)
  }
}

function lackingAmounts(pod: Pod, node: Node, { count, held }: Taken, isAccounted?: AccountedElsewhere): readonly Lack[] {
  const found: Lack[] = []
  const allocatable = node.status?.allocatable ?? {}
  const room = Number(allocatable.pods ?? 110)
  if (count + 1 > room) found.push({ resource: 'pods', requested: 1, used: count, capacity: room })
  for (const [name, wanted] of heldRequests(pod)) {
    if (wanted.isZero() || isAccounted?.(name)) continue
    // As in the kubelet, an extended resource that this node does not have is ignored: a scheduler extender may manage it.
    if (isExtended(name) && !Object.hasOwn(allocatable, name)) continue
    const unit = name === 'cpu' ? (q: Quantity) => q.milliValue() : (q: Quantity) => q.value()
    const used = held(name)
    const capacity = parseQuantity(Object.hasOwn(allocatable, name) ? (allocatable[name] ?? '0') : '0')
    if (used.add(wanted).compare(capacity) > 0)
      found.push({ resource: name, requested: unit(wanted), used: unit(used), capacity: unit(capacity) })
  }
  return found
}

const isExtended = (name: string) => name.includes('/') && !name.includes('kubernetes.io/')

function lacking({ resource, requested, used, capacity }: Lack): Refusal {
  const message = `Node didn't have enough resource: ${resource}, requested: ${requested}, used: ${used}, capacity: ${capacity}`
  return { reason: `OutOf${resource}`, message }
}

function matchesNode(pod: Pod, node: Node): boolean {
  const labels = node.metadata.labels ?? {}
  const bySelector = Object.entries(pod.spec.nodeSelector ?? {}).every(([k, v]) => Object.hasOwn(labels, k) && labels[k] === v)
  const terms = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms
  if (!bySelector || terms === undefined) return bySelector
  const fields = { 'metadata.name': node.metadata.name ?? '' }
  return terms.some(({ matchExpressions = [], matchFields = [] }) => {
    if (matchExpressions.length === 0 && matchFields.length === 0) return false
    return all(matchExpressions.map(compileRequirement))(labels) && all(matchFields.map(compileRequirement))(fields)
  })
}

function portsAreFree(pod: Pod, taken: () => readonly Pod[]): boolean {
  const wanted = hostPortsOf(pod.spec)
  if (wanted.length === 0) return true
  const used = taken().flatMap((other) => hostPortsOf(other.spec))
  return !wanted.some((w) => used.some((u) => clash(w, u)))
}

function toleratesTaints(pod: Pod, node: Node): boolean {
  return (node.spec?.taints ?? []).every(
    (taint) => taint.effect !== 'NoExecute' || (pod.spec.tolerations ?? []).some((t) => tolerates(t, taint)),
  )
}

/** Why the node cannot resize a running pod to the requests of its spec; `taken` are the other pods. Pure. */
export function checkResize(pod: Pod, node: Node, taken: readonly Pod[]): ResizeRefusal | undefined {
  const allocatable = node.status?.allocatable ?? {}
  for (const [resource, wanted] of podRequests(pod.spec)) {
    if (resource !== 'cpu' && resource !== 'memory') continue
    const unit = resource === 'cpu' ? (q: Quantity) => q.milliValue() : (q: Quantity) => q.value()
    const capacity = parseQuantity(allocatable[resource] ?? '0')
    if (wanted.compare(capacity) <= 0) continue
    const message = `Node didn't have enough capacity: ${resource}, requested: ${unit(wanted)}, capacity: ${unit(capacity)}`
    return { kind: 'Infeasible', resource, message }
  }
  const [lack] = lackingAmounts({ ...pod, status: {} }, node, { count: taken.length, held: sumOf(taken) })
  return lack && { kind: 'Deferred', resource: lack.resource, message: lacking(lack).message }
}

/** The kubelet's last admission check for every pod that does not run yet. It holds no state: the request has the admitted pods. */
export const fitHandler: AdmitHandler = {
  name: 'fit',
  admit: (request) => {
    if (request.recovered) return undefined
    const { pod, node, isAccounted, held, count } = request
    const taken = { count: count ?? request.taken.length, held: held ?? sumOf(request.taken), pods: () => request.taken }
    const refusal = fits(pod, node, taken, isAccounted)
    return refusal !== undefined && isCritical(pod) ? makeRoom(request, refusal) : refusal
  },
  release: () => {},
}

/** A critical pod that only lacks resources preempts other pods. */
async function makeRoom(request: AdmitRequest, refusal: Refusal): Promise<Refusal | undefined> {
  const { pod, node, taken, isAccounted, preempt, held = sumOf(taken) } = request
  const short = lackingAmounts(pod, node, { count: taken.length, held }, isAccounted)
  if (unsupported(pod, node) !== undefined || short.length === 0 || preempt === undefined) return refusal
  const other = unsuited(pod, node, () => taken)
  if (other !== undefined) return other
  const victims = podsToPreempt(
    pod,
    taken,
    short.map(({ resource, requested, used, capacity }) => ({ resource, amount: requested - (capacity - used) })),
  )
  if (typeof victims === 'string') {
    const message = `Unexpected error while attempting to recover from admission failure: preemption: error finding a set of pods to preempt: ${victims}`
    return { reason: 'UnexpectedAdmissionError', message }
  }
  for (const victim of victims) await preempt(victim)
  return undefined
}
