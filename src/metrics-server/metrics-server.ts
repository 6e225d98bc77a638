import http from 'node:http'
import type { Duplex } from 'node:stream'
import { insideConnections } from '../base/http/inside-connections.ts'
import { answerRequest } from './answer-request.ts'
import { customMetrics } from './custom-metrics.ts'
import { externalMetrics } from './external-metrics.ts'
import type { GroupApi } from './group-api.ts'
import { type MetricsDeps, resourceMetrics } from './resource-metrics.ts'

/** The metrics APIs of simulated nodes, as a server that lives in this process. */
export interface MetricsServer extends Disposable {
  /** Opens an HTTP/1.1 connection to it. */
  connect(): Duplex
}

/** Serves `metrics.k8s.io`, `custom.metrics.k8s.io` and `external.metrics.k8s.io`. It is idle without requests. */
export function createMetricsServer(deps: MetricsDeps): MetricsServer {
  const apis: readonly GroupApi[] = [
    resourceMetrics(deps),
    customMetrics('v1beta2', deps),
    customMetrics('v1beta1', deps),
    externalMetrics(deps),
  ]
  const server = http.createServer((request, response) => {
    const { method = 'GET', url = '/', headers } = request
    const { code, value, warnings } = answerRequest(apis, { method, url, accept: headers.accept ?? '' })
    response.setHeader('Content-Type', 'application/json')
    if (warnings.length > 0) response.setHeader('Warning', warnings.map(warning))
    response.statusCode = code
    response.end(JSON.stringify(value))
    request.resume()
  })
  return insideConnections(server)
}

/** RFC 7234, 5.5: nothing but what a header may hold. */
const warning = (text: string) => `299 - "${text.replace(/[^\x20-\x7e]/g, '?').replace(/[\\"]/g, '\\$&')}"`
