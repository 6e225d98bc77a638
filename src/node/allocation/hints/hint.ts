import type { NodeMask } from '../../machine/node-mask.ts'

/** A set of NUMA nodes from which a wish can be met. */
export interface TopologyHint {
  /** Undefined: any will do. */
  readonly nodes: NodeMask | undefined
  /** It is met from as few nodes as it can be on this machine. */
  readonly preferred: boolean
}

/** What a provider says, by resource. An empty list: it cannot be met at all. Undefined, or no resource: it does not care. */
export type ProviderHints = Readonly<Record<string, readonly TopologyHint[] | undefined>>
