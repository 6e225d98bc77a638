import { NODES } from '../../resources/refs.ts'
import type { ClusterAccess } from '../cluster-access.ts'
import type { PodRangePlan } from '../nodes/pod-ranges.ts'
import type { ClusterSetup } from '../read-setup.ts'

/** The ranges of pod addresses, divided once between simulated nodes and all others. Undefined: none are configured. */
export async function podRangePlan({ podRanges, nodeNames }: ClusterSetup, access: ClusterAccess): Promise<PodRangePlan | undefined> {
  return podRanges?.plan(nodeNames, async () => (await access.client().list(NODES)).items)
}
