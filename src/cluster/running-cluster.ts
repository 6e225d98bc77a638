import { holding } from '../base/clock.ts'
import { KUBERNETES_VERSION } from '../base/version.ts'
import type { Cluster } from './cluster.ts'
import { clusterPage } from './cluster-page.ts'
import type { ClusterPort } from './cluster-port.ts'
import { clusterNode } from './nodes/cluster-node.ts'
import type { ClusterState } from './snapshot/cluster-origin.ts'
import type { StartCluster } from './snapshot/fork-cluster.ts'
import type { OpenCluster } from './start-parts.ts'

export interface RunningClusterDeps extends OpenCluster {
  readonly port: ClusterPort
  /** Owns everything that runs. */
  readonly held: AsyncDisposable
  /** For forks. */
  readonly start: StartCluster
}

/** The public interface of a running cluster. */
export function runningCluster({ setup, foundation, access, serverPart, supervisor, port, held, start }: RunningClusterDeps): Cluster {
  const { config, options, deps, clock } = setup
  const state = (): ClusterState => ({
    store: serverPart.store,
    share: () => serverPart.watchCache.share(),
    certificates: foundation.certificates,
    clock,
  })
  const checkpoint: Cluster['checkpoint'] = async () => {
    const { checkpointOf } = await import('./snapshot/fork-cluster.ts')
    return checkpointOf({ options: { ...options, ...(config.threads ? {} : { images: config.images }) }, deps, ...state() }, start)
  }
  const fork: Cluster['fork'] = async (others, otherDeps) => (await checkpoint()).fork(others, otherDeps)
  const save: Cluster['save'] = async (file) => {
    const { saveCluster } = await holding(clock, 'loading snapshots', () => import('./snapshot/save-cluster.ts'))
    await saveCluster(file, { config, ...state() })
  }
  const page = clusterPage({ setup, access, port, lab: { fork, save } })
  return {
    config,
    kubernetesVersion: KUBERNETES_VERSION,
    nodeNames: setup.nodeNames,
    get address() {
      return port.address
    },
    failed: supervisor.failed,
    listen: () => port.listen(),
    kubeconfig: () => port.kubeconfig(),
    client: (user) => access.client(user),
    transport: (user) => access.transport(user),
    page: (of) => page.open(of),
    node: (name) => clusterNode(name, access.client()),
    checkpoint,
    fork,
    save,
    async [Symbol.asyncDispose]() {
      await page[Symbol.asyncDispose]()
      await held[Symbol.asyncDispose]()
    },
  }
}
