import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const PATIENCE_MS = 30_000

export interface ConformanceCluster {
  readonly kubeconfig: string
  stop(): void
}

/** `bowsprit up` with these flags, in a process of its own. */
export async function startForConformance(folder: string, flags: readonly string[]): Promise<ConformanceCluster> {
  const kubeconfig = path.join(folder, 'kubeconfig')
  const main = path.join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.ts')
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', main, 'up', '--ephemeral', '--port', '0', '--kubeconfig', kubeconfig, ...flags],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  )
  const end = Date.now() + PATIENCE_MS
  // The kubeconfig is written when the cluster is ready.
  while (!existsSync(kubeconfig)) {
    if (child.exitCode !== null || Date.now() > end) throw new Error('the cluster did not start')
    await sleep(50)
  }
  return { kubeconfig, stop: () => void child.kill('SIGTERM') }
}
