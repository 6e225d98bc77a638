import { parseQuantity, type Quantity } from '../../machinery/quantity.ts'
import { isPodLevel } from './resource-names.ts'

/** Quantities by resource name, as in objects. */
export type Written = Readonly<Record<string, string | number>>

interface Resources {
  readonly requests?: Written
  readonly limits?: Written
}

interface ContainerAmounts {
  readonly name?: string
  readonly restartPolicy?: string
  readonly resources?: Resources
}

interface StatusAmounts {
  readonly name: string
  readonly allocatedResources?: Written
  readonly resources?: Resources
}

/** The parts of a pod's spec that contain resources. */
export interface PodAmounts {
  readonly containers?: readonly ContainerAmounts[]
  readonly initContainers?: readonly ContainerAmounts[]
  readonly overhead?: Written
  readonly resources?: Resources
}

/** The part of a status that contains a pod's resources during an in-place resize. */
export interface PodStatusAmounts {
  readonly containerStatuses?: readonly StatusAmounts[]
  readonly initContainerStatuses?: readonly StatusAmounts[]
  readonly conditions?: readonly { readonly type: string; readonly reason?: string }[]
}

/** How quantities are added and compared. */
export interface AmountAlgebra<T> {
  /** Parses a quantity of a resource. */
  read(resource: string, written: string | number): T
  add(a: T, b: T): T
  larger(a: T, b: T): T
}

/** Amounts by resource name. */
export type Totals<T> = Map<string, T>
export type ResourceTotals = Totals<Quantity>

export interface SumOptions {
  /** The status of a pod during an in-place resize: it counts with the largest of its desired, allocated and actual resources. */
  readonly status?: PodStatusAmounts | undefined
  /** Assumed requests of containers without any. */
  readonly missing?: Written | undefined
  /** The resources of containers that count; default all. */
  readonly only?: (name: string) => boolean
}

const quantities: AmountAlgebra<Quantity> = {
  read: (_, written) => parseQuantity(written),
  add: (a, b) => a.add(b),
  larger: (a, b) => (a.compare(b) < 0 ? b : a),
}

/** The exact resource requests of a pod. */
export function podRequests(spec: PodAmounts, options: SumOptions = {}): ResourceTotals {
  return sumOfPod(quantities, spec, 'requests', options)
}

/** The limits of a pod. Overhead is added only to resources that have a limit. */
export function podLimits(spec: PodAmounts): ResourceTotals {
  return sumOfPod(quantities, spec, 'limits')
}

/**
 * What the containers of a pod request or limit together, without what the pod says for all of them, and without overhead. `only`: of these
 * resources; a container may name a hundred thousand.
 */
export function sumOfContainers(spec: PodAmounts, of: 'requests' | 'limits', only: (name: string) => boolean): ResourceTotals {
  return new PodSum(quantities, of, { only }).ofContainers(spec, undefined)
}

/**
 * The resources of a pod: those of its containers; pod-level cpu, memory and huge pages replace the sum; the overhead is added (KEP-753,
 * KEP-2837, KEP-1287).
 */
export function sumOfPod<T>(algebra: AmountAlgebra<T>, spec: PodAmounts, of: 'requests' | 'limits', options: SumOptions = {}): Totals<T> {
  const total = new PodSum(algebra, of, options).ofContainers(spec, options.status)
  for (const [name, written] of Object.entries(spec.resources?.[of] ?? {}))
    if (isPodLevel(name)) total.set(name, algebra.read(name, written))
  for (const [name, written] of Object.entries(spec.overhead ?? {})) {
    const found = total.get(name)
    const more = algebra.read(name, written)
    if (found !== undefined) total.set(name, algebra.add(found, more))
    else if (of === 'requests') total.set(name, more)
  }
  return total
}

class PodSum<T> {
  readonly #algebra: AmountAlgebra<T>
  readonly #of: 'requests' | 'limits'
  readonly #missing: Written | undefined
  readonly #only: ((name: string) => boolean) | undefined
  /** An infeasible resize is ignored. */
  readonly #infeasible: boolean

  constructor(algebra: AmountAlgebra<T>, of: 'requests' | 'limits', { status, missing, only }: SumOptions) {
    this.#algebra = algebra
    this.#of = of
    this.#missing = missing
    this.#only = only
    this.#infeasible = status?.conditions?.some((c) => c.type === 'PodResizePending' && c.reason === 'Infeasible') ?? false
  }

  /**
   * The sum of all containers and sidecars, or the largest init container with the sidecars started before it, whichever is greater.
   */
  ofContainers(spec: PodAmounts, status: PodStatusAmounts | undefined): Totals<T> {
    const total: Totals<T> = new Map()
    for (const container of spec.containers ?? []) this.#add(total, this.#ofContainer(container, status?.containerStatuses))
    const sidecars: Totals<T> = new Map()
    const peak: Totals<T> = new Map()
    for (const container of spec.initContainers ?? []) {
      if (container.restartPolicy === 'Always') {
        const own = this.#ofContainer(container, status?.initContainerStatuses)
        this.#add(sidecars, own)
        this.#add(total, own)
        this.#raise(peak, sidecars)
      } else {
        // Of init containers, only sidecars are resized in place.
        const own = this.#ofContainer(container, undefined)
        this.#add(own, sidecars)
        this.#raise(peak, own)
      }
    }
    this.#raise(total, peak)
    return total
  }

  #ofContainer(container: ContainerAmounts, statuses: readonly StatusAmounts[] | undefined): Totals<T> {
    const status = statuses?.find((s) => s.name === container.name)
    const resizing = status?.resources !== undefined && this.#of === 'requests'
    const own = this.#read(resizing && this.#infeasible ? undefined : container.resources?.[this.#of])
    if (resizing) {
      this.#raise(own, this.#read(status.resources?.requests))
      this.#raise(own, this.#read(status.allocatedResources))
    }
    if (this.#missing !== undefined)
      for (const [name, written] of Object.entries(this.#missing)) if (!own.has(name)) own.set(name, this.#algebra.read(name, written))
    return own
  }

  #read(list: Written | undefined): Totals<T> {
    const totals: Totals<T> = new Map()
    for (const name in list) {
      const written = list[name]
      if (written !== undefined && this.#only?.(name) !== false) totals.set(name, this.#algebra.read(name, written))
    }
    return totals
  }

  #add(into: Totals<T>, more: Totals<T>): void {
    for (const [name, amount] of more) {
      const found = into.get(name)
      into.set(name, found === undefined ? amount : this.#algebra.add(found, amount))
    }
  }

  #raise(into: Totals<T>, floor: Totals<T>): void {
    for (const [name, amount] of floor) {
      const found = into.get(name)
      into.set(name, found === undefined ? amount : this.#algebra.larger(found, amount))
    }
  }
}
