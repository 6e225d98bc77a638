import { type Keeper, kept } from '../../machinery/kept.ts'
import { Quantity } from '../../machinery/quantity.ts'
import { podRequests, type ResourceTotals } from '../../resources/pod/pod-requests.ts'
import type { Pod } from '../pod/pod-types.ts'

/** What a pod asks for, by the spec of that generation. */
interface Asked {
  readonly generation: number | undefined
  readonly totals: ResourceTotals
}

interface Taken {
  keeper: Keeper<Pod>
  generation: number | undefined
  /** Its status says that it is given, or is to be given, other amounts than it has. */
  resizes: boolean
  asked: Asked | undefined
}

/**
 * The pods that count on a node, by uid, and what they ask for together. That is read once for each pod and generation of it, not at every admission of another
 * one; of a pod that is resized in place, whose status says that it holds more, it is read anew each time. The pods themselves are left to whoever keeps them.
 */
export class TakenPods {
  readonly #pods = new Map<string, Taken>()
  /** Most pods ask for the same. */
  #latest: Asked | undefined

  get size(): number {
    return this.#pods.size
  }

  has(uid: string): boolean {
    return this.#pods.has(uid)
  }

  get(uid: string): Pod | undefined {
    return this.#pods.get(uid)?.keeper.object as Pod | undefined
  }

  uids(): Iterable<string> {
    return this.#pods.keys()
  }

  list(): readonly Pod[] {
    return Array.from(this.#pods.values(), ({ keeper }) => keeper.object as Pod)
  }

  set(uid: string, pod: Pod): void {
    const { generation } = pod.metadata
    const resizes = pod.status.conditions?.some((c) => c.type === 'PodResizePending' || c.type === 'PodResizeInProgress') === true
    const known = this.#pods.get(uid)
    if (known === undefined) this.#pods.set(uid, { keeper: kept(pod), generation, resizes, asked: undefined })
    else Object.assign(known, { keeper: kept(pod), generation, resizes })
  }

  delete(uid: string): void {
    this.#pods.delete(uid)
  }

  /** How much of a resource all of them ask for. */
  sum(resource: string): Quantity {
    let sum = Quantity.zero
    for (const taken of this.#pods.values()) {
      const amount = this.#totals(taken).get(resource)
      if (amount !== undefined) sum = sum.add(amount)
    }
    return sum
  }

  #totals(taken: Taken): ResourceTotals {
    const { asked: known, generation, resizes } = taken
    if (known !== undefined && known.generation === generation && !resizes) return known.totals
    const { spec, status } = taken.keeper.object
    const held = podRequests(spec, { status })
    taken.asked = undefined
    if (resizes || !same(held, podRequests(spec))) return held
    const latest = this.#latest
    const asked =
      latest !== undefined && latest.generation === generation && same(latest.totals, held) ? latest : { generation, totals: held }
    this.#latest = asked
    taken.asked = asked
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
