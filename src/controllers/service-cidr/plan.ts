import { timestamp } from '../../base/clock.ts'
import { cidrContains, parseCidr, parseIp } from '../../machinery/ip-address.ts'
import type { KubeObject } from '../../machinery/object.ts'

export const CIDR_FINALIZER = 'networking.k8s.io/service-cidr-finalizer'
/** An address that is being given out in the moment of the deletion has this long to appear. */
export const DELETION_GRACE_MS = 10_000

/** What becomes of a range: it is made ready, kept while addresses of it are in use, or let go. */
export type ServiceCidrPlan =
  | { readonly step: 'nothing' | 'protect' | 'let go' }
  | { readonly step: 'wait'; readonly ms: number }
  | { readonly step: 'tell'; readonly status: KubeObject['status'] }

const READY = { status: 'True', reason: '', message: 'Kubernetes Service CIDR is ready' }
const IN_USE = {
  status: 'False',
  reason: 'Terminating',
  message: 'There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR',
}

/** One step at a time; after it the object is looked at again. Pure. */
export function planServiceCidr(
  object: KubeObject,
  others: readonly KubeObject[],
  addresses: readonly KubeObject[],
  nowMs: number,
): ServiceCidrPlan {
  const held = object.metadata.finalizers?.includes(CIDR_FINALIZER) === true
  if (object.metadata.deletionTimestamp === undefined) {
    if (!held) return { step: 'protect' }
    // A range that was told not to be ready by somebody stays so.
    return conditionOf(object) === undefined ? tell(object, READY, nowMs) : { step: 'nothing' }
  }
  if (!held) return { step: 'nothing' }
  if (addresses.some((a) => holds(object, a) && !others.some((o) => o.metadata.deletionTimestamp === undefined && holds(o, a))))
    return tell(object, IN_USE, nowMs)
  const waitMs = Date.parse(object.metadata.deletionTimestamp) + DELETION_GRACE_MS - nowMs
  return waitMs > 0 ? { step: 'wait', ms: waitMs } : { step: 'let go' }
}

interface Condition {
  readonly type: string
  readonly status: string
  readonly lastTransitionTime?: string
}

const conditionOf = (object: KubeObject): Condition | undefined => object.status?.conditions?.find((c: Condition) => c.type === 'Ready')

function tell(object: KubeObject, now: typeof READY, nowMs: number): ServiceCidrPlan {
  const before = conditionOf(object)
  if (before?.status === now.status) return { step: 'nothing' }
  const conditions = (object.status?.conditions ?? []).filter((c: Condition) => c.type !== 'Ready')
  return {
    step: 'tell',
    status: { ...object.status, conditions: [...conditions, { type: 'Ready', lastTransitionTime: timestamp(nowMs), ...now }] },
  }
}

/** Whether an IPAddress, which is named after its address, lies in a range. */
function holds(range: KubeObject, address: KubeObject): boolean {
  const ip = parseIp(address.metadata.name ?? '')
  return (
    ip !== undefined &&
    (range.spec?.cidrs ?? []).some((text: string) => {
      const cidr = parseCidr(text)
      return cidr !== undefined && cidrContains(cidr, ip)
    })
  )
}
