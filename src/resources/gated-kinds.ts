import type { ResourceDefinition } from '../machinery/resource/definition.ts'
import { clusterTrustBundles } from './certificates/clustertrustbundles.ts'
import { podGroups } from './scheduling/podgroups.ts'

/** A kind that is served only if its feature gate and its version are turned on. */
export interface GatedKind {
  readonly gate: string
  readonly definition: ResourceDefinition
}

/** The kinds that are off by default, as in Kubernetes. */
export const GATED_KINDS: readonly GatedKind[] = [
  { gate: 'ClusterTrustBundle', definition: clusterTrustBundles },
  { gate: 'GenericWorkload', definition: podGroups },
]
