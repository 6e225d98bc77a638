import { Counts, type Family, Histograms, labels, type Sample } from '../../base/exposition.ts'
import type { CallCounter } from './counting-client.ts'

/** Client-go's, in seconds. */
const BOUNDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60]
/** Client-go's label of the server; calls within the process have no address. */
const HOST = 'in-process'

/** Counts of the calls that a component made, under client-go's names. */
export class CallCounts {
  readonly #component: string
  readonly #codes = new Counts()
  readonly #seconds = new Histograms(BOUNDS)

  /** `component` tells apart the components of one process, whose metrics are on one page. */
  constructor(component: string) {
    this.#component = component
  }

  readonly count: CallCounter = (method, code, seconds) => {
    this.#codes.bump(`${method} ${code}`)
    this.#seconds.observe(method, seconds)
  }

  families(): Family[] {
    const own = { component: this.#component, host: HOST }
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
