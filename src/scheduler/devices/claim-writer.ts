import { timestamp } from '../../base/clock.ts'
import { messageOf } from '../../base/message-of.ts'
import { ignoring } from '../../machinery/ignoring.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { PODS, RESOURCE_CLAIMS } from '../../resources/refs.ts'
import type { AllocationResult, ResourceClaim } from '../../resources/types/resource.ts'
import type { Client } from '../../sdk/client/client.ts'
import type { PodInfo } from '../cache/pod-info.ts'
import type { RequestMapping } from './extended-resources.ts'

const FINALIZER = 'resource.kubernetes.io/delete-protection'
const TRIES = 5

const targetOf = ({ metadata }: ResourceClaim) => ({ ...RESOURCE_CLAIMS, namespace: metadata.namespace ?? '', name: metadata.name ?? '' })
const titleOf = ({ metadata }: ResourceClaim) => `claim ${metadata.namespace}/${metadata.name}`

export interface Binding {
  readonly claim: ResourceClaim
  readonly pod: PodInfo
  /** The allocation to write; undefined: it has one. */
  readonly allocation: AllocationResult | undefined
  /** The allocation was decided for another pod that shares the claim and may have written it. */
  readonly shared: boolean
  readonly nowMs: number
}

/** Writes a claim's new allocation and the pod's reservation. On a conflict it tries again with the latest state. */
export async function bindClaim(binding: Binding, client: Client): Promise<ResourceClaim> {
  let claim = binding.claim
  for (let tries = 1; ; tries++) {
    try {
      return await bindOnce({ ...binding, claim }, client)
    } catch (error) {
      if (!(error instanceof ClaimWriteError) || !isStatus(error.cause, 'Conflict') || tries >= TRIES) throw error
      claim = await latest(claim, client)
    }
  }
}

/**
 * Why a claim was not written. `rejected`: the API server refused the write, and its error is the `cause`; otherwise the claim has changed.
 */
export class ClaimWriteError extends Error {
  override readonly name = 'ClaimWriteError'
  readonly code: 'rejected' | 'replaced' | 'deleted' | 'allocated' | 'deallocated'

  constructor(code: ClaimWriteError['code'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

const failing = (what: string) => (cause: unknown) => {
  throw new ClaimWriteError('rejected', `${what}: ${messageOf(cause)}`, { cause })
}

async function latest(claim: ResourceClaim, client: Client): Promise<ResourceClaim> {
  const now = await client.get(targetOf(claim)).catch(failing(`get updated ${titleOf(claim)} after conflict`))
  if (now.metadata.uid !== claim.metadata.uid)
    throw new ClaimWriteError('replaced', `${titleOf(claim)} was replaced by another one of that name`)
  return now
}

async function bindOnce({ claim, pod, allocation: fresh, shared, nowMs }: Binding, client: Client): Promise<ResourceClaim> {
  const target = targetOf(claim)
  if (claim.metadata.deletionTimestamp !== undefined) throw new ClaimWriteError('deleted', `${titleOf(claim)} got deleted in the meantime`)
  if (fresh !== undefined && !shared && claim.status?.allocation !== undefined)
    throw new ClaimWriteError('allocated', `${titleOf(claim)} got allocated elsewhere in the meantime`)
  let current = claim
  const { finalizers = [] } = claim.metadata
  if (fresh !== undefined && !finalizers.includes(FINALIZER)) {
    const metadata = { ...claim.metadata, finalizers: [...finalizers, FINALIZER] }
    current = await client.update(target, { ...claim, metadata }).catch(failing(`add finalizer to ${titleOf(claim)}`))
  }
  const status = current.status ?? {}
  const chosen = status.allocation ?? fresh
  if (chosen === undefined) throw new ClaimWriteError('deallocated', `${titleOf(claim)} got deallocated elsewhere in the meantime`)
  const reservedFor = status.reservedFor ?? []
  const mine = { resource: 'pods', name: pod.pod.metadata.name ?? '', uid: pod.uid }
  const next = {
    ...status,
    allocation: { ...chosen, allocationTimestamp: chosen.allocationTimestamp ?? timestamp(nowMs) },
    reservedFor: reservedFor.some((r) => r.uid === mine.uid) ? reservedFor : [...reservedFor, mine],
  }
  const what = fresh === undefined || status.allocation !== undefined ? 'add reservation to' : 'add allocation and reservation to'
  const written = await client
    .update({ ...target, subresource: 'status' }, { ...current, status: next })
    .catch(failing(`${what} ${titleOf(claim)}`))
  return written
}

/** Deallocates a claim that no pod has reserved, so that other nodes or claims can have its devices. */
export async function deallocate(claim: ResourceClaim, client: Client): Promise<void> {
  const { allocation: _a, reservedFor: _r, devices: _d, ...status } = claim.status ?? {}
  await client.update({ ...targetOf(claim), subresource: 'status' }, { ...claim, status })
}

/** The pod will not use the claim: removes its reservation. */
export async function unreserve(claim: ResourceClaim, pod: PodInfo, client: Client): Promise<void> {
  const patch = { metadata: { uid: claim.metadata.uid ?? '' }, status: { reservedFor: [{ $patch: 'delete', uid: pod.uid }] } }
  await client.patch({ ...targetOf(claim), subresource: 'status' }, 'strategic', patch).catch(ignoring('NotFound', 'Conflict'))
}

/** Creates the claim for a pod's extended resources. */
export async function createSpecialClaim(claim: ResourceClaim, client: Client): Promise<ResourceClaim> {
  const namespace = claim.metadata.namespace ?? ''
  const made = await client
    .create({ ...RESOURCE_CLAIMS, namespace }, claim)
    .catch(failing(`create claim for extended resources ${namespace}/`))
  return made
}

/** Takes the finalizer off and deletes the claim. */
export async function deleteSpecialClaim(claim: ResourceClaim, client: Client): Promise<void> {
  const remove = async () => {
    const current = await client.get(targetOf(claim))
    if (current.metadata.uid !== claim.metadata.uid) return
    const finalizers = (current.metadata.finalizers ?? []).filter((f) => f !== FINALIZER)
    if (finalizers.length !== (current.metadata.finalizers ?? []).length)
      await client.update(targetOf(claim), { ...current, metadata: { ...current.metadata, finalizers } })
    await client.delete(targetOf(claim), { preconditions: { uid: claim.metadata.uid ?? '' } })
  }
  await remove().catch(ignoring('NotFound', 'Conflict'))
}

/** Writes to the pod's status which request serves which container, for the node. */
export async function writeMappings(
  { pod, namespace, uid }: PodInfo,
  claim: ResourceClaim,
  mappings: readonly RequestMapping[],
  client: Client,
): Promise<void> {
  const name = pod.metadata.name ?? ''
  const extendedResourceClaimStatus = { requestMappings: mappings.map((m) => ({ ...m })), resourceClaimName: claim.metadata.name ?? '' }
  await client
    .patch({ ...PODS, namespace, name, subresource: 'status' }, 'strategic', { metadata: { uid }, status: { extendedResourceClaimStatus } })
    .catch(failing(`update pod ${namespace}/${name} ExtendedResourceClaimStatus`))
}
