import { namesIn, prefixOf } from '../../apiserver/cache/storage-keys.ts'
import { type Family, Histogram, label, labels } from '../../base/exposition.ts'
import type { StoreRequest } from '../../storage/measured-store.ts'

/** Kube-apiserver's, in seconds. */
const BOUNDS = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60]

/** Requests of one operation on one resource. */
interface Requests {
  readonly labels: string
  readonly seconds: Histogram
  total: number
  errors: number
}

/** Changes that the watch delivered of one resource. */
interface Received {
  readonly labels: string
  total: number
}

/** What `/metrics` shows of etcd and the requests to it, by kube-apiserver's names. */
export class EtcdMetrics {
  readonly #requests = new Map<string, Requests>()
  readonly #received = new Map<string, Received>()
  /** By the number of the etcd. */
  readonly #sizes = new Map<number, number>()

  requested({ operation, key, tookMs, failed }: StoreRequest): void {
    // A list of everything, which fills the caches, and the server's own keys have no prefix of a resource.
    const prefix = prefixOf(key) ?? ''
    const series = `${operation} ${prefix}`
    let requests = this.#requests.get(series)
    if (requests === undefined) {
      requests = { labels: labels({ operation, ...resourceIn(prefix) }), seconds: new Histogram(BOUNDS), total: 0, errors: 0 }
      this.#requests.set(series, requests)
    }
    requests.total++
    if (failed) requests.errors++
    requests.seconds.observe(tookMs / 1000)
  }

  /** The watch delivered a change of this key. */
  received(key: string): void {
    const prefix = prefixOf(key)
    if (prefix === undefined) return
    let received = this.#received.get(prefix)
    if (received === undefined) {
      received = { labels: labels(resourceIn(prefix)), total: 0 }
      this.#received.set(prefix, received)
    }
    received.total++
  }

  /** `sizeBytes` of an etcd's database; undefined: it is not known. */
  sized(etcd: number, sizeBytes: number | undefined): void {
    if (sizeBytes === undefined) this.#sizes.delete(etcd)
    else this.#sizes.set(etcd, sizeBytes)
  }

  families(): readonly Family[] {
    const requests = [...this.#requests.values()]
    return [
      {
        name: 'etcd_request_duration_seconds',
        type: 'histogram',
        help: 'How long requests to etcd took, by operation and resource.',
        samples: requests.map((r) => [r.labels, r.seconds]),
      },
      {
        name: 'etcd_requests_total',
        type: 'counter',
        help: 'Requests to etcd, by operation and resource.',
        samples: requests.map((r) => [r.labels, r.total]),
      },
      {
        name: 'etcd_request_errors_total',
        type: 'counter',
        help: 'Requests to etcd that failed.',
        samples: requests.filter((r) => r.errors > 0).map((r) => [r.labels, r.errors]),
      },
      {
        name: 'apiserver_storage_events_received_total',
        type: 'counter',
        help: 'Changes that the watch of etcd delivered, by resource.',
        samples: [...this.#received.values()].map((r) => [r.labels, r.total]),
      },
      {
        name: 'apiserver_storage_size_bytes',
        type: 'gauge',
        help: 'Size of the database of etcd on its disk.',
        samples: [...this.#sizes].map(([etcd, sizeBytes]) => [label('storage_cluster_id', `etcd-${etcd}`), sizeBytes]),
      },
    ]
  }
}

function resourceIn(prefix: string): { readonly group: string; readonly resource: string } {
  if (prefix === '') return { group: '', resource: '' }
  const { group, resource } = namesIn(prefix)
  return { group, resource }
}
