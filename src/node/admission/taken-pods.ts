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
  /** Undefined: it is resized, or holds other amounts than its spec says. */
  asked: Asked | undefined
  totals: ResourceTotals
}

/**
 * The pods that count on a node, by uid, and what they ask for together. That is read once for each pod and generation of it, not at every admission of another
 * one; of a pod that is resized in place, whose status says that it holds more, it is read anew with each state of it. The pods themselves are left to whoever
 * keeps them.
 */
export class TakenPods {
  readonly #pods = new Map<string, Taken>()
  /** What all ask for; undefined: to be added up anew. Nothing is subtracted: amounts that are too far apart do not come back exactly. */
  #sums: Map<string, Quantity> | undefined = new Map()
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
    const keeper = kept(pod)
    const known = this.#pods.get(uid)
    const before = known?.totals
    const read = this.#read(pod, known?.asked)
    if (known === undefined) this.#pods.set(uid, { keeper, ...read })
    else Object.assign(known, { keeper, ...read })
    if (before === undefined && this.#sums !== undefined) addTo(this.#sums, read.totals)
    else if (before !== read.totals) this.#sums = undefined
  }

  delete(uid: string): void {
    if (this.#pods.delete(uid)) this.#sums = undefined
  }

  /** How much of a resource all of them ask for. */
  sum(resource: string): Quantity {
    if (this.#sums === undefined) {
      this.#sums = new Map()
      for (const { totals } of this.#pods.values()) addTo(this.#sums, totals)
    }
    return this.#sums.get(resource) ?? Quantity.zero
  }

  #read({ metadata: { generation }, spec, status }: Pod, known: Asked | undefined): Pick<Taken, 'asked' | 'totals'> {
    const resizes = status.conditions?.some((c) => c.type === 'PodResizePending' || c.type === 'PodResizeInProgress') === true
    if (known !== undefined && known.generation === generation && !resizes) return { asked: known, totals: known.totals }
    const held = podRequests(spec, { status })
    if (resizes || !same(held, podRequests(spec))) return { asked: undefined, totals: held }
    const latest = this.#latest
    const asked =
      latest !== undefined && latest.generation === generation && same(latest.totals, held) ? latest : { generation, totals: held }
    this.#latest = asked
    return { asked, totals: asked.totals }
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
