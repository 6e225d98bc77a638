import { mkdtemp, readFile, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { systemClock, VirtualClock } from '../base/clock.ts'
import type { Laboratory } from '../page/server/lab/forks.ts'
import type { OpenPage } from '../page/server/open-page.ts'
import type { Cluster, ClusterPageOptions } from './cluster.ts'
import type { ClusterAccess } from './cluster-access.ts'
import type { ClusterPort } from './cluster-port.ts'
import { contextOf } from './kubeconfig.ts'
import type { ClusterSetup } from './read-setup.ts'

/** What the lab needs of the cluster. */
export type ClusterLab = Pick<Cluster, 'fork' | 'save'>

/** Forks are in this thread, in memory, and record nothing. A fork of real nodes would run their containers twice. */
const laboratoryOf = ({ clock }: ClusterSetup, { fork, save }: ClusterLab): Laboratory => ({
  fork: () => fork({ threads: false, trails: false }),
  async snapshot() {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'bowsprit-snapshot-'))
    try {
      const file = path.join(folder, 'snapshot')
      await save(file)
      return await readFile(file)
    } finally {
      await rm(folder, { recursive: true })
    }
  },
  ...(clock instanceof VirtualClock && { advance: (ms: number) => clock.advance(ms) }),
})

/** The cluster's page, which is opened when it is asked for. */
export interface ClusterPage extends AsyncDisposable {
  open(options?: ClusterPageOptions): Promise<string>
}

export interface ClusterPageDeps {
  readonly setup: ClusterSetup
  readonly access: ClusterAccess
  readonly port: Pick<ClusterPort, 'address'>
  readonly lab: ClusterLab
}

export function clusterPage({ setup, access, port, lab }: ClusterPageDeps): ClusterPage {
  const { config, clock, deps } = setup
  let opened: Promise<OpenPage> | undefined
  const open = async ({ port: wanted = 0, readOnly = false }: ClusterPageOptions) => {
    const { openPage } = await import('../page/server/open-page.ts')
    // Browsers live in real time; ages are those of the cluster, whose clock may be virtual.
    const own = { ...(deps.socketClock ?? systemClock), now: () => clock.now() }
    const laboratory = config.runtime === undefined ? { lab: laboratoryOf(setup, lab) } : {}
    const at = { clock: own, clusterName: contextOf(config.name), serverAddress: port.address, readOnly }
    return openPage(wanted, { client: access.client(), clientAs: (user) => access.client(user), ...at, ...laboratory })
  }
  return {
    async open(options = {}) {
      opened ??= open(options)
      const page = await opened
      options.hold?.(page.link)
      if (options.hold !== undefined) await page.untilLeft()
      return page.link
    },
    async [Symbol.asyncDispose]() {
      await (await opened)?.[Symbol.asyncDispose]()
    },
  }
}
