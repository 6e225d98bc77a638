import { NODES } from '../../resources/refs.ts'
import type { PodRangePlan } from '../nodes/pod-ranges.ts'
import type { PartDeps } from './part-deps.ts'

/** The ranges of pod addresses, divided once between simulated nodes and all others. Undefined: none are configured. */
export async function podRangePlan({ setup, access }: PartDeps): Promise<PodRangePlan | undefined> {
  return setup.podRanges?.plan(setup.nodeNames, async () => (await access.client().list(NODES)).items)
}
