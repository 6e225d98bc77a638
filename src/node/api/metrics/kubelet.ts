import type { Clock } from '../../../base/clock.ts'
import { Histogram } from '../../../base/exposition.ts'
import { DURATION_BOUNDS } from '../../probes/probe-counts.ts'
import { isMirrorPod } from '../../static-pods/mirror-pods.ts'
import type { KubeletHost } from '../kubelet-host.ts'
import type { NodeUsage } from '../usage.ts'
import { type Family, histogramSamples, type Sample } from './exposition.ts'

/** What program this is, as the API server says it. */
const PROGRAM = {
  build_date: '1970-01-01T00:00:00Z',
  compiler: 'v8',
  git_commit: '',
  git_tree_state: 'clean',
  go_version: `node${process.versions.node}`,
}

const BUCKETS: ReadonlySet<string> = new Set(
  'healthz pods stats metrics metrics/cadvisor metrics/probes metrics/resource run exec attach portForward containerLogs configz runningpods checkpoint logs debug flagz statusz'.split(
    ' ',
  ),
)
const METHODS: ReadonlySet<string> = new Set(['OPTIONS', 'GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'TRACE', 'CONNECT'])
const LONG: ReadonlySet<string> = new Set(['exec', 'attach', 'portforward', 'debug'])

const labelsOf = ({ method = '', url = '' }: CountedRequest): readonly [method: string, path: string, long: string] => {
  const [first = '', second = ''] = (url.split('?', 1)[0] ?? '').slice(1).split('/')
  const root = first === 'metrics' && second !== '' ? `metrics/${second}` : first
  const path = BUCKETS.has(root) ? root : 'other'
  return [METHODS.has(method) ? method : 'other', path, String(LONG.has(path))]
}

/** What is counted of a request. */
export interface CountedRequest {
  readonly method?: string | undefined
  readonly url?: string | undefined
}

/** Requests to a kubelet's server. Unknown paths and methods count as `other`, which bounds the number of series. */
export function createRequestCounts(clock: Pick<Clock, 'monotonic'>): {
  /** Call the result when the request has ended. */
  begin(request: CountedRequest): () => void
  families(): readonly Family[]
} {
  const rows = new Map<string, { readonly labels: Readonly<Record<string, string>>; total: number; now: number; seconds: Histogram }>()
  const of = (name: string, type: Family['type'], help: string, samples: readonly Sample[]): Family => ({
    name: `kubelet_http_${name}`,
    type,
    stability: 'ALPHA',
    help,
    samples,
  })
  return {
    begin(request) {
      const [method, path, long_running] = labelsOf(request)
      const key = `${method} ${path}`
      const row = rows.get(key) ?? {
        labels: { method, path, server_type: 'readwrite', long_running },
        total: 0,
        now: 0,
        seconds: new Histogram(DURATION_BOUNDS),
      }
      rows.set(key, row)
      row.total++
      row.now++
      const begun = clock.monotonic()
      return () => {
        row.now--
        row.seconds.observe((clock.monotonic() - begun) / 1000)
      }
    },
    families() {
      const all = [...rows.values()]
      return [
        of(
          'requests_total',
          'counter',
          'Requests to this server',
          all.map(({ labels, total }) => ({ labels, value: total })),
        ),
        of(
          'inflight_requests',
          'gauge',
          'Requests that are served now',
          all.map(({ labels, now }) => ({ labels, value: now })),
        ),
        of(
          'requests_duration_seconds',
          'histogram',
          'How long requests took, in seconds',
          all.flatMap(({ labels, seconds }) => (seconds.counts.some((n) => n > 0) ? histogramSamples(labels, seconds) : [])),
        ),
      ]
    },
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
