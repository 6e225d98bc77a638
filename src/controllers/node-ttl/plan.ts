import type { KubeObject } from '../../machinery/object.ts'

export const TTL = 'node.alpha.kubernetes.io/ttl'

/** From how many nodes on a kubelet may keep what it has read for so many seconds; below `until` it falls back. */
const STEPS: readonly { readonly from: number; readonly until: number; readonly seconds: number }[] = [
  { from: 0, until: 0, seconds: 0 },
  { from: 101, until: 90, seconds: 15 },
  { from: 501, until: 450, seconds: 30 },
  { from: 1001, until: 900, seconds: 60 },
  { from: 2001, until: 1800, seconds: 300 },
]

/** The step for so many nodes, coming from another: the way down is taken later than the way up. Pure. */
export function nextStep(step: number, nodes: number): number {
  let at = step
  while (nodes >= (STEPS[at + 1]?.from ?? Number.POSITIVE_INFINITY)) at++
  while (at > 0 && nodes < (STEPS[at]?.until ?? 0)) at--
  return at
}

/** The value that the node's annotation is to have; undefined when it has. Pure. */
export function wantedTtl(node: KubeObject, step: number): string | undefined {
  const seconds = String(STEPS[step]?.seconds ?? 0)
  return node.metadata.annotations?.[TTL] === seconds ? undefined : seconds
}
