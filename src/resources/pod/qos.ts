import { Quantity, tryParseQuantity } from '../../machinery/quantity.ts'
import type { PodAmounts, Written } from './pod-requests.ts'

export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort'

/** The quality-of-service class of a pod, by its own requests and limits, empty ones too, else by those of its containers. */
export function qosClass(spec: PodAmounts): QosClass {
  const parts = spec.resources
    ? [spec.resources]
    : [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map((c) => c.resources ?? {})
  const requests = new Map<string, Quantity>()
  const limits = new Map<string, Quantity>()
  let guaranteed = true
  for (const part of parts) {
    gather(requests, part.requests)
    const found = gather(limits, part.limits)
    if (!found.has('cpu') || !found.has('memory')) guaranteed = false
  }
  if (requests.size === 0 && limits.size === 0) return 'BestEffort'
  for (const [name, quantity] of requests) if (!limits.get(name)?.equals(quantity)) guaranteed = false
  return guaranteed && requests.size === limits.size ? 'Guaranteed' : 'Burstable'
}

/** The resources that determine the class. */
const COMPUTE = ['cpu', 'memory']

function gather(into: Map<string, Quantity>, list: Written | undefined): ReadonlySet<string> {
  const found = new Set<string>()
  for (const name of COMPUTE) {
    const text = list?.[name]
    const quantity = text === undefined ? undefined : tryParseQuantity(text)
    if (quantity === undefined || quantity.sign() <= 0) continue
    found.add(name)
    into.set(name, (into.get(name) ?? Quantity.of(0)).add(quantity))
  }
  return found
}
