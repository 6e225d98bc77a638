/**
 * `npm run kubectl -- get nodes`, `npm run helm -- list`: the clients that the project brings, on the cluster of `npm start` (or the one
 * that KUBECONFIG names). `kubectl bowsprit` is this checkout's command.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { defaultDataDir } from '../src/cluster/config.ts'
import { cacheFolder } from './cache-folder.ts'
import { helmPath, kubectlPath } from './clients.ts'

const [client, ...words] = process.argv.slice(2)
const KUBECONFIG = process.env.KUBECONFIG || path.join(defaultDataDir(process.env), 'kubeconfig')
const env = { ...process.env, KUBECONFIG, PATH: `${pluginFolder()}${path.delimiter}${process.env.PATH}` }
const { status } = spawnSync(client === 'helm' ? helmPath() : kubectlPath(), words, { stdio: 'inherit', env })
process.exit(status ?? 1)

/** A folder with kubectl's plugin. */
function pluginFolder(): string {
  const folder = path.join(cacheFolder(), 'bin')
  const main = path.join(import.meta.dirname, '..', 'src', 'cli', 'main.ts')
  const plugin = path.join(folder, 'kubectl-bowsprit')
  mkdirSync(folder, { recursive: true })
  writeFileSync(plugin, `#!/bin/sh\nexec '${process.execPath}' --disable-warning=ExperimentalWarning '${main}' "$@"\n`)
  chmodSync(plugin, 0o755)
  return folder
}
