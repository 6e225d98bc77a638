import { chmodSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { TestContext } from 'node:test'
import { kubectlPath } from '../scripts/clients.ts'
import type { Cluster } from '../src/cluster/cluster.ts'
import { runProgram } from './run-program.ts'

const root = path.join(import.meta.dirname, '..')

/** A command of a page, and the text that it shows. */
export interface PageStep {
  readonly script: string
  readonly shown: string
}

/** What a page of `docs/` shows to be run (`sh run`), each with the text below it. */
export function pageSteps(page: string): PageStep[] {
  const text = readFileSync(path.join(root, 'docs', page), 'utf8')
  return [...text.matchAll(/^```sh run\n([\s\S]*?)^```\n\n```text\n([\s\S]*?)^```$/gm)].map(([, script = '', shown = '']) => ({
    script,
    shown,
  }))
}

/** A shell in a folder with kubectl, the plugin, `bowsprit` and a kubeconfig, as an installation would have them; gone after the test. */
export async function installed(t: TestContext, cluster: Cluster) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-page-'))
  t.after(() => rmSync(folder, { recursive: true }))
  symlinkSync(kubectlPath('36'), path.join(folder, 'kubectl'))
  const main = path.join(root, 'src', 'cli', 'main.ts')
  for (const name of ['kubectl-bowsprit', 'bowsprit']) {
    writeFileSync(path.join(folder, name), `#!/bin/sh\nexec '${process.execPath}' --disable-warning=ExperimentalWarning '${main}' "$@"\n`)
    chmodSync(path.join(folder, name), 0o755)
  }
  await cluster.listen()
  writeFileSync(path.join(folder, 'kubeconfig'), cluster.kubeconfig())
  const env = { KUBECONFIG: path.join(folder, 'kubeconfig'), HOME: folder, PATH: `${folder}:/usr/bin:/bin` }
  return (script: string) => runProgram('sh', ['-c', script], { env, cwd: folder })
}
