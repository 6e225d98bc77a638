import { Quantity } from '../../machinery/quantity.ts'
import { podRequests, type ResourceTotals } from '../../resources/pod/pod-requests.ts'
import type { Pod } from '../types/pod.ts'

/** What a pod requests by the spec of one generation. */
interface Requests {
  readonly generation: number | undefined
  readonly totals: ResourceTotals
}

/** What a pod counts for on its node. */
export interface PodAmounts {
  /** Undefined while it is resized in place, or holds other amounts than its spec requests: then they are read with each version of it. */
  readonly requests: Requests | undefined
  readonly totals: ResourceTotals
}

/** Reads what pods count for: once for each generation of a pod. Pods that request the same share one value. */
export class AmountsReader {
  #latest: Requests | undefined

  read({ metadata: { generation }, spec, status }: Pod, known?: PodAmounts): PodAmounts {
    const resizes = status.conditions?.some((c) => c.type === 'PodResizePending' || c.type === 'PodResizeInProgress') === true
    if (known?.requests !== undefined && known.requests.generation === generation && !resizes) return known
    const totals = podRequests(spec, { status })
    if (resizes || !same(totals, podRequests(spec))) return { requests: undefined, totals }
    const latest = this.#latest
    const shared = latest !== undefined && latest.generation === generation && same(latest.totals, totals)
    const requests = shared ? latest : { generation, totals }
    this.#latest = requests
    return { requests, totals: requests.totals }
  }
}

/** What several pods request together, by resource. */
export class AmountSums {
  readonly #all: () => Iterable<ResourceTotals>
  /** Undefined: to be added up anew. Nothing is subtracted: the difference of amounts that are orders of magnitude apart is not exact. */
  #sums: Map<string, Quantity> | undefined

  /** `all`: of every pod that counts. */
  constructor(all: () => Iterable<ResourceTotals>) {
    this.#all = all
  }

  /** The amounts of one pod have changed, appeared or gone. */
  changed(before: ResourceTotals | undefined, after: ResourceTotals | undefined): void {
    if (before === after) return
    if (before === undefined && after !== undefined && this.#sums !== undefined) addTo(this.#sums, after)
    else this.#sums = undefined
  }

  of(resource: string): Quantity {
    if (this.#sums === undefined) {
      this.#sums = new Map()
      for (const totals of this.#all()) addTo(this.#sums, totals)
    }
    return this.#sums.get(resource) ?? Quantity.zero
  }
}

function addTo(sums: Map<string, Quantity>, totals: ResourceTotals): void {
  for (const [resource, amount] of totals) {
    const sum = sums.get(resource)
    sums.set(resource, sum === undefined ? amount : sum.add(amount))
  }
}

function same(a: ResourceTotals, b: ResourceTotals): boolean {
  if (a.size !== b.size) return false
  for (const [name, amount] of a) {
    const other = b.get(name)
    if (other === undefined || amount.compare(other) !== 0) return false
  }
  return true
}
