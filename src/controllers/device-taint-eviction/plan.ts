import { millisecondsOf } from '../../machinery/go/go-duration.ts'
import type { Pod } from '../../resources/types/core.ts'
import type {
  DeviceRequestAllocationResult,
  DeviceTaint,
  DeviceToleration,
  ResourceClaim,
  ResourceSlice,
} from '../../resources/types/resource.ts'

export const resultsOf = (claim: ResourceClaim): readonly DeviceRequestAllocationResult[] =>
  claim.status?.allocation?.devices?.results ?? []

/** The claims that a placed pod uses: allocated, reserved for it, and, where they were made for a pod, for this one. */
export function claimsInUse(pod: Pod, claimOf: (name: string) => ResourceClaim | undefined): readonly ResourceClaim[] {
  if (!pod.spec.nodeName) return []
  const created = pod.status?.resourceClaimStatuses ?? []
  return (pod.spec.resourceClaims ?? []).flatMap((entry) => {
    const name = entry.resourceClaimName ?? created.find((s) => s.name === entry.name)?.resourceClaimName
    const claim = name === undefined ? undefined : claimOf(name)
    if (claim?.status?.allocation === undefined) return []
    const owner = claim.metadata.ownerReferences?.find((o) => o.controller === true)
    if (entry.resourceClaimName === undefined && owner?.uid !== pod.metadata.uid) return []
    return (claim.status.reservedFor ?? []).some((r) => r.uid === pod.metadata.uid) ? [claim] : []
  })
}

/**
 * When a pod with these claims has to be deleted, in milliseconds since the epoch; undefined: it may stay. `slicesOf`: the slices of a
 * pool. Pure.
 */
export function evictionTime(
  claims: readonly ResourceClaim[],
  slicesOf: (driver: string, pool: string) => readonly ResourceSlice[],
): number | undefined {
  const times = claims.flatMap(resultsOf).flatMap((result) => {
    const slices = slicesOf(result.driver, result.pool)
    const generation = Math.max(...slices.map((s) => s.spec.pool.generation))
    const devices = slices.flatMap((s) => (s.spec.pool.generation === generation ? (s.spec.devices ?? []) : []))
    const taints = devices.find((d) => d.name === result.device)?.taints ?? []
    return taints.flatMap((taint) => endOf(taint, result.tolerations ?? []) ?? [])
  })
  return times.length === 0 ? undefined : Math.min(...times)
}

/** When a taint ends the use of a device; only tolerations that name the effect NoExecute put it off. */
function endOf(taint: DeviceTaint, tolerations: readonly DeviceToleration[]): number | undefined {
  if (taint.effect !== 'NoExecute') return undefined
  const since = taint.timeAdded === undefined ? 0 : Date.parse(taint.timeAdded)
  const tolerating = tolerations.filter((t) => t.effect === 'NoExecute' && tolerates(t, taint))
  if (tolerating.some((t) => t.tolerationSeconds === undefined)) return undefined
  return since + (tolerating.length === 0 ? 0 : Math.min(...tolerating.map((t) => Math.max(0, millisecondsOf(t.tolerationSeconds ?? 0)))))
}

function tolerates({ key, operator, value }: DeviceToleration, taint: DeviceTaint): boolean {
  if (key && key !== taint.key) return false
  return operator === 'Exists' || ((operator === undefined || operator === 'Equal') && (value ?? '') === (taint.value ?? ''))
}
