import { isMirrorPod } from '../../static-pods/mirror-pods.ts'
import type { KubeletHost } from '../kubelet-host.ts'
import type { NodeUsage } from '../usage.ts'
import type { Family } from './exposition.ts'

/** What program this is, as the API server says it. */
const PROGRAM = {
  build_date: '1970-01-01T00:00:00Z',
  compiler: 'v8',
  git_commit: '',
  git_tree_state: 'clean',
  go_version: `node${process.versions.node}`,
}

export interface KubeletFacts {
  readonly host: KubeletHost
  readonly usage: NodeUsage
  readonly version: string
}

/** The metrics of `/metrics` that exist on a simulated node. */
export function kubeletFamilies({ host, usage, version }: KubeletFacts): readonly Family[] {
  const gauge = (name: string, help: string, samples: Family['samples']): Family => ({
    name,
    type: 'gauge',
    stability: 'ALPHA',
    help,
    samples,
  })
  const states = Map.groupBy(usage.states, (state) => state)
  const active = host.pods().filter((p) => p.status.phase !== 'Succeeded' && p.status.phase !== 'Failed')
  const [mirrors, own] = [active.filter(isMirrorPod).length, active.filter((p) => !isMirrorPod(p)).length]
  const byStatic = [
    { labels: { static: '' }, value: own },
    { labels: { static: 'true' }, value: mirrors },
  ]
  const [major = '', minor = ''] = version.replace(/^v/, '').split('.')
  return [
    gauge('kubelet_node_name', "The node's name. Always 1", [{ labels: { node: host.nodeName }, value: 1 }]),
    gauge('kubelet_running_pods', 'Pods with a sandbox that is ready', [{ value: usage.pods.length }]),
    gauge(
      'kubelet_running_containers',
      'Containers by their state',
      [...states].map(([state, all]) => ({ labels: { container_state: state }, value: all.length })),
    ),
    gauge('kubelet_desired_pods', 'Pods that are bound to this node', byStatic),
    gauge('kubelet_active_pods', 'Those of them that have not ended', byStatic),
    gauge('kubelet_mirror_pods', 'Pods that show static ones', [{ value: mirrors }]),
    gauge('kubernetes_build_info', 'Always 1, with the version as labels', [
      { labels: { ...PROGRAM, git_version: version, major, minor, platform: `linux/${host.machine.architecture}` }, value: 1 },
    ]),
  ]
}
