import { Quantity } from '../../machinery/quantity.ts'
import { podRequests, type ResourceTotals } from '../../resources/pod/pod-requests.ts'
import type { Pod } from '../types/pod.ts'
import { heldRequests } from './held-requests.ts'

/** The requests of a pod at one generation of its spec. */
interface Requests {
  readonly generation: number | undefined
  readonly totals: ResourceTotals
}

/** The resources that a pod uses up on its node. */
export interface PodAmounts {
  /**
   * Undefined while it is resized in place, or while its allocation differs from its spec: then they are computed for each version of the
   * pod.
   */
  readonly requests: Requests | undefined
  readonly totals: ResourceTotals
}

/** Computes the resources of pods once per generation. Pods with equal requests share one value. */
export class AmountsReader {
  #latest: Requests | undefined

  read({ metadata: { generation }, spec, status }: Pod, known?: PodAmounts): PodAmounts {
    const resizes = status.conditions?.some((c) => c.type === 'PodResizePending' || c.type === 'PodResizeInProgress') === true
    if (known?.requests !== undefined && known.requests.generation === generation && !resizes) return known
    const totals = heldRequests({ spec, status })
    if (resizes || !same(totals, podRequests(spec))) return { requests: undefined, totals }
    const latest = this.#latest
    const shared = latest !== undefined && latest.generation === generation && same(latest.totals, totals)
    const requests = shared ? latest : { generation, totals }
    this.#latest = requests
    return { requests, totals: requests.totals }
  }
}

/** The total requests of several pods, by resource. */
export class AmountSums {
  readonly #all: () => Iterable<ResourceTotals>
  /**
   * Undefined: has to be computed again. Nothing is subtracted, because floating-point differences of very different magnitudes are not
   * exact.
   */
  #sums: Map<string, Quantity> | undefined

  /** `all`: the resources of every counted pod. */
  constructor(all: () => Iterable<ResourceTotals>) {
    this.#all = all
  }

  /** Records that the resources of one pod changed, appeared or disappeared. */
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
