import { Quantity } from '../../machinery/quantity.ts'
import { podRequests, type ResourceTotals } from '../../resources/pod/pod-requests.ts'
import type { Pod } from '../pod/pod-types.ts'

/** What a pod asks for, by the spec of that generation. */
interface Asked {
  readonly generation: number | undefined
  readonly totals: ResourceTotals
}

/**
 * The pods that count on a node, by uid, and what they ask for together. That is read once for each pod and generation of it, not at every admission of another
 * one; of a pod that is resized in place, whose status says that it holds more, it is read anew each time.
 */
export class TakenPods {
  readonly #pods = new Map<string, Pod>()
  readonly #asked = new Map<string, Asked>()
  /** Most pods ask for the same. */
  #latest: Asked | undefined

  get size(): number {
    return this.#pods.size
  }

  has(uid: string): boolean {
    return this.#pods.has(uid)
  }

  get(uid: string): Pod | undefined {
    return this.#pods.get(uid)
  }

  uids(): Iterable<string> {
    return this.#pods.keys()
  }

  list(): readonly Pod[] {
    return [...this.#pods.values()]
  }

  set(uid: string, pod: Pod): void {
    this.#pods.set(uid, pod)
  }

  delete(uid: string): void {
    this.#pods.delete(uid)
    this.#asked.delete(uid)
  }

  /** How much of a resource all of them ask for. */
  sum(resource: string): Quantity {
    let sum = Quantity.zero
    for (const [uid, pod] of this.#pods) {
      const amount = this.#totals(uid, pod).get(resource)
      if (amount !== undefined) sum = sum.add(amount)
    }
    return sum
  }

  #totals(uid: string, { metadata: { generation }, spec, status }: Pod): ResourceTotals {
    const known = this.#asked.get(uid)
    const resizes = status.conditions?.some((c) => c.type === 'PodResizePending' || c.type === 'PodResizeInProgress') === true
    if (known !== undefined && known.generation === generation && !resizes) return known.totals
    const held = podRequests(spec, { status })
    if (resizes || !same(held, podRequests(spec))) {
      this.#asked.delete(uid)
      return held
    }
    const latest = this.#latest
    const asked =
      latest !== undefined && latest.generation === generation && same(latest.totals, held) ? latest : { generation, totals: held }
    this.#latest = asked
    this.#asked.set(uid, asked)
    return asked.totals
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
