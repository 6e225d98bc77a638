import { styleText } from 'node:util'
import type { Cluster } from '../cluster/cluster.ts'

/** What `bowsprit up` prints when the cluster is ready. */
export function greeting(cluster: Pick<Cluster, 'config' | 'kubernetesVersion' | 'address' | 'nodeNames'>, tookMs: number): string {
  const { config } = cluster
  const line = (name: string, value: string) => `  ${styleText('dim', name.padEnd(11))} ${value}`
  const lines = [
    styleText('bold', `Bowsprit is up: Kubernetes ${cluster.kubernetesVersion}, ready in ${Math.round(tookMs)} ms`),
    line('address', cluster.address),
    line('nodes', cluster.nodeNames.length === 0 ? 'none' : summary(cluster.nodeNames)),
    ...(config.devicePluginDir === undefined ? [] : [line('plugins', config.devicePluginDir)]),
    line('storage', config.dataDir ?? 'in memory, gone when it stops'),
    line('kubeconfig', config.kubeconfig ?? 'none (name a file with --kubeconfig)'),
  ]
  if (config.kubeconfig !== undefined) lines.push('', `  export KUBECONFIG=${config.kubeconfig}`, '  kubectl get nodes')
  lines.push('', styleText('dim', 'Ctrl-C stops it.'))
  return lines.join('\n')
}

const summary = (names: readonly string[]) => (names.length <= 3 ? names.join(', ') : `${names[0]} … ${names.at(-1)} (${names.length})`)
