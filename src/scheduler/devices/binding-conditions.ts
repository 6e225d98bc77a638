import type { DeviceRequestAllocationResult, ResourceClaim } from '../../resources/types/resource.ts'

/** Whether what a claim was given is ready for its pod (KEP-5007). */
export type Readiness = { readonly kind: 'ready' } | { readonly kind: 'pending' } | { readonly kind: 'failed'; readonly message: string }

export function readinessOf(claim: ResourceClaim): Readiness {
  for (const result of claim.status?.allocation?.devices?.results ?? []) {
    if ((result.bindingConditions ?? []).length === 0) continue
    const conditions = conditionsOf(claim, result)
    const failed = (result.bindingFailureConditions ?? []).map((type) => conditions.find((c) => c.type === type && c.status === 'True'))
    const failure = failed.find((c) => c !== undefined)
    if (failure !== undefined) {
      const message = `device binding failed: claim=${claim.metadata.name}, reason=${failure.reason ?? ''}, message=${JSON.stringify(failure.message ?? '')}`
      return { kind: 'failed', message }
    }
    if (!result.bindingConditions?.every((type) => conditions.some((c) => c.type === type && c.status === 'True'))) return PENDING
  }
  return claim.status?.allocation === undefined ? PENDING : READY
}

const READY: Readiness = { kind: 'ready' }
const PENDING: Readiness = { kind: 'pending' }

const conditionsOf = ({ status }: ResourceClaim, { driver, pool, device }: DeviceRequestAllocationResult) =>
  status?.devices?.find((d) => d.device === device && d.driver === driver && d.pool === pool)?.conditions ?? []

export const isConditional = ({ status }: ResourceClaim) =>
  (status?.allocation?.devices?.results ?? []).some((r) => (r.bindingConditions ?? []).length > 0)

/** When the time for the conditions of a claim is over; undefined where nothing is waited for. */
export function deadlineOf(claim: ResourceClaim, timeoutMs: number): number | undefined {
  const since = claim.status?.allocation?.allocationTimestamp
  return since === undefined || !isConditional(claim) ? undefined : Date.parse(since) + timeoutMs
}
