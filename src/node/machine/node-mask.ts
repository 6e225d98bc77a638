/**
 * A set of NUMA nodes, one bit each: bit 0 is node 0. Nodes are numbered from 0 to 30, which is more than a machine has that Kubernetes'
 * topology manager takes without being told to (8).
 */
export type NodeMask = number

export const MOST_NODES = 31

/** How many NUMA nodes one machine may have: of its sets of nodes each is looked at. */
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

/** All sets of some of these nodes, the small ones first. */
export function* masksOf(nodes: readonly number[]): Iterable<NodeMask> {
  for (let size = 1; size <= nodes.length; size++) for (const some of combinations(nodes, size)) yield maskOf(some)
}

/** All ways to take `size` of these, in order. */
export function* combinations<T>(of: readonly T[], size: number): Iterable<readonly T[]> {
  if (size === 0) return yield []
  for (let i = 0; i + size <= of.length; i++) {
    const first = of[i]
    if (first === undefined) continue
    for (const rest of combinations(of.slice(i + 1), size - 1)) yield [first, ...rest]
  }
}
