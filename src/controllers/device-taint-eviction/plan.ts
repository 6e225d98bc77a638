import type { KubeObject } from '../../machinery/object.ts'

interface Toleration {
  readonly key?: string
  readonly operator?: string
  readonly value?: string
  readonly effect?: string
  readonly tolerationSeconds?: number
}

interface Taint {
  readonly key: string
  readonly value?: string
  readonly effect: string
  readonly timeAdded?: string
}

interface Result {
  readonly driver: string
  readonly pool: string
  readonly device: string
  readonly tolerations?: readonly Toleration[]
}

interface Device {
  readonly name: string
  readonly taints?: readonly Taint[]
}

export const resultsOf = (claim: KubeObject): readonly Result[] => claim.status?.allocation?.devices?.results ?? []

/** The claims that a placed pod uses: allocated, reserved for it, and, where they were made for a pod, for this one. */
export function claimsInUse(pod: KubeObject, claimOf: (name: string) => KubeObject | undefined): readonly KubeObject[] {
  if (!pod.spec?.nodeName) return []
  const made: readonly { name: string; resourceClaimName?: string }[] = pod.status?.resourceClaimStatuses ?? []
  const entries: readonly { name: string; resourceClaimName?: string }[] = pod.spec?.resourceClaims ?? []
  return entries.flatMap((entry) => {
    const name = entry.resourceClaimName ?? made.find((s) => s.name === entry.name)?.resourceClaimName
    const claim = name === undefined ? undefined : claimOf(name)
    if (claim?.status?.allocation === undefined) return []
    const owner = claim.metadata.ownerReferences?.find((o) => o.controller === true)
    if (entry.resourceClaimName === undefined && owner?.uid !== pod.metadata.uid) return []
    const users: readonly { uid: string }[] = claim.status.reservedFor ?? []
    return users.some((r) => r.uid === pod.metadata.uid) ? [claim] : []
  })
}

/** When a pod with these claims has to go, in milliseconds since the epoch; undefined: it may stay. `slicesOf` gives the slices of a pool. */
export function evictionTime(
  claims: readonly KubeObject[],
  slicesOf: (driver: string, pool: string) => readonly KubeObject[],
): number | undefined {
  const times = claims.flatMap(resultsOf).flatMap((result) => {
    const slices = slicesOf(result.driver, result.pool)
    const generation = Math.max(...slices.map((s) => Number(s.spec?.pool?.generation ?? 0)))
    const devices: readonly Device[] = slices.flatMap((s) => (s.spec?.pool?.generation === generation ? (s.spec?.devices ?? []) : []))
    const taints = devices.find((d) => d.name === result.device)?.taints ?? []
    return taints.flatMap((taint) => endOf(taint, result.tolerations ?? []) ?? [])
  })
  return times.length === 0 ? undefined : Math.min(...times)
}

/** When a taint ends the use of a device; only tolerations that name the effect NoExecute put it off. */
function endOf(taint: Taint, tolerations: readonly Toleration[]): number | undefined {
  if (taint.effect !== 'NoExecute') return undefined
  const since = taint.timeAdded === undefined ? 0 : Date.parse(taint.timeAdded)
  const standing = tolerations.filter((t) => t.effect === 'NoExecute' && tolerates(t, taint))
  if (standing.some((t) => t.tolerationSeconds === undefined)) return undefined
  return since + (standing.length === 0 ? 0 : Math.min(...standing.map((t) => Math.max(0, t.tolerationSeconds ?? 0))) * 1000)
}

function tolerates({ key, operator, value }: Toleration, taint: Taint): boolean {
  if (key && key !== taint.key) return false
  return (
    operator === 'Exists' || ((operator === undefined || operator === '' || operator === 'Equal') && (value ?? '') === (taint.value ?? ''))
  )
}
