import type { NodeMask } from '../../machine/node-mask.ts'

/** A set of NUMA nodes that can satisfy a request. */
export interface TopologyHint {
  /** Undefined: any nodes. */
  readonly nodes: NodeMask | undefined
  /** The request is satisfied by as few nodes as possible on this machine. */
  readonly preferred: boolean
}

/** A provider's hints by resource. An empty list: the request cannot be satisfied. Undefined, or no entry: no preference. */
export type ProviderHints = Readonly<Record<string, readonly TopologyHint[] | undefined>>
