import { namesIn, prefixOf } from '../../apiserver/cache/storage-keys.ts'
import { type Family, Histogram, labels } from '../../base/exposition.ts'
import type { StoreRequest } from '../../storage/measured-store.ts'

/** Kube-apiserver's, in seconds. */
const BOUNDS = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60]

/** What `/metrics` shows of the requests to etcd, by kube-apiserver's names. */
export class EtcdMetrics {
  readonly #seconds = new Map<string, Histogram>()
  readonly #requests = new Map<string, number>()
  readonly #errors = new Map<string, number>()

  requested({ operation, key, tookMs, failed }: StoreRequest): void {
    const prefix = prefixOf(key)
    // A list of everything, which fills the caches, and the server's own keys.
    const { group, resource } = prefix === undefined ? { group: '', resource: '' } : namesIn(prefix)
    const series = labels({ operation, group, resource })
    bump(this.#requests, series)
    if (failed) bump(this.#errors, series)
    let seconds = this.#seconds.get(series)
    if (seconds === undefined) {
      seconds = new Histogram(BOUNDS)
      this.#seconds.set(series, seconds)
    }
    seconds.observe(tookMs / 1000)
  }

  families(): readonly Family[] {
    return [
      {
        name: 'etcd_request_duration_seconds',
        type: 'histogram',
        help: 'How long requests to etcd took, by operation and resource.',
        samples: this.#seconds,
      },
      { name: 'etcd_requests_total', type: 'counter', help: 'Requests to etcd, by operation and resource.', samples: this.#requests },
      { name: 'etcd_request_errors_total', type: 'counter', help: 'Requests to etcd that failed.', samples: this.#errors },
    ]
  }
}

function bump(counts: Map<string, number>, series: string): void {
  counts.set(series, (counts.get(series) ?? 0) + 1)
}
