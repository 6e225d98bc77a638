import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { startCluster } from '../../src/cluster/cluster.ts'
import { kubectlPath } from '../clients.ts'
import { PEER_IMAGES } from './images.ts'

/** A whole cluster for a suite that wants one, and what its programs find it by. */
export interface SuiteCluster extends AsyncDisposable {
  /** `KUBECONFIG`, and a `PATH` that begins with a kubectl. */
  readonly env: Readonly<Record<string, string>>
}

/** A cluster with everything running, in memory; it goes when it is disposed of. */
export async function suiteCluster(): Promise<SuiteCluster> {
  const home = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-peer-'))
  const kubeconfig = path.join(home, 'kubeconfig')
  const cluster = await startCluster({ ephemeral: true, port: 0, kubeconfig, kubeletPorts: true, images: PEER_IMAGES }, { quiet: true })
  await cluster.listen()
  const kubectl = kubectlPath()
  return {
    env: { KUBECONFIG: kubeconfig, ...(path.isAbsolute(kubectl) && { PATH: `${path.dirname(kubectl)}:${process.env.PATH ?? ''}` }) },
    [Symbol.asyncDispose]: async () => {
      await cluster[Symbol.asyncDispose]()
      rmSync(home, { recursive: true, force: true })
    },
  }
}
