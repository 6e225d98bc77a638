import type { ResourceClaim } from '../../resources/types/resource.ts'
import type { Client } from '../../sdk/client/client.ts'
import type { PodInfo } from '../cache/pod-info.ts'
import type { Listers } from '../framework/listers.ts'
import type { PreBindDeps } from '../framework/plugin.ts'
import { deadlineOf, isConditional, readinessOf } from './binding-conditions.ts'
import { type ClaimLedger, laterOf, specialKey } from './claim-ledger.ts'
import { bindClaim, createSpecialClaim, deleteSpecialClaim, unreserve, writeMappings } from './claim-writer.ts'
import type { ExtendedResourceClaim } from './node-search.ts'

/** How long a claim that was just written may take to come by the watch. */
const SEEN_WITHIN_MS = 120_000

/** What a pod was promised on its node, from Reserve to PostBind. */
interface ReservedClaims {
  readonly claims: readonly ResourceClaim[]
  /** By uid: those whose allocation was decided for this pod. */
  readonly open: ReadonlySet<string>
  readonly special: ExtendedResourceClaim | undefined
}

/** The same, and by uid the claims as they were written. */
interface UnderWay extends ReservedClaims {
  readonly written: Map<string, ResourceClaim>
}

export interface ClaimReservationsDeps {
  readonly ledger: ClaimLedger
  /** Absent: nothing is written. */
  readonly client: Client | undefined
  /** How long binding conditions are waited for, in milliseconds. */
  readonly bindingTimeoutMs: number
}

/** The claims that pods have reserved and not bound yet: writes them before the pod is bound, or takes them back. */
export class ClaimReservations {
  readonly #deps: ClaimReservationsDeps
  readonly #underWay = new Map<string, UnderWay>()
  /** By uid: the allocation whose binding conditions timed out. */
  readonly #overdue = new Map<string, string | undefined>()

  constructor(deps: ClaimReservationsDeps) {
    this.#deps = deps
  }

  /** Whether the binding conditions of the claim's present allocation have timed out. */
  isOverdue({ metadata, status }: ResourceClaim): boolean {
    const uid = metadata.uid ?? ''
    return this.#overdue.has(uid) && this.#overdue.get(uid) === status?.allocation?.allocationTimestamp
  }

  /** Reserves what was decided for the pod. `undo` takes it back when the pod is not bound after all. */
  reserve(pod: PodInfo, reserved: ReservedClaims): { readonly undo: () => Promise<void> } {
    const underWay = { ...reserved, written: new Map<string, ResourceClaim>() }
    this.#underWay.set(pod.uid, underWay)
    return { undo: () => this.#giveBack(pod, underWay) }
  }

  /** Writes the pod's claims and waits until they are ready on the node; undefined if it has none. */
  write(pod: PodInfo, node: string, deps: PreBindDeps): Promise<void> | undefined {
    const underWay = this.#underWay.get(pod.uid)
    return underWay && this.#write(pod, node, underWay, deps)
  }

  /** The pod is bound. */
  bound(pod: PodInfo): void {
    this.#underWay.delete(pod.uid)
  }

  async #write(pod: PodInfo, node: string, underWay: UnderWay, deps: PreBindDeps): Promise<void> {
    for (const claim of underWay.claims) underWay.written.set(claim.metadata.uid ?? '', await this.#bind(pod, claim, underWay, deps))
    if (underWay.special !== undefined) await this.#writeSpecial(pod, underWay.special, underWay, deps)
    await this.#untilReady(node, [...underWay.written.values()].filter(isConditional), deps)
  }

  async #bind(pod: PodInfo, claim: ResourceClaim, { open }: UnderWay, deps: PreBindDeps): Promise<ResourceClaim> {
    if ((claim.status?.reservedFor ?? []).some((r) => r.uid === pod.uid)) return claim
    const uid = claim.metadata.uid ?? ''
    const allocation = this.#deps.ledger.decidedFor(uid)?.allocation
    const written = await bindClaim({ claim, pod, allocation, shared: !open.has(uid), nowMs: deps.now() }, deps.client)
    const decided = this.#deps.ledger.decidedFor(uid)
    if (decided !== undefined) decided.version = written.metadata.resourceVersion ?? ''
    return written
  }

  async #writeSpecial(pod: PodInfo, special: ExtendedResourceClaim, { written }: UnderWay, deps: PreBindDeps): Promise<void> {
    const { ledger } = this.#deps
    const allocation = ledger.decidedFor(specialKey(pod.uid))?.allocation
    if (allocation === undefined) throw new Error('extended resource claim not found')
    const made = await createSpecialClaim(special.claim, deps.client)
    const uid = made.metadata.uid ?? ''
    written.set(uid, made)
    const bound = await bindClaim({ claim: made, pod, allocation, shared: false, nowMs: deps.now() }, deps.client)
    written.set(uid, bound)
    await writeMappings(pod, bound, special.mappings, deps.client)
    const seen = () => {
      const now = lookUp(bound, deps.listers)
      return now !== undefined && laterOf(bound, now) === now
    }
    // Until then the devices are kept by what was decided here.
    await deps.until(seen, SEEN_WITHIN_MS, `claim ${bound.metadata.namespace}/${bound.metadata.name} to be seen`)
    ledger.forget(specialKey(pod.uid))
  }

  async #untilReady(node: string, waited: readonly ResourceClaim[], deps: PreBindDeps): Promise<void> {
    if (waited.length === 0) return
    deps.record({ reason: 'BindingConditionsPending', message: `waiting for binding conditions for device on node ${node}` })
    const now = () => waited.map((claim) => laterOf(claim, lookUp(claim, deps.listers)))
    const isReady = () => now().every((claim) => readinessOf(claim).kind === 'ready')
    const deadline = Math.min(...waited.map((claim) => deadlineOf(claim, this.#deps.bindingTimeoutMs) ?? Number.POSITIVE_INFINITY))
    try {
      await deps.until(() => failureOf(now()) !== undefined || isReady(), Math.max(0, deadline - deps.now()), 'binding conditions')
    } catch (error) {
      const late = now().find((claim) => readinessOf(claim).kind === 'pending')
      if (late === undefined || deps.now() < deadline) throw error
      this.#overdue.set(late.metadata.uid ?? '', late.status?.allocation?.allocationTimestamp)
      throw new Error(`device binding timeout: claim=${late.metadata.name}`)
    }
    const failure = failureOf(now())
    if (failure !== undefined) throw new Error(failure)
  }

  /** The pod is not bound: what was decided for it is free again, and what was written is taken back. */
  async #giveBack(pod: PodInfo, { open, written, claims }: UnderWay): Promise<void> {
    const { ledger, client } = this.#deps
    this.#underWay.delete(pod.uid)
    for (const uid of open) if (!written.has(uid)) this.#forgetOwn(uid, pod)
    const made = [...written.values()]
    const named = new Set(claims.map((c) => c.metadata.uid))
    if (client !== undefined) {
      await Promise.allSettled(
        made.map((claim) => (named.has(claim.metadata.uid) ? unreserve(claim, pod, client) : deleteSpecialClaim(claim, client))),
      )
    }
    ledger.forget(specialKey(pod.uid))
  }

  /** Another pod that shares the claim may have written it meanwhile. */
  #forgetOwn(uid: string, pod: PodInfo): void {
    const { ledger } = this.#deps
    const decided = ledger.decidedFor(uid)
    if (decided?.pod === pod.uid && decided.version === undefined) ledger.forget(uid)
  }
}

/** Why claims that wait for binding conditions cannot become ready. */
function failureOf(claims: readonly ResourceClaim[]): string | undefined {
  for (const claim of claims) {
    const readiness = readinessOf(claim)
    if (readiness.kind === 'failed') return readiness.message
    if (claim.status?.allocation === undefined)
      return `claim ${claim.metadata.namespace}/${claim.metadata.name} got deallocated elsewhere in the meantime`
  }
  return undefined
}

const lookUp = ({ metadata }: ResourceClaim, listers: Listers) =>
  listers.get('resourceclaims', metadata.namespace ?? '', metadata.name ?? '')
