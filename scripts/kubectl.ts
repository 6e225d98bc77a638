/**
 * `npm run kubectl -- get nodes`: the kubectl that the project brings, on the cluster of `npm start` (or the one that KUBECONFIG names).
 */
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { defaultDataDir } from '../src/cluster/config.ts'
import { kubectlPath } from './clients.ts'

const KUBECONFIG = process.env.KUBECONFIG || path.join(defaultDataDir(process.env), 'kubeconfig')
const { status } = spawnSync(kubectlPath(), process.argv.slice(2), { stdio: 'inherit', env: { ...process.env, KUBECONFIG } })
process.exit(status ?? 1)
