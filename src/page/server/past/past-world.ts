import { ClusterIndex } from '../overview/cluster-index.ts'
import { Collections } from '../rows/collections.ts'
import type { PageWorld } from '../session/page-world.ts'
import { pastClient } from './past-client.ts'

/** The cluster as it was at a revision, for one browser. */
export interface PastWorld extends Disposable {
  readonly at: string
  readonly world: PageWorld
}

/** Kinds and their columns are those of now. */
export function pastWorld(world: PageWorld, at: string): PastWorld {
  const client = pastClient(world.client, at)
  const collections = new Collections({ client, clock: world.clock })
  const index = new ClusterIndex(world.catalogue, collections)
  return {
    at,
    world: { ...world, client, collections, index },
    [Symbol.dispose]() {
      index.stop()
      collections.stop()
    },
  }
}
