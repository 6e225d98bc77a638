import { type Family, Histogram, labels, type Sample } from '../../base/exposition.ts'
import type { CallCounter } from './counting-client.ts'

/** Client-go's, in seconds. */
const BOUNDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60]
/** Client-go's label of the server where there is none: calls within the process have no address. */
const WITHIN = 'in-process'

/** Counts of the calls that a component made, under client-go's names. */
export class CallCounts {
  readonly #labels: Readonly<Record<string, string>>
  readonly #codes = new Map<string, number>()
  readonly #seconds = new Map<string, Histogram>()

  /**
   * `component` tells apart the components of one process whose metrics are on one page; `host`: the address and port of the server.
   * Default: none, the calls stay in the process.
   */
  constructor({ component, host = WITHIN }: { readonly component?: string; readonly host?: string | undefined } = {}) {
    this.#labels = { ...(component !== undefined && { component }), host }
  }

  readonly count: CallCounter = (method, code, seconds) => {
    const key = `${method} ${code}`
    this.#codes.set(key, (this.#codes.get(key) ?? 0) + 1)
    let histogram = this.#seconds.get(method)
    if (histogram === undefined) {
      histogram = new Histogram(BOUNDS)
      this.#seconds.set(method, histogram)
    }
    histogram.observe(seconds)
  }

  families(): Family[] {
    const own = this.#labels
    return [
      {
        name: 'rest_client_requests_total',
        type: 'counter',
        help: 'Calls to the API server by their result.',
        samples: [...this.#codes].map(([key, n]): Sample => {
          const [method = '', code = ''] = key.split(' ')
          return [labels({ ...own, code, method }), n]
        }),
      },
      {
        name: 'rest_client_request_duration_seconds',
        type: 'histogram',
        help: 'How long calls to the API server took.',
        samples: [...this.#seconds].map(([verb, histogram]): Sample => [labels({ ...own, verb }), histogram]),
      },
    ]
  }
}
