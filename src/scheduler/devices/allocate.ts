import type { Steps } from '../../base/steps.ts'
import type { AllocationResult, DeviceClass, ResourceClaim } from '../../resources/types/resource.ts'
import { allocationOf, type ChosenDevice } from './allocation.ts'
import { DeviceAllocationError } from './allocation-error.ts'
import { type Consumed, isLeft, sum } from './capacity.ts'
import { ClaimConstraints } from './constraints.ts'
import { Counters } from './counters.ts'
import type { DeviceSelectors } from './device-selectors.ts'
import type { InUse } from './in-use.ts'
import type { Pool, PoolDevice } from './pools.ts'
import { RequestOption, titleOf } from './request-option.ts'
import { type SearchBudget, SearchTimeout } from './search-budget.ts'
import { bearsTaints } from './tolerations.ts'

export interface AllocatorInput {
  /** Those that have no allocation yet. */
  readonly claims: readonly Readonly<ResourceClaim>[]
  readonly node: string
  readonly pools: readonly Pool[]
  readonly classes: (name: string) => Readonly<DeviceClass> | undefined
  readonly used: InUse
  readonly selectors: DeviceSelectors
  readonly budget: SearchBudget
  /** A new id for a share of a device. */
  readonly shareId: () => string
}

/** `invalid`: there is no solution, and some pool within reach is in disorder. `timed-out`: the budget did not last. */
export type Allocated =
  | { readonly kind: 'allocated'; readonly allocations: readonly AllocationResult[] }
  | { readonly kind: 'none' }
  | { readonly kind: 'invalid' }
  | { readonly kind: 'timed-out' }

/** As many devices as one claim may be given. */
export const MAX_RESULTS = 32

/**
 * Finds devices for all claims on one node: a search with backtracking over requests in their order, their alternatives in order of
 * preference, and devices in the order of their pools. Within a request it tries combinations, not permutations. Pure but for the ids of
 * shares: the first solution is always the same. Yields whenever a turn's worth of work is done.
 * @throws {Error} when the claims can be satisfied nowhere as they are written; the message is Kubernetes'
 */
export function* allocate(input: AllocatorInput): Steps<Allocated> {
  input.budget.beginNode()
  try {
    const found = yield* new Search(input).run()
    if (found !== undefined) return { kind: 'allocated', allocations: found }
    return { kind: input.pools.some((p) => p.invalid) ? 'invalid' : 'none' }
  } catch (error) {
    if (error instanceof SearchTimeout) return { kind: 'timed-out' }
    throw error
  }
}

/** `full`: more devices than a claim may have; other devices for earlier requests would not change that. */
type Outcome = 'found' | 'none' | 'full'

class Search {
  readonly #input: AllocatorInput
  readonly #devices: readonly PoolDevice[]
  /** By device: the claims that it was chosen for. */
  readonly #chosen = new Map<string, number[]>()
  readonly #shares = new Map<string, Consumed[]>()
  readonly #picks: ChosenDevice[] = []
  readonly #constraints: readonly ClaimConstraints[]
  /** By claim, then by request: its alternatives. */
  readonly #options: (readonly (readonly RequestOption[])[])[] = []
  #counters: Counters | undefined

  constructor(input: AllocatorInput) {
    this.#input = input
    this.#devices = input.pools.flatMap((p) => p.devices)
    this.#constraints = input.claims.map((claim) => new ClaimConstraints(claim.spec?.devices?.constraints ?? []))
  }

  *run(): Steps<readonly AllocationResult[] | undefined> {
    const { node, classes, shareId, claims, budget } = this.#input
    if (budget.spend(1 + this.#devices.length)) yield
    for (let i = 0; i < claims.length; i++) this.#options.push(yield* this.#optionsOf(i))
    if ((yield* this.#serveRequest(0, 0)) !== 'found') return undefined
    return claims.map((claim, i) =>
      allocationOf(
        claim,
        this.#picks.filter((p) => p.claim === i),
        { node, classes, shareId },
      ),
    )
  }

  *#optionsOf(claimIndex: number): Steps<readonly (readonly RequestOption[])[]> {
    const claim = this.#input.claims[claimIndex]
    if (claim === undefined) return []
    const options: RequestOption[][] = []
    for (const { name, exactly, firstAvailable = [] } of claim.spec?.devices?.requests ?? []) {
      const requests =
        exactly !== undefined
          ? [{ name, request: exactly }]
          : firstAvailable.map((request) => ({ name: `${name}/${request.name}`, request }))
      const made = requests.map((init) => new RequestOption({ claim, claimIndex, ...init }, this.#input))
      for (const option of made) if (option.request.allocationMode === 'All') yield* this.#takeAll(option)
      options.push(made)
    }
    const least = options.reduce((total, alternatives) => total + Math.min(...alternatives.map((o) => o.count)), 0)
    if (least > MAX_RESULTS)
      throw new DeviceAllocationError(
        'too-many-devices',
        `${titleOf(claim)}: number of requested devices ${least} exceeds the claim limit of ${MAX_RESULTS}`,
      )
    return options
  }

  /** AllocationResult mode All: every device that is selected, of pools that are whole. */
  *#takeAll(option: RequestOption): Steps<void> {
    const amiss = this.#input.pools.find((p) => p.incomplete || p.invalid)
    if (amiss !== undefined) {
      const state = amiss.incomplete ? 'being updated' : 'invalid'
      throw new DeviceAllocationError(
        'pool-not-ready',
        `${option.title}: asks for all devices, but resource pool ${amiss.driver}/${amiss.name} is currently ${state}`,
      )
    }
    const all: PoolDevice[] = []
    for (const device of this.#devices) {
      if (this.#input.budget.spend(1)) yield
      if ((yield* option.selects(device)) && this.#hasCapacity(option, device)) all.push(device)
    }
    option.all = all
    option.count = all.length
  }

  /** Tries the alternatives of one request, and everything behind it. */
  *#serveRequest(claim: number, index: number): Steps<Outcome> {
    const requests = this.#options[claim]
    if (requests === undefined) return 'found'
    const alternatives = requests[index]
    if (alternatives === undefined) {
      // What one claim is given does not limit the next.
      const rest = yield* this.#serveRequest(claim + 1, 0)
      return rest === 'full' ? 'none' : rest
    }
    let full = true
    for (const option of alternatives) {
      const outcome = yield* this.#fill(option, 0, 0, () => this.#serveRequest(claim, index + 1))
      if (outcome === 'found') return outcome
      if (outcome !== 'full') full = false
    }
    return full ? 'full' : 'none'
  }

  /** Finds the devices of a request from the one with this number on; `from`: earlier candidates were tried already. */
  *#fill(option: RequestOption, number: number, from: number, rest: () => Steps<Outcome>): Steps<Outcome> {
    if (option.all?.length === 0) return 'none'
    if (number >= option.count) return yield* rest()
    const had = this.#picks.reduce((n, p) => (p.claim === option.claimIndex ? n + 1 : n), 0)
    if (had + option.count - number > MAX_RESULTS) return 'full'
    const [start, end] = option.all === undefined ? [from, this.#devices.length] : [number, number + 1]
    for (let i = start; i < end; i++) {
      const device = (option.all ?? this.#devices)[i]
      if (device === undefined || !(yield* this.#take(option, device))) continue
      const outcome = yield* this.#fill(option, number + 1, i + 1, rest)
      if (outcome === 'found') return outcome
      this.#giveBack(device)
      if (outcome === 'full') return outcome
    }
    return 'none'
  }

  *#take(option: RequestOption, device: PoolDevice): Steps<boolean> {
    const constraints = this.#constraints[option.claimIndex]
    if (this.#input.budget.spend(1 + (constraints?.count ?? 0) + (device.device.consumesCounters?.length ?? 0))) yield
    if (!this.#isFree(option, device)) return false
    if (option.all === undefined && !(yield* option.selects(device))) return false
    if (!this.#hasCapacity(option, device) || !bearsTaints(device.device.taints, option.request.tolerations)) return false
    if (constraints?.add(option.name, device) === false) {
      if (option.all === undefined) return false
      throw new DeviceAllocationError(
        'constraint',
        `${option.title}: cannot add device ${device.id} because a claim constraint would not be satisfied`,
      )
    }
    if (this.#choose(option, device)) return true
    constraints?.takeBack(option.name)
    return false
  }

  /** Whether the device is not allocated exclusively. A claim with admin access may take a device that is in use, but only once. */
  #isFree({ request, claimIndex }: RequestOption, { id }: PoolDevice): boolean {
    const others = this.#chosen.get(id)
    if (request.adminAccess === true) return others?.includes(claimIndex) !== true
    return others === undefined && !this.#input.used.devices.has(id)
  }

  /** Counts the device as chosen; returns false if its pool's counters are exhausted. */
  #choose(option: RequestOption, device: PoolDevice): boolean {
    const { id } = device
    const { claimIndex, request, name } = option
    const isShared = device.device.allowMultipleAllocations === true
    // What shares a device takes its counters once.
    const countsApart = isShared && (this.#shares.has(id) || this.#input.used.shared.has(id))
    const counted = !countsApart && (device.device.consumesCounters ?? []).length > 0
    if (counted && !this.#countersOf().take(device)) return false
    const consumed = isShared ? option.consumptionOn(device) : undefined
    if (consumed === undefined) this.#chosen.set(id, [...(this.#chosen.get(id) ?? []), claimIndex])
    else this.#shares.set(id, [...(this.#shares.get(id) ?? []), consumed])
    this.#picks.push({ claim: claimIndex, request: name, exact: request, device, counted, consumed })
    return true
  }

  #giveBack(device: PoolDevice): void {
    const pick = this.#picks.pop()
    if (pick?.counted === true) this.#countersOf().giveBack(device)
    if (pick !== undefined) this.#constraints[pick.claim]?.takeBack(pick.request)
    const kept = pick?.consumed === undefined ? this.#chosen : this.#shares
    const list = kept.get(device.id) ?? []
    if (list.length <= 1) kept.delete(device.id)
    else list.pop()
  }

  #countersOf(): Counters {
    this.#counters ??= new Counters(this.#input.pools, this.#input.used)
    return this.#counters
  }

  #hasCapacity(option: RequestOption, device: PoolDevice): boolean {
    const consumed = option.consumptionOn(device)
    if (consumed === undefined) return false
    if (consumed.size === 0) return true
    const shared = this.#input.used.shared.get(device.id) ?? new Map()
    return isLeft(consumed, (this.#shares.get(device.id) ?? []).reduce(sum, shared), device.device)
  }
}
