import { timestamp } from '../../base/clock.ts'
import { cidrContains, parseCidr, parseIp } from '../../machinery/ip-address.ts'
import type { Condition } from '../../resources/types/meta.ts'
import type { IPAddress, ServiceCIDR } from '../../resources/types/networking.ts'

export const CIDR_FINALIZER = 'networking.k8s.io/service-cidr-finalizer'
/** An address that is allocated during the deletion has this long to appear. As upstream. */
export const DELETION_GRACE_MS = 10_000

/** What becomes of a range: it is protected and reported as ready; a deleted one is kept while its addresses are in use. */
export type ServiceCidrPlan =
  | { readonly step: 'nothing' }
  | { readonly step: 'set-finalizers'; readonly finalizers: readonly string[] }
  | { readonly step: 'wait'; readonly ms: number }
  | { readonly step: 'report'; readonly condition: Condition }

type Report = Pick<Condition, 'status' | 'reason' | 'message'>
const READY: Report = { status: 'True', reason: '', message: 'Kubernetes Service CIDR is ready' }
const IN_USE: Report = {
  status: 'False',
  reason: 'Terminating',
  message: 'There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR',
}

/** One step at a time; its event leads to the next. Pure. */
export function planServiceCidr(
  object: ServiceCIDR,
  others: readonly ServiceCIDR[],
  addresses: readonly IPAddress[],
  nowMs: number,
): ServiceCidrPlan {
  const { finalizers = [] } = object.metadata
  const held = finalizers.includes(CIDR_FINALIZER)
  if (object.metadata.deletionTimestamp === undefined) {
    if (!held) return { step: 'set-finalizers', finalizers: [...finalizers, CIDR_FINALIZER] }
    return report(object, READY, nowMs)
  }
  if (!held) return { step: 'nothing' }
  if (addresses.some((a) => holds(object, a) && !others.some((o) => o.metadata.deletionTimestamp === undefined && holds(o, a))))
    return report(object, IN_USE, nowMs)
  const waitMs = Date.parse(object.metadata.deletionTimestamp) + DELETION_GRACE_MS - nowMs
  return waitMs > 0 ? { step: 'wait', ms: waitMs } : { step: 'set-finalizers', finalizers: finalizers.filter((f) => f !== CIDR_FINALIZER) }
}

/** The condition is this controller's alone: what others write there is replaced. */
function report(object: ServiceCIDR, now: Report, nowMs: number): ServiceCidrPlan {
  const { status, reason, message } = object.status?.conditions?.find((c) => c.type === 'Ready') ?? {}
  if (status === now.status && reason === now.reason && message === now.message) return { step: 'nothing' }
  return { step: 'report', condition: { type: 'Ready', lastTransitionTime: timestamp(nowMs), ...now } }
}

/** Whether an IPAddress, which is named after its address, is in a range. */
function holds(range: ServiceCIDR, address: IPAddress): boolean {
  const ip = parseIp(address.metadata.name ?? '')
  return (
    ip !== undefined &&
    (range.spec?.cidrs ?? []).some((text: string) => {
      const cidr = parseCidr(text)
      return cidr !== undefined && cidrContains(cidr, ip)
    })
  )
}
