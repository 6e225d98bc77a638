/** What the device manager counts, under the kubelet's names. */
export interface DeviceMetrics {
  registered(resource: string): void
  allocated(resource: string, seconds: number): void
  podResources(version: 'v1' | 'v1alpha1', call: 'list' | 'get' | 'get_allocatable', failed: boolean): void
  /** In the text format of Prometheus. */
  text(): string
}

/** The kubelet's buckets of seconds. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const

/** Label values that one counter keeps apart; what comes after them is counted as `other`. */
const MOST_SERIES = 1000

interface Duration {
  count: number
  sum: number
  readonly buckets: number[]
}

export function createDeviceMetrics(): DeviceMetrics {
  const registrations = new Map<string, number>()
  const durations = new Map<string, Duration>()
  const requests = new Map<string, Map<string, number>>()
  const bounded = (map: ReadonlyMap<string, unknown>, key: string) => (map.has(key) || map.size < MOST_SERIES ? key : 'other')
  const add = (map: Map<string, number>, key: string) => map.set(key, (map.get(key) ?? 0) + 1)
  const addTo = (name: string, version: string) => {
    const counter = requests.get(name) ?? new Map<string, number>()
    requests.set(name, counter)
    add(counter, version)
  }
  return {
    registered: (resource) => void add(registrations, bounded(registrations, resource)),
    allocated(resource, seconds) {
      const key = bounded(durations, resource)
      const known = durations.get(key) ?? { count: 0, sum: 0, buckets: BUCKETS.map(() => 0) }
      durations.set(key, known)
      known.count++
      known.sum += seconds
      BUCKETS.forEach((bound, i) => {
        if (seconds <= bound) known.buckets[i] = (known.buckets[i] ?? 0) + 1
      })
    },
    podResources(version, call, failed) {
      addTo('kubelet_pod_resources_endpoint_requests_total', version)
      addTo(`kubelet_pod_resources_endpoint_requests_${call}`, version)
      if (failed) addTo(`kubelet_pod_resources_endpoint_errors_${call}`, version)
    },
    text() {
      const lines: string[] = []
      const counter = (name: string, label: string, values: ReadonlyMap<string, number>) => {
        if (values.size === 0) return
        lines.push(`# TYPE ${name} counter`)
        for (const [value, count] of values) lines.push(`${name}{${label}=${JSON.stringify(value)}} ${count}`)
      }
      counter('kubelet_device_plugin_registration_total', 'resource_name', registrations)
      if (durations.size > 0) lines.push('# TYPE kubelet_device_plugin_alloc_duration_seconds histogram')
      for (const [resource, { count, sum, buckets }] of durations) {
        const name = 'kubelet_device_plugin_alloc_duration_seconds'
        const of = `resource_name=${JSON.stringify(resource)}`
        BUCKETS.forEach((bound, i) => {
          lines.push(`${name}_bucket{${of},le="${bound}"} ${buckets[i] ?? 0}`)
        })
        lines.push(`${name}_bucket{${of},le="+Inf"} ${count}`, `${name}_sum{${of}} ${sum}`, `${name}_count{${of}} ${count}`)
      }
      for (const [name, values] of [...requests].sort(([a], [b]) => (a < b ? -1 : 1))) counter(name, 'server_api_version', values)
      return lines.length === 0 ? '' : `${lines.join('\n')}\n`
    },
  }
}
