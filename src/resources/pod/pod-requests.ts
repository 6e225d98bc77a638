import { parseQuantity, Quantity } from '../../machinery/quantity.ts'

type Amounts = Readonly<Record<string, string | number>>

interface ContainerAmounts {
  readonly restartPolicy?: string
  readonly resources?: { readonly requests?: Amounts; readonly limits?: Amounts }
}

interface PodAmounts {
  readonly containers?: readonly ContainerAmounts[]
  readonly initContainers?: readonly ContainerAmounts[]
  readonly overhead?: Amounts
  readonly resources?: { readonly requests?: Amounts; readonly limits?: Amounts }
}

/** Amounts by resource name. */
export type ResourceTotals = Map<string, Quantity>

/**
 * What a pod asks for: its containers and sidecars together, or the largest init container beside the sidecars started before it, whichever is
 * more; pod-level requests override what they name; the overhead comes on top (KEP-753, KEP-2837).
 */
export function podRequests(spec: PodAmounts): ResourceTotals {
  return podTotals(spec, 'requests')
}

/** The same for limits. */
export function podLimits(spec: PodAmounts): ResourceTotals {
  return podTotals(spec, 'limits')
}

function podTotals(spec: PodAmounts, of: 'requests' | 'limits'): ResourceTotals {
  const total: ResourceTotals = new Map()
  for (const c of spec.containers ?? []) addAll(total, c.resources?.[of])
  const sidecars: ResourceTotals = new Map()
  const peak: ResourceTotals = new Map()
  for (const c of spec.initContainers ?? []) {
    if (c.restartPolicy === 'Always') {
      addAll(sidecars, c.resources?.[of])
      addAll(total, c.resources?.[of])
      raise(peak, sidecars)
    } else {
      const here = new Map(sidecars)
      addAll(here, c.resources?.[of])
      raise(peak, here)
    }
  }
  raise(total, peak)
  for (const [name, amount] of Object.entries(spec.resources?.[of] ?? {})) total.set(name, parseQuantity(amount))
  if (spec.overhead !== undefined) {
    for (const [name, amount] of Object.entries(spec.overhead)) {
      if (of === 'requests' || total.has(name)) total.set(name, (total.get(name) ?? Quantity.zero).add(parseQuantity(amount)))
    }
  }
  return total
}

function addAll(into: ResourceTotals, amounts: Amounts | undefined): void {
  for (const [name, amount] of Object.entries(amounts ?? {})) into.set(name, (into.get(name) ?? Quantity.zero).add(parseQuantity(amount)))
}

function raise(into: ResourceTotals, floor: ResourceTotals): void {
  for (const [name, amount] of floor) {
    const now = into.get(name)
    if (now === undefined || now.compare(amount) < 0) into.set(name, amount)
  }
}
