import { labels } from '../../../base/exposition.ts'
import { gauge, HistogramMetric } from '../../../base/metrics.ts'
import type { MetricSource } from '../../metrics/metric-source.ts'
import type { PreparedClaim } from './prepared-claims.ts'

/** The metrics of claims and drivers, with the kubelet's names. */
export interface ClaimMetrics extends MetricSource {
  /** All claims of a pod were prepared or unprepared, or one of them failed. */
  operated(operation: 'PrepareResources' | 'UnprepareResources', failed: boolean, seconds: number): void
  /** A call of a driver has ended; `code` is gRPC's. */
  called(driver: string, method: string, code: string, seconds: number): void
}

/** The kubelet's buckets: fifteen exponential bounds from 0.1 s to 40 s. */
const SECONDS = Array.from({ length: 15 }, (_, i) => 0.1 * ((40 / 0.1) ** (1 / 14)) ** i)

/** The label value for all drivers. */
const ANY = '<any>'

/** `claims`: the claims that are known now. */
export function createClaimMetrics(claims: () => readonly PreparedClaim[]): ClaimMetrics {
  const operations = new HistogramMetric({
    name: 'dra_operations_duration_seconds',
    help: 'How long it took to make ready or give back all claims of a pod.',
    labels: ['operation_name', 'is_error'],
    bounds: SECONDS,
  })
  const calls = new HistogramMetric({
    name: 'dra_grpc_operations_duration_seconds',
    help: 'How long drivers took to answer.',
    labels: ['driver_name', 'method_name', 'grpc_status_code'],
    bounds: SECONDS,
  })
  const inUse = () => {
    const ready = claims().filter((c) => c.prepared)
    const counts = new Map([[ANY, ready.length]])
    for (const driver of ready.flatMap((c) => [...c.drivers.keys()])) counts.set(driver, (counts.get(driver) ?? 0) + 1)
    return counts
  }
  return {
    operated: (operation, failed, seconds) => operations.observe(seconds, [operation, String(failed)]),
    called: (driver, method, code, seconds) => calls.observe(seconds, [driver, method, code]),
    families: () => [
      operations.family,
      calls.family,
      gauge(
        { name: 'dra_resource_claims_in_use', help: 'Claims that are ready, by driver.', labels: ['driver_name'] },
        [...inUse()].map(([driver, count]) => [labels({ driver_name: driver }), count]),
      ),
    ],
  }
}
