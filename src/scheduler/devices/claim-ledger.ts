import type { AllocationResult, ResourceClaim } from '../../resources/types/resource.ts'
import type { Listers } from '../framework/listers.ts'
import { podOfSpecialClaim } from './extended-resources.ts'
import { type InUse, inUse, isSameUse } from './in-use.ts'
import { indexSlices, type SliceIndex } from './pools.ts'

/** An allocation that is decided, and perhaps written, and not yet seen in the claim. */
export interface PendingAllocation {
  readonly allocation: AllocationResult
  /** The uid of the pod for which it was decided. */
  readonly pod: string
  /** The claim's version when it was written. */
  version?: string
}

/**
 * What is allocated: by the claims, and by decisions that are not yet seen in them. Overviews of all claims and slices are kept until one
 * of them changes, or until other listers are used (reports try changes on a copy).
 */
export class ClaimLedger {
  /** By the claim's uid; for a claim that is not written yet by `pod/UID`. */
  readonly #decided = new Map<string, PendingAllocation>()
  #changes = 0
  #used:
    | { readonly of: Listers; readonly at: string; readonly used: InUse; readonly specials: ReadonlyMap<string, ResourceClaim> }
    | undefined
  #slices: { readonly of: Listers; readonly at: number; readonly index: SliceIndex } | undefined

  decide(key: string, decided: PendingAllocation): void {
    this.#decided.set(key, decided)
    this.#changes++
  }

  decidedFor(key: string): PendingAllocation | undefined {
    return this.#decided.get(key)
  }

  /** Forgets what was decided; undone or seen. */
  forget(key: string): void {
    if (this.#decided.delete(key)) this.#changes++
  }

  allocationOf(claim: ResourceClaim): AllocationResult | undefined {
    const key = claim.metadata.uid ?? ''
    const decided = this.#decided.get(key)
    if (decided === undefined) return claim.status?.allocation
    if (decided.version === undefined) return claim.status?.allocation ?? decided.allocation
    if (!isOlder(claim, decided.version)) {
      this.forget(key)
      return claim.status?.allocation
    }
    return decided.allocation
  }

  used(listers: Listers): InUse {
    return this.#overview(listers).used
  }

  /** The claim that was made for a pod's extended resources. */
  specialOf(podUid: string, listers: Listers): ResourceClaim | undefined {
    return this.#overview(listers).specials.get(podUid)
  }

  slices(listers: Listers): SliceIndex {
    const at = listers.version('resourceslices')
    if (this.#slices?.of !== listers || this.#slices.at !== at)
      this.#slices = { of: listers, at, index: indexSlices(listers.list('resourceslices', '')) }
    return this.#slices.index
  }

  #overview(listers: Listers) {
    const at = `${listers.version('resourceclaims')} ${this.#changes}`
    if (this.#used?.of === listers && this.#used.at === at) return this.#used
    const claims = listers.list('resourceclaims', '')
    const uids = new Set(claims.map((c) => c.metadata.uid ?? ''))
    // Written and deleted again before it was read.
    for (const [key, { version }] of this.#decided)
      if (version !== undefined && !uids.has(key) && !key.startsWith(UNWRITTEN)) this.#decided.delete(key)
    const allocations = claims.map((c) => this.allocationOf(c))
    const unseen = [...this.#decided].filter(([key]) => !uids.has(key)).map(([, d]) => d.allocation)
    const specials = new Map(
      claims.flatMap((c): [string, ResourceClaim][] => {
        const pod = podOfSpecialClaim(c)
        return pod === undefined ? [] : [[pod, c]]
      }),
    )
    const used = inUse([...allocations, ...unseen])
    const known = this.#used?.of === listers ? this.#used : undefined
    this.#used = {
      of: listers,
      at: `${listers.version('resourceclaims')} ${this.#changes}`,
      // An allocation that was decided and is now observed in its claim changes nothing: running searches for devices stay valid.
      used: known !== undefined && isSameUse(known.used, used) ? known.used : used,
      specials,
    }
    return this.#used
  }
}

const UNWRITTEN = 'pod/'

/** What is decided for a pod's extended resources, for which there is no claim yet. */
export const specialKey = (podUid: string) => `${UNWRITTEN}${podUid}`

/** Versions of one API server are numbers that grow. */
function isOlder({ metadata }: ResourceClaim, version: string): boolean {
  const own = metadata.resourceVersion ?? ''
  return /^\d+$/.test(own) && /^\d+$/.test(version) ? BigInt(own) < BigInt(version) : own !== version
}

/** The later of two states of a claim. */
export const laterOf = (a: ResourceClaim, b: ResourceClaim | undefined): ResourceClaim =>
  b === undefined || b.metadata.uid !== a.metadata.uid || isOlder(b, a.metadata.resourceVersion ?? '') ? a : b
