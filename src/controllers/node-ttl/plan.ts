import type { Node } from '../../resources/types/core.ts'

export const TTL = 'node.alpha.kubernetes.io/ttl'

/** With at least `from` nodes a kubelet may cache for `seconds`; with fewer than `until` the step before counts again. As upstream. */
const STEPS: readonly { readonly from: number; readonly until: number; readonly seconds: number }[] = [
  { from: 0, until: 0, seconds: 0 },
  { from: 101, until: 90, seconds: 15 },
  { from: 501, until: 450, seconds: 30 },
  { from: 1001, until: 900, seconds: 60 },
  { from: 2001, until: 1800, seconds: 300 },
]

/** The step for so many nodes, coming from another step: it falls later than it rises. Pure. */
export function nextStep(step: number, nodes: number): number {
  let at = step
  while (nodes >= (STEPS[at + 1]?.from ?? Number.POSITIVE_INFINITY)) at++
  while (at > 0 && nodes < (STEPS[at]?.until ?? 0)) at--
  return at
}

/** The steps of a cluster whose number of nodes changes. */
export function stepSequence(): (nodes: number) => number {
  let step = 0
  return (nodes) => {
    step = nextStep(step, nodes)
    return step
  }
}

/** The value that the node's annotation should have; undefined if it has that value. Pure. */
export function wantedTtl(node: Node, step: number): string | undefined {
  const seconds = String(STEPS[step]?.seconds ?? 0)
  return node.metadata.annotations?.[TTL] === seconds ? undefined : seconds
}
