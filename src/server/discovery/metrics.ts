import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry as MetricsRegistry } from 'prom-client'
import type { ServerDeps } from '../server.ts'

/** Counts of requests, few enough that a scrape is cheap. */
export interface RequestMetrics {
  observe(verb: string, resource: string, code: number, seconds: number): void
  text(): Promise<string>
}

/** Metrics under the names that dashboards of Kubernetes know. Made at the first scrape or request that is counted. */
export function createMetrics(deps: ServerDeps): RequestMetrics {
  const registry = new MetricsRegistry()
  const requests = new Counter({
    name: 'apiserver_request_total',
    help: 'Requests by verb, resource and status code.',
    labelNames: ['verb', 'resource', 'code'],
    registers: [registry],
  })
  const duration = new Histogram({
    name: 'apiserver_request_duration_seconds',
    help: 'Time to answer, by verb.',
    labelNames: ['verb'],
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 1, 5, 30, 60],
    registers: [registry],
  })
  const revision = new Gauge({
    name: 'bowsprit_storage_revision',
    help: 'The latest revision that the caches have seen.',
    registers: [registry],
    collect() {
      revision.set(deps.registry.revision)
    },
  })
  let defaults = false
  return {
    observe(verb, resource, code, seconds) {
      requests.inc({ verb, resource, code })
      if (verb !== 'watch') duration.observe({ verb }, seconds)
    },
    async text() {
      if (!defaults) collectDefaultMetrics({ register: registry })
      defaults = true
      return registry.metrics()
    },
  }
}
