import { styleText } from 'node:util'
import type { Cluster } from '../cluster/cluster.ts'
import { contextOf } from '../cluster/kubeconfig.ts'

interface Start {
  readonly tookMs: number
  /** As which its user runs this program. */
  readonly command: string
  /** The file that was written. */
  readonly kubeconfig: string
  /** Whether the user's own kubeconfig has the cluster's context now. */
  readonly merged: boolean
  /** The link of the page; absent where there is none. */
  readonly page?: string
}

/** What `bowsprit up` prints when the cluster is ready. */
export function greeting(
  { config, kubernetesVersion, address, nodeNames }: Pick<Cluster, 'config' | 'kubernetesVersion' | 'address' | 'nodeNames'>,
  { tookMs, command, kubeconfig, merged, page }: Start,
): string {
  const line = (name: string, value: string) => `  ${styleText('dim', name.padEnd(11))} ${value}`
  const lines = [
    styleText('bold', `Bowsprit is up: Kubernetes ${kubernetesVersion}, ready in ${Math.round(tookMs)} ms`),
    ...(page === undefined ? [] : [line('page', page)]),
    line('address', address),
    line('nodes', nodesText(nodeNames, config.runtime)),
    ...(config.devicePluginDir === undefined ? [] : [line('plugins', config.devicePluginDir)]),
    line(
      'storage',
      config.etcd === undefined ? (config.dataDir ?? 'in memory, gone when it stops') : `etcd at ${config.etcd.servers.join(', ')}`,
    ),
    line('kubeconfig', kubeconfig),
  ]
  if (merged) lines.push(line('context', contextOf(config.name)))
  lines.push('', 'Try it:')
  if (!merged) lines.push(`  export KUBECONFIG=${kubeconfig}`)
  lines.push(
    ...(nodeNames.length === 0
      ? ['  kubectl get namespaces']
      : ['  kubectl create deployment web --image=nginx --replicas=2', '  kubectl get pods -w']),
  )
  lines.push('', styleText('dim', `A pod waits? ${command} why pod NAME. More: ${command} --help. Ctrl-C stops it.`))
  return lines.join('\n')
}

function nodesText(names: readonly string[], runtime: string | undefined): string {
  if (names.length === 0) return 'none'
  const shown = names.length <= 3 ? names.join(', ') : `${names[0]} … ${names.at(-1)} (${names.length})`
  return `${shown}, ${runtime === undefined ? 'simulated: no image is executed' : `this machine, with ${runtime}`}`
}
