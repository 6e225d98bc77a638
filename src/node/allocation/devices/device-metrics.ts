import { CounterMetric, HistogramMetric } from '../../../base/metrics.ts'
import type { MetricSource } from '../../metrics/metric-source.ts'

type Version = 'v1' | 'v1alpha1'
type Call = 'list' | 'get' | 'get_allocatable'

/** The metrics of the device manager, with the kubelet's names. */
export interface DeviceMetrics extends MetricSource {
  /** A plugin asked to serve a resource, accepted or not. */
  registered(resource: string): void
  /** The duration of an `Allocate` call. */
  allocated(resource: string, seconds: number): void
  podResources(version: Version, call: Call, failed: boolean): void
}

/** The kubelet's buckets, in seconds. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const

const CALLS: Readonly<Record<Call, string>> = { list: 'List', get: 'Get', get_allocatable: 'GetAllocatableResources' }

export function createDeviceMetrics(): DeviceMetrics {
  const registrations = new CounterMetric({
    name: 'kubelet_device_plugin_registration_total',
    help: 'Registrations of device plugins.',
    labels: ['resource_name'],
  })
  const allocations = new HistogramMetric({
    name: 'kubelet_device_plugin_alloc_duration_seconds',
    help: 'How long device plugins took to allocate.',
    labels: ['resource_name'],
    bounds: SECONDS,
  })
  const requests = new CounterMetric({
    name: 'kubelet_pod_resources_endpoint_requests_total',
    help: 'Calls of the PodResources service.',
    labels: ['server_api_version'],
  })
  const counters = (kind: string, what: string) =>
    new Map(
      Object.entries(CALLS).map(([call, method]) => [
        call,
        new CounterMetric({
          name: `kubelet_pod_resources_endpoint_${kind}_${call}`,
          help: `${what} ${method}.`,
          labels: ['server_api_version'],
        }),
      ]),
    )
  const calls = counters('requests', 'Calls of the PodResources method')
  const errors = counters('errors', 'Failed calls of the PodResources method')
  return {
    registered: (resource) => registrations.add([resource]),
    allocated: (resource, seconds) => allocations.observe(seconds, [resource]),
    podResources(version, call, failed) {
      requests.add([version])
      calls.get(call)?.add([version])
      if (failed) errors.get(call)?.add([version])
    },
    families: () => [registrations, allocations, requests, ...calls.values(), ...errors.values()].map((m) => m.family),
  }
}
