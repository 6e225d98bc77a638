import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { ALL_PARTS, type Part } from '../../src/cluster/cluster-options.ts'
import { startCluster } from '../../src/cluster/start-cluster.ts'
import { kubectlPath } from '../clients.ts'
import { PEER_IMAGES } from './images.ts'
import { Missing } from './peer.ts'
import { runMarked } from './run-marked.ts'

/** A whole cluster for a suite that wants one, and what its programs find it by. */
export interface SuiteCluster extends AsyncDisposable {
  /** `KUBECONFIG`, and a `PATH` that begins with a kubectl. */
  readonly env: Readonly<Record<string, string>>
}

/** A cluster in memory, with everything running or the named parts alone; it goes when it is disposed of. */
export async function suiteCluster(parts: readonly Part[] = ALL_PARTS): Promise<SuiteCluster> {
  const home = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-peer-'))
  const kubeconfig = path.join(home, 'kubeconfig')
  const cluster = await startCluster(
    { parts, ephemeral: true, port: 0, kubeconfig, kubeletPorts: parts.includes('nodes'), images: PEER_IMAGES },
    { quiet: true },
  )
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

/**
 * Applies a file, or the manifests of a folder, that a suite's own set-up applies first; definitions may be beside their objects.
 * @throws {Missing}
 */
export async function applyFirst(at: string, { env }: SuiteCluster): Promise<void> {
  const apply = ['apply', '--server-side', ...manifestsOf(at).flatMap((file) => ['-f', file])]
  const first = await runMarked('kubectl', apply, { env })
  const waited = await runMarked('kubectl', ['wait', '--for=condition=Established', 'crd', '--all'], { env })
  const { code, err } = first.code === 0 ? waited : await runMarked('kubectl', apply, { env })
  if (code !== 0) throw new Missing(err)
}

/** A folder may hold what is for kustomize alone. */
function manifestsOf(at: string): readonly string[] {
  if (!statSync(at).isDirectory()) return [at]
  return readdirSync(at)
    .filter((name) => /\.(ya?ml|json)$/.test(name) && !name.startsWith('kustomization.'))
    .map((name) => path.join(at, name))
}
