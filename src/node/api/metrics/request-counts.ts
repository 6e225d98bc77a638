import type { Clock } from '../../../base/clock.ts'
import { type Family, labels } from '../../../base/exposition.ts'
import { gauge, MetricSet } from '../../../base/metrics.ts'
import { DURATION_BOUNDS } from '../../probes/probe-counts.ts'

const BUCKETS: ReadonlySet<string> = new Set(
  'healthz pods stats metrics metrics/cadvisor metrics/probes metrics/resource run exec attach portForward containerLogs configz runningpods checkpoint logs debug flagz statusz'.split(
    ' ',
  ),
)
const METHODS: ReadonlySet<string> = new Set(['OPTIONS', 'GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'TRACE', 'CONNECT'])
const LONG: ReadonlySet<string> = new Set(['exec', 'attach', 'portforward', 'debug'])

const LABELS = ['long_running', 'method', 'path', 'server_type'] as const

/** The values of these labels. */
function valuesOf({ method = '', url = '' }: CountedRequest): readonly string[] {
  const [first = '', second = ''] = (url.split('?', 1)[0] ?? '').slice(1).split('/')
  const root = first === 'metrics' && second !== '' ? `metrics/${second}` : first
  const path = BUCKETS.has(root) ? root : 'other'
  return [String(LONG.has(path)), METHODS.has(method) ? method : 'other', path, 'readwrite']
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
  const name = (rest: string) => `kubelet_http_${rest}`
  const metrics = new MetricSet()
  const requests = metrics.counter({ name: name('requests_total'), help: 'Requests to this server', labels: LABELS })
  const seconds = metrics.histogram({
    name: name('requests_duration_seconds'),
    help: 'How long requests took, in seconds',
    labels: LABELS,
    bounds: DURATION_BOUNDS,
  })
  /** How many run, by their labels. */
  const running = new Map<string, number>()
  return {
    begin(request) {
      const values = valuesOf(request)
      const key = labels(Object.fromEntries(LABELS.map((label, i) => [label, values[i] ?? ''])))
      const begunMs = clock.monotonic()
      const runs = (change: 1 | -1) => running.set(key, (running.get(key) ?? 0) + change)
      requests.add(values)
      runs(1)
      return () => {
        runs(-1)
        seconds.observe((clock.monotonic() - begunMs) / 1000, values)
      }
    },
    families: () => [...metrics.families(), gauge({ name: name('inflight_requests'), help: 'Requests that are served now' }, running)],
  }
}
