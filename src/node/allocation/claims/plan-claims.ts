import type {
  ClaimReference,
  NodePrepareResourcesResponse,
  NodeUnprepareResourcesResponse,
  PreparedDevice,
} from '../../../sdk/node-api/dra-plugin.ts'
import { ClaimError } from './claim.ts'
import type { PreparedClaim, PreparedClaims } from './prepared-claims.ts'

/** The calls of drivers, and the state to record before them. */
export interface ClaimPlan {
  /** The claims to record, whatever the drivers respond. */
  readonly known: readonly PreparedClaim[]
  /** One call a driver. */
  readonly batches: ReadonlyMap<string, readonly ClaimReference[]>
  /** The claims that the calls are about: they are prepared, or gone, when all drivers have succeeded. */
  readonly requested: readonly PreparedClaim[]
}

/** Plans the preparation of a pod's claims. Claims that are prepared already only get another user. Throws `ClaimError`. Pure. */
export function planPrepare(claims: PreparedClaims, pod: string, wanted: readonly Omit<PreparedClaim, 'pods'>[]): ClaimPlan {
  const known = new Map<string, PreparedClaim>()
  for (const want of wanted) {
    const before = claims.get(want.namespace, want.name)
    if (before !== undefined && before.uid !== want.uid) {
      const why = `old ResourceClaim with same name ${want.name} and different UID ${before.uid} still exists`
      throw new ClaimError(`${why} (previous pod force-deleted?!)`)
    }
    known.set(want.uid, { ...want, ...before, pods: new Set([...(before?.pods ?? []), pod]) })
  }
  const requested = [...known.values()].filter((c) => !c.prepared)
  return { known: [...known.values()], batches: batchesOf(requested), requested }
}

/** Plans the unpreparation of a pod's claims. Claims that others use only lose a user. Pure. */
export function planUnprepare(claims: PreparedClaims, pod: string): ClaimPlan {
  const without = (c: PreparedClaim) => ({ ...c, pods: new Set([...c.pods].filter((uid) => uid !== pod)) })
  const used = claims.ofPod(pod)
  const requested = used.filter((c) => c.pods.size === 1)
  // A driver may unprepare a claim and then fail: the claim has to be prepared again before another pod uses it.
  const unsure = requested.map((c) => ({ ...c, prepared: false }))
  return { known: [...used.filter((c) => c.pods.size > 1).map(without), ...unsure], batches: batchesOf(requested), requested }
}

function batchesOf(requested: readonly PreparedClaim[]): ReadonlyMap<string, readonly ClaimReference[]> {
  const batches = new Map<string, ClaimReference[]>()
  for (const { namespace, uid, name, drivers } of requested) {
    for (const driver of drivers.keys()) batches.set(driver, [...(batches.get(driver) ?? []), { namespace, uid, name }])
  }
  return batches
}

/** Limits of one driver's response: devices of a claim, and CDI names and requests of a device. */
export const MOST_PREPARED = { devices: 1024, names: 256 } as const
/** Length limit of a driver's message in an event, in characters. */
const MOST_WORDS = 1024

/** What a driver has prepared, by claim UID. Throws `ClaimError` if a claim is missing, invalid or refused. Pure. */
export function readPrepared(
  requested: readonly ClaimReference[],
  answer: NodePrepareResourcesResponse,
): ReadonlyMap<string, readonly PreparedDevice[]> {
  checkResponse('NodePrepareResources', requested, answer.claims)
  for (const { name, uid } of requested) {
    const fault = preparedFault(answer.claims.get(uid)?.devices ?? [])
    if (fault !== undefined) throw new ClaimError(`NodePrepareResources failed for ResourceClaim ${name}: the driver answers with ${fault}`)
  }
  return new Map(requested.map(({ uid }) => [uid, answer.claims.get(uid)?.devices ?? []]))
}

/** Throws `ClaimError` if a claim is missing, invalid or refused. Pure. */
export function checkUnprepared(requested: readonly ClaimReference[], answer: NodeUnprepareResourcesResponse): void {
  checkResponse('NodeUnprepareResources', requested, answer.claims)
}

function checkResponse(
  method: string,
  requested: readonly ClaimReference[],
  reported: ReadonlyMap<string, { readonly error: string }>,
): void {
  for (const [uid, { error }] of reported) {
    const claim = requested.find((c) => c.uid === uid)
    if (claim === undefined) throw new ClaimError(`${method} returned result for unknown claim UID ${uid.slice(0, MOST_WORDS)}`)
    if (error !== '') throw new ClaimError(`${method} failed for ResourceClaim ${claim.name}: ${error.slice(0, MOST_WORDS)}`)
  }
  if (reported.size !== requested.length) throw new ClaimError(`${method} skipped ${requested.length - reported.size} ResourceClaims`)
}

function preparedFault(devices: readonly PreparedDevice[]): string | undefined {
  if (devices.length > MOST_PREPARED.devices) return `${devices.length} devices, and may with ${MOST_PREPARED.devices}`
  for (const { cdiDeviceIds, requestNames } of devices) {
    const most = Math.max(cdiDeviceIds.length, requestNames.length)
    if (most > MOST_PREPARED.names) return `${most} names of one device, and may with ${MOST_PREPARED.names}`
    const wrong = cdiDeviceIds.find((id) => !/^[^/=\s]+\/[^/=\s]+=[^=\s]+$/.test(id))
    if (wrong !== undefined) return `a CDI device with the name ${JSON.stringify(wrong.slice(0, 200))}`
  }
  return undefined
}
