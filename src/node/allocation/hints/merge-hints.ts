import type { NumaLayout } from '../../machine/machine.ts'
import { countOf, isNarrower, maskOf, type NodeMask, nodesOf } from '../../machine/node-mask.ts'
import type { ProviderHints, TopologyHint } from './hint.ts'

/** `topologyManagerPolicy`. */
export type TopologyPolicy = 'none' | 'best-effort' | 'restricted' | 'single-numa-node'

export interface MergeOptions {
  readonly policy: TopologyPolicy
  /** Of sets of the same size, the one whose nodes are closest to each other (`prefer-closest-numa-nodes`). */
  readonly preferClosest?: boolean
}

export interface MergedHint {
  readonly hint: TopologyHint
  readonly admit: boolean
}

/**
 * Merges the hints of all providers: the best set of NUMA nodes that satisfies all of them, and whether the policy admits the pod. The
 * result is that of Kubernetes, which tries every combination of one hint per resource; here the intersections of all combinations are
 * computed together.
 */
export function mergeHints(providers: readonly ProviderHints[], layout: NumaLayout, options: MergeOptions): MergedHint {
  if (options.policy === 'none') return { hint: { nodes: undefined, preferred: false }, admit: true }
  const all = maskOf(layout.nodes)
  const single = options.policy === 'single-numa-node'
  const requested = providers.flatMap(hintsOf)
  const usable = single ? requested.map((hints) => hints.filter(isSingle)) : requested
  const better = comparison(layout, options, mostOfLeast(usable))
  let best: Merged | undefined
  const agreed = agreedOn(all, usable).map((nodes) => ({ nodes, preferred: true }))
  // A set that all providers prefer is better than any other.
  const candidates = agreed.length > 0 ? agreed : leftOver(layout.nodes, usable).map((nodes) => ({ nodes, preferred: false }))
  for (const candidate of candidates) if (best === undefined || better(best, candidate)) best = candidate
  const found = best ?? { nodes: all, preferred: false }
  const hint = single && found.nodes === all ? { nodes: undefined, preferred: found.preferred } : found
  return { hint, admit: options.policy === 'best-effort' || hint.preferred }
}

const ANY: TopologyHint = { nodes: undefined, preferred: true }
const NEVER: TopologyHint = { nodes: undefined, preferred: false }

function hintsOf(provider: ProviderHints): (readonly TopologyHint[])[] {
  const resources = Object.values(provider)
  if (resources.length === 0) return [[ANY]]
  return resources.map((hints) => (hints === undefined ? [ANY] : hints.length === 0 ? [NEVER] : hints))
}

const isSingle = (hint: TopologyHint): boolean => hint.preferred && (hint.nodes === undefined || countOf(hint.nodes) === 1)

type Merged = TopologyHint & { readonly nodes: NodeMask }

/** The sets that every list has as preferred, or for which it has a preferred hint without nodes. */
function agreedOn(all: NodeMask, lists: readonly (readonly TopologyHint[])[]): NodeMask[] {
  const preferred = lists.map((hints) => hints.filter((h) => h.preferred))
  const named = preferred.find((hints) => hints.every((h) => h.nodes !== undefined))
  if (named === undefined) {
    const masks = preferred.flatMap((hints) => hints.map((h) => h.nodes ?? all))
    return [...new Set([all, ...masks])].filter((mask) => preferred.every((hints) => serves(hints, mask, all)))
  }
  return [...new Set(named.map((h) => (h.nodes ?? 0) & all))].filter(
    (mask) => mask !== 0 && preferred.every((hints) => serves(hints, mask, all)),
  )
}

const serves = (hints: readonly TopologyHint[], mask: NodeMask, all: NodeMask): boolean =>
  hints.some((h) => h.nodes === undefined || (h.nodes & all) === mask)

/**
 * All non-empty intersections of one hint from each list. Two lists are joined by a sum over supersets (zeta transform), a product, and the
 * inverse transform: with n nodes that takes n times 2^n steps, however many combinations there are.
 */
function leftOver(nodes: readonly number[], lists: readonly (readonly TopologyHint[])[]): NodeMask[] {
  const size = 2 ** nodes.length
  const placeOf = (mask: NodeMask | undefined) =>
    mask === undefined ? size - 1 : nodes.reduce((at, node, i) => (mask & (1 << node) ? at | (1 << i) : at), 0)
  let reached = new Float64Array(size)
  reached[size - 1] = 1
  for (const hints of lists) {
    const offered = new Float64Array(size)
    for (const hint of hints) offered[placeOf(hint.nodes)] = 1
    overSupersets(reached, 1)
    overSupersets(offered, 1)
    const joined = reached.map((ways, i) => ways * (offered[i] ?? 0))
    overSupersets(joined, -1)
    reached = joined.map((ways) => (ways > 0.5 ? 1 : 0))
  }
  const found: NodeMask[] = []
  for (let at = 1; at < size; at++) if (reached[at] === 1) found.push(maskOf(nodes.filter((_, i) => at & (1 << i))))
  return found
}

/** Adds to (or subtracts from) each set the values of its supersets. */
function overSupersets(values: Float64Array, sign: 1 | -1): void {
  for (let bit = 1; bit < values.length; bit <<= 1)
    for (let at = 0; at < values.length; at++) if (!(at & bit)) values[at] = (values[at] ?? 0) + sign * (values[at | bit] ?? 0)
}

/** The largest minimum over all resources: no smaller set of nodes can satisfy all of them. */
function mostOfLeast(lists: readonly (readonly TopologyHint[])[]): number {
  let most = 0
  for (const hints of lists) {
    const counts = hints.flatMap((hint) => (hint.nodes === undefined ? [] : [countOf(hint.nodes)]))
    if (counts.length > 0) most = Math.max(most, Math.min(...counts))
  }
  return most
}

/** Whether a candidate is better than the best so far. */
function comparison(layout: NumaLayout, { preferClosest }: MergeOptions, aim: number) {
  const nearer = (a: NodeMask, b: NodeMask): boolean => {
    if (!preferClosest || countOf(a) !== countOf(b)) return isNarrower(a, b)
    const [distanceA, distanceB] = [averageDistance(layout, a), averageDistance(layout, b)]
    return distanceA === distanceB ? a < b : distanceA < distanceB
  }
  return (best: TopologyHint, candidate: Merged): boolean => {
    const current = best.nodes ?? 0
    if (best.preferred !== candidate.preferred) return candidate.preferred
    if (candidate.preferred) return nearer(candidate.nodes, current)
    const [has, offers] = [countOf(current), countOf(candidate.nodes)]
    if (has > aim) return nearer(candidate.nodes, current)
    if (has === aim) return offers === aim && nearer(candidate.nodes, current)
    if (offers > aim || offers < has) return false
    return offers > has || nearer(candidate.nodes, current)
  }
}

function averageDistance({ distances }: NumaLayout, mask: NodeMask): number {
  const nodes = nodesOf(mask)
  let sum = 0
  for (const from of nodes) for (const to of nodes) sum += distances.get(from)?.[to] ?? 0
  return sum / nodes.length ** 2
}
