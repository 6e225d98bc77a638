import type { KubeletHost } from '../kubelet-host.ts'
import type { NodeUsage } from '../usage.ts'
import type { Family } from './exposition.ts'

const BUCKETS: ReadonlySet<string> = new Set(
  'healthz pods stats metrics metrics/cadvisor metrics/probes metrics/resource run exec attach portForward containerLogs configz runningpods checkpoint logs debug flagz statusz'.split(
    ' ',
  ),
)
const METHODS: ReadonlySet<string> = new Set(['OPTIONS', 'GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'TRACE', 'CONNECT'])
const LONG: ReadonlySet<string> = new Set(['exec', 'attach', 'portforward', 'debug'])

/** Unknown paths and methods count as `other`, which bounds the number of series. */
export function createRequestCounts(): { count(method: string, path: string): void; readonly family: () => Family } {
  const rows = new Map<string, { readonly labels: Readonly<Record<string, string>>; value: number }>()
  return {
    count(method, path) {
      const [first = '', second = ''] = path.slice(1).split('/')
      const root = first === 'metrics' && second !== '' ? `metrics/${second}` : first
      const bucket = BUCKETS.has(root) ? root : 'other'
      const verb = METHODS.has(method) ? method : 'other'
      const key = `${verb} ${bucket}`
      const labels = { method: verb, path: bucket, server_type: 'readwrite', long_running: String(LONG.has(bucket)) }
      const row = rows.get(key) ?? { labels, value: 0 }
      row.value++
      rows.set(key, row)
    },
    family: () => ({
      name: 'kubelet_http_requests_total',
      type: 'counter',
      stability: 'ALPHA',
      help: 'Requests to this server',
      samples: [...rows.values()],
    }),
  }
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
  const running = usage.pods.reduce((all, p) => all + p.containers.length, 0)
  const [major = '', minor = ''] = version.replace(/^v/, '').split('.')
  return [
    gauge('kubelet_node_name', "The node's name. Always 1", [{ labels: { node: host.nodeName }, value: 1 }]),
    gauge('kubelet_running_pods', 'Pods with a sandbox that is ready', [{ value: usage.pods.length }]),
    gauge('kubelet_running_containers', 'Containers by their state', [{ labels: { container_state: 'running' }, value: running }]),
    gauge('kubelet_desired_pods', 'Pods that are bound to this node', [
      { labels: { static: '' }, value: host.pods().filter((p) => p.status.phase !== 'Succeeded' && p.status.phase !== 'Failed').length },
    ]),
    gauge('kubernetes_build_info', 'Always 1, with the version as labels', [
      { labels: { git_version: version, major, minor, platform: `linux/${host.machine.architecture}` }, value: 1 },
    ]),
  ]
}
