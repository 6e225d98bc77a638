/**
 * A set of NUMA nodes as a bit mask: bit 0 is node 0. Nodes are numbered from 0 to 30; Kubernetes' topology manager allows 8 by default.
 */
export type NodeMask = number

export const MOST_NODES = 31

/** The most NUMA nodes of one machine: the number of subsets has to stay small. */
export const MOST_NODES_OF_MACHINE = 16

export const maskOf = (nodes: Iterable<number>): NodeMask => {
  let mask = 0
  for (const node of nodes) mask |= 1 << node
  return mask
}

export const nodesOf = (mask: NodeMask): number[] => {
  const nodes: number[] = []
  for (let node = 0; node < MOST_NODES; node++) if (mask & (1 << node)) nodes.push(node)
  return nodes
}

export const countOf = (mask: NodeMask): number => nodesOf(mask).length

/** Fewer nodes, or as many with lower numbers. */
export const isNarrower = (a: NodeMask, b: NodeMask): boolean => {
  const [countA, countB] = [countOf(a), countOf(b)]
  return countA === countB ? a < b : countA < countB
}

/** All subsets of these nodes, small ones first. */
export function* masksOf(nodes: readonly number[]): Iterable<NodeMask> {
  for (let size = 1; size <= nodes.length; size++) for (const some of combinations(nodes, size)) yield maskOf(some)
}

/** All combinations of `size` elements, in order. */
export function* combinations<T>(of: readonly T[], size: number): Iterable<readonly T[]> {
  if (size === 0) return yield []
  for (let i = 0; i + size <= of.length; i++) {
    const first = of[i]
    if (first === undefined) continue
    for (const rest of combinations(of.slice(i + 1), size - 1)) yield [first, ...rest]
  }
}
