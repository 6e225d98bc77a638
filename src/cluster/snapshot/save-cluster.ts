import { holding } from '../../base/clock.ts'
import { KUBERNETES_VERSION } from '../../base/version.ts'
import { copyOf } from '../../storage/snapshot/copy-store.ts'
import { writeSnapshot } from '../../storage/snapshot/snapshot-file.ts'
import { keysOf } from '../certificates.ts'
import type { ClusterConfig } from '../config.ts'
import type { ClusterState } from './cluster-origin.ts'
import { type SavedCluster, savedOptions } from './saved-cluster.ts'

/** Writes a running cluster into a file: see `Cluster.save`. */
export async function saveCluster(file: string, of: ClusterState & { readonly config: ClusterConfig }): Promise<void> {
  const about: SavedCluster = {
    kubernetesVersion: KUBERNETES_VERSION,
    savedAtMs: of.clock.now(),
    options: savedOptions(of.config),
    keys: keysOf(of.certificates),
  }
  await holding(of.clock, 'writing a snapshot', async () => writeSnapshot(file, { keyspace: await copyOf(of.store), about }))
}
