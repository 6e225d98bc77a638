import type { NumaLayout, ProviderHints, TopologyHint } from './hint.ts'
import { countOf, isNarrower, maskOf, type NodeMask, nodesOf } from './node-mask.ts'

/** `topologyManagerPolicy`. */
export type TopologyPolicy = 'none' | 'best-effort' | 'restricted' | 'single-numa-node'

export interface MergeOptions {
  readonly policy: TopologyPolicy
  /** Of sets of the same size the one whose nodes are nearest to one another (`prefer-closest-numa-nodes`). */
  readonly preferClosest?: boolean
}

export interface Verdict {
  readonly hint: TopologyHint
  readonly admit: boolean
}

/**
 * What a topology policy makes of the hints of all providers: the best set of NUMA nodes from which all can be served, and whether the pod is let in.
 * Every combination of one hint per resource is tried, as Kubernetes does; with 8 NUMA nodes and several resources these are many.
 */
export function mergeHints(providers: readonly ProviderHints[], layout: NumaLayout, options: MergeOptions): Verdict {
  if (options.policy === 'none') return { hint: { nodes: undefined, preferred: false }, admit: true }
  const all = maskOf(layout.nodes)
  const single = options.policy === 'single-numa-node'
  const asked = providers.flatMap(hintsOf)
  const usable = single ? asked.map((hints) => hints.filter(isSingle)) : asked
  const better = comparison(layout, options, mostOfLeast(usable))
  let best: TopologyHint | undefined
  for (const permutation of permutations(usable)) {
    const candidate = join(all, permutation)
    if (candidate.nodes !== 0 && (best === undefined || better(best, candidate))) best = candidate
  }
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

function* permutations(lists: readonly (readonly TopologyHint[])[]): Iterable<readonly TopologyHint[]> {
  const [first, ...rest] = lists
  if (first === undefined) return yield []
  for (const hint of first) for (const others of permutations(rest)) yield [hint, ...others]
}

type Merged = TopologyHint & { readonly nodes: NodeMask }

/** What all of them leave; preferred when all of them are and name the same nodes. */
function join(all: NodeMask, permutation: readonly TopologyHint[]): Merged {
  let nodes = all
  let preferred = true
  let first: NodeMask | undefined
  for (const hint of permutation) {
    if (!hint.preferred) preferred = false
    if (hint.nodes === undefined) continue
    first ??= hint.nodes
    if (hint.nodes !== first) preferred = false
    nodes &= hint.nodes
  }
  return { nodes, preferred }
}

/** How many nodes the resource that needs most needs at least: no set can be smaller without splitting something. */
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
