import type { Family } from '../../base/exposition.ts'
import { type CounterMetric, type HistogramMetric, MetricSet } from '../../base/metrics.ts'
import type { CallCounter } from './counting-client.ts'

/** Client-go's, in seconds. */
const BOUNDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60]
/** Client-go's label of the server where there is none: calls within the process have no address. */
const WITHIN = 'in-process'

/** Counts of the calls that a component made, under client-go's names. */
export class CallCounts {
  readonly #metrics = new MetricSet()
  readonly #codes: CounterMetric
  readonly #seconds: HistogramMetric
  /** The values of the labels that all series have. */
  readonly #own: readonly string[]

  /**
   * `component` tells apart the components of one process whose metrics are on one page; `host`: the address and port of the server.
   * Default: none, the calls stay in the process.
   */
  constructor({ component, host = WITHIN }: { readonly component?: string; readonly host?: string | undefined } = {}) {
    const own = component === undefined ? ['host'] : ['component', 'host']
    this.#own = component === undefined ? [host] : [component, host]
    this.#codes = this.#metrics.counter({
      name: 'rest_client_requests_total',
      help: 'Calls to the API server by their result.',
      labels: [...own, 'code', 'method'],
    })
    this.#seconds = this.#metrics.histogram({
      name: 'rest_client_request_duration_seconds',
      help: 'How long calls to the API server took.',
      labels: [...own, 'verb'],
      bounds: BOUNDS,
    })
  }

  readonly count: CallCounter = (method, code, seconds) => {
    this.#codes.add([...this.#own, `${code}`, method])
    this.#seconds.observe(seconds, [...this.#own, method])
  }

  families(): Family[] {
    return this.#metrics.families()
  }
}
