/**
 * Why a metric cannot be read or used; the message is Kubernetes'.
 * - `bad-source`: the metric's specification lacks its source or its target.
 * - `no-pods`: the selector matches no pod, or no pod with the named container.
 * - `no-request`: a container does not request the resource whose utilization is measured.
 * - `no-metrics`: the metrics API has no value for the pods or the object.
 * - `unavailable`: the metrics API failed, or is not served.
 */
export class MetricsError extends Error {
  override readonly name = 'MetricsError'
  readonly code: 'bad-source' | 'no-pods' | 'no-request' | 'no-metrics' | 'unavailable'

  constructor(code: MetricsError['code'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
