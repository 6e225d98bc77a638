import { parseQuantity, type Quantity } from '../../machinery/quantity.ts'

/** Amounts by resource name, as objects write them. */
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

/** What a sum of a pod is made of. */
export interface PodAmounts {
  readonly containers?: readonly ContainerAmounts[]
  readonly initContainers?: readonly ContainerAmounts[]
  readonly overhead?: Written
  readonly resources?: Resources
}

/** The part of a status that says what a pod holds while it is resized in place. */
export interface PodStatusAmounts {
  readonly containerStatuses?: readonly StatusAmounts[]
  readonly initContainerStatuses?: readonly StatusAmounts[]
  readonly conditions?: readonly { readonly type: string; readonly reason?: string }[]
}

/** How amounts are counted. */
export interface AmountAlgebra<T> {
  /** Reads an amount of a resource as objects write it. */
  read(resource: string, written: string | number): T
  add(a: T, b: T): T
  larger(a: T, b: T): T
}

/** Amounts by resource name. */
export type Totals<T> = Map<string, T>
export type ResourceTotals = Totals<Quantity>

export interface SumOptions {
  /** Count what a status says of a pod that is resized in place: it holds the largest of what was asked, allotted and used. */
  readonly status?: PodStatusAmounts | undefined
  /** What a container that does not ask for a resource is taken to ask for, as objects would write it. */
  readonly missing?: Written | undefined
}

const quantities: AmountAlgebra<Quantity> = {
  read: (_, written) => parseQuantity(written),
  add: (a, b) => a.add(b),
  larger: (a, b) => (a.compare(b) < 0 ? b : a),
}

/** What a pod asks for, exactly. */
export function podRequests(spec: PodAmounts, options: SumOptions = {}): ResourceTotals {
  return sumOfPod(quantities, spec, 'requests', options)
}

/** The same for limits. The overhead counts only for what is limited. */
export function podLimits(spec: PodAmounts): ResourceTotals {
  return sumOfPod(quantities, spec, 'limits')
}

/**
 * What a pod takes: its containers and sidecars together, or the largest init container beside the sidecars started before it, whichever is
 * more; pod-level amounts of cpu, memory and huge pages replace the sum; the overhead comes on top (KEP-753, KEP-2837, KEP-1287).
 */
export function sumOfPod<T>(algebra: AmountAlgebra<T>, spec: PodAmounts, of: 'requests' | 'limits', options: SumOptions = {}): Totals<T> {
  const sum = new PodSum(algebra, of, options)
  const { containerStatuses, initContainerStatuses } = options.status ?? {}
  const total: Totals<T> = new Map()
  for (const container of spec.containers ?? []) sum.add(total, sum.ofContainer(container, containerStatuses))
  const sidecars: Totals<T> = new Map()
  const peak: Totals<T> = new Map()
  for (const container of spec.initContainers ?? []) {
    if (container.restartPolicy === 'Always') {
      const own = sum.ofContainer(container, initContainerStatuses)
      sum.add(sidecars, own)
      sum.add(total, own)
      sum.raise(peak, sidecars)
    } else {
      // Only sidecars are resized in place.
      const own = sum.ofContainer(container, undefined)
      sum.add(own, sidecars)
      sum.raise(peak, own)
    }
  }
  sum.raise(total, peak)
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

/** The resources that a pod may ask for as a whole. */
const isPodLevel = (name: string): boolean => name === 'cpu' || name === 'memory' || name.startsWith('hugepages-')

class PodSum<T> {
  readonly #algebra: AmountAlgebra<T>
  readonly #of: 'requests' | 'limits'
  readonly #missing: Written | undefined
  /** A resize that can never be carried out asks for nothing. */
  readonly #infeasible: boolean

  constructor(algebra: AmountAlgebra<T>, of: 'requests' | 'limits', { status, missing }: SumOptions) {
    this.#algebra = algebra
    this.#of = of
    this.#missing = missing
    this.#infeasible = status?.conditions?.some((c) => c.type === 'PodResizePending' && c.reason === 'Infeasible') ?? false
  }

  ofContainer(container: ContainerAmounts, statuses: readonly StatusAmounts[] | undefined): Totals<T> {
    const status = statuses?.find((s) => s.name === container.name)
    const resizing = status?.resources !== undefined && this.#of === 'requests'
    const own = this.#read(resizing && this.#infeasible ? undefined : container.resources?.[this.#of])
    if (resizing) {
      this.raise(own, this.#read(status.resources?.requests))
      this.raise(own, this.#read(status.allocatedResources))
    }
    if (this.#missing !== undefined)
      for (const [name, written] of Object.entries(this.#missing)) if (!own.has(name)) own.set(name, this.#algebra.read(name, written))
    return own
  }

  #read(list: Written | undefined): Totals<T> {
    const totals: Totals<T> = new Map()
    for (const name in list) {
      const written = list[name]
      if (written !== undefined) totals.set(name, this.#algebra.read(name, written))
    }
    return totals
  }

  add(into: Totals<T>, more: Totals<T>): void {
    for (const [name, amount] of more) {
      const found = into.get(name)
      into.set(name, found === undefined ? amount : this.#algebra.add(found, amount))
    }
  }

  raise(into: Totals<T>, floor: Totals<T>): void {
    for (const [name, amount] of floor) {
      const found = into.get(name)
      into.set(name, found === undefined ? amount : this.#algebra.larger(found, amount))
    }
  }
}
