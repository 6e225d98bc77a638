import { systemClock } from '../base/clock.ts'
import type { OpenPage } from '../page/server/open-page.ts'
import type { ClusterPageOptions } from './cluster.ts'
import type { ClusterAccess } from './cluster-access.ts'
import type { ClusterPort } from './cluster-port.ts'
import { contextOf } from './kubeconfig.ts'
import type { ClusterSetup } from './read-setup.ts'

/** The cluster's page, which is opened when it is asked for. */
export interface ClusterPage extends AsyncDisposable {
  open(options?: ClusterPageOptions): Promise<string>
}

export function clusterPage({ config, clock, deps }: ClusterSetup, access: ClusterAccess, port: Pick<ClusterPort, 'address'>): ClusterPage {
  let opened: Promise<OpenPage> | undefined
  const open = async ({ port: at = 0, readOnly = false }: ClusterPageOptions) => {
    const { openPage } = await import('../page/server/open-page.ts')
    // Browsers live in real time; ages are those of the cluster, whose clock may be virtual.
    const own = { ...(deps.socketClock ?? systemClock), now: () => clock.now() }
    return openPage(at, { client: access.client(), clock: own, clusterName: contextOf(config.name), serverAddress: port.address, readOnly })
  }
  return {
    async open(options = {}) {
      opened ??= open(options)
      return (await opened).link
    },
    async [Symbol.asyncDispose]() {
      await (await opened)?.[Symbol.asyncDispose]()
    },
  }
}
