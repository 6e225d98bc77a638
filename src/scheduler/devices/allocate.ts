import { messageOf } from '../../base/message-of.ts'
import { allocationOf, type Pick } from './allocation.ts'
import { type Consumed, consumptionOf, isLeft, sum } from './capacity.ts'
import { keepsConstraints } from './constraints.ts'
import { Counters } from './counters.ts'
import type { Allocation, DeviceClass, DeviceSelector, ExactRequest, ResourceClaim } from './device.ts'
import { selects } from './device-selector.ts'
import type { InUse } from './in-use.ts'
import type { Pool, PoolDevice } from './pools.ts'
import { bearsTaints } from './tolerations.ts'

export interface AllocatorInput {
  /** Those that have no allocation yet. */
  readonly claims: readonly Readonly<ResourceClaim>[]
  readonly node: string
  readonly pools: readonly Pool[]
  readonly classes: (name: string) => Readonly<DeviceClass> | undefined
  readonly used: InUse
  /** A new id for a share of a device. */
  readonly shareId: () => string
}

/** `invalid`: there is no solution, and some pool within reach is in disorder. */
export type Allocated =
  | { readonly kind: 'allocated'; readonly allocations: readonly Allocation[] }
  | { readonly kind: 'none' }
  | { readonly kind: 'invalid' }

/** As many devices as one claim may be given. */
export const MAX_RESULTS = 32

/** So many devices are tried for the claims of one pod on one node; a search that finds nothing by then fails the attempt, which is repeated later. */
export const MAX_TRIES = 200_000

/**
 * Finds devices for all claims on one node, or says that there are none: a search with backtracking over requests in their order, their alternatives
 * in order of preference, and devices in the order of their pools. Within a request devices are tried in combinations, not in permutations.
 * Pure but for the ids of shares: the first solution is always the same.
 * @throws {Error} when the claims can be had nowhere as they are written; the text is what Kubernetes says
 */
export function allocate(input: AllocatorInput): Allocated {
  const found = new Search(input).run()
  if (found !== undefined) return { kind: 'allocated', allocations: found }
  return { kind: input.pools.some((p) => p.invalid) ? 'invalid' : 'none' }
}

/** A request made concrete: which class, and with mode All which devices. */
interface Wish {
  readonly claim: number
  /** `request`, or `request/alternative`. */
  readonly name: string
  readonly request: ExactRequest
  readonly count: number
  /** With mode All: these devices and no others. */
  readonly all?: readonly PoolDevice[]
}

/** `full`: more devices than a claim may have; other devices for what was asked before would not change that. */
type Outcome = 'found' | 'none' | 'full'

class Search {
  readonly #input: AllocatorInput
  readonly #devices: readonly PoolDevice[]
  readonly #matches = new Map<string, boolean>()
  readonly #consumptions = new Map<string, Consumed | undefined>()
  /** By device: the claims that it was chosen for. */
  readonly #chosen = new Map<string, number[]>()
  readonly #shares = new Map<string, Consumed[]>()
  readonly #picks: Pick[] = []
  /** By claim, then by request: its alternatives. */
  readonly #wishes: readonly (readonly (readonly Wish[])[])[]
  #counters: Counters | undefined
  #tries = 0

  constructor(input: AllocatorInput) {
    this.#input = input
    this.#devices = input.pools.flatMap((p) => p.devices)
    this.#wishes = input.claims.map((_, claim) => this.#wishesOf(claim))
  }

  run(): readonly Allocation[] | undefined {
    if (this.#request(0, 0) !== 'found') return undefined
    const { node, classes, shareId } = this.#input
    return this.#input.claims.map((claim, i) =>
      allocationOf(
        claim,
        this.#picks.filter((p) => p.claim === i),
        { node, classes, shareId },
      ),
    )
  }

  #wishesOf(claim: number): readonly (readonly Wish[])[] {
    const wishes = (this.#input.claims[claim]?.spec.devices?.requests ?? []).map(({ name, exactly, firstAvailable = [] }) =>
      exactly !== undefined
        ? [this.#wish(claim, name, name, exactly)]
        : firstAvailable.map((alternative) => this.#wish(claim, `${name}/${alternative.name}`, alternative.name, alternative)),
    )
    const least = wishes.reduce((total, alternatives) => total + Math.min(...alternatives.map((w) => w.count)), 0)
    if (least > MAX_RESULTS)
      throw new Error(`${this.#titleOf(claim)}: number of requested devices ${least} exceeds the claim limit of ${MAX_RESULTS}`)
    return wishes
  }

  #wish(claim: number, name: string, shown: string, request: ExactRequest): Wish {
    if (request.allocationMode !== 'All') return { claim, name, request, count: request.count ?? 1 }
    const amiss = this.#input.pools.find((p) => p.incomplete || p.invalid)
    if (amiss !== undefined) {
      throw new Error(
        `${this.#titleOf(claim)}, request ${shown}: asks for all devices, but resource pool ${amiss.driver}/${amiss.name} is currently ${amiss.incomplete ? 'being updated' : 'invalid'}`,
      )
    }
    const all = this.#devices.filter((device) => this.#suits(claim, request, device) && this.#hasCapacity(request, device))
    return { claim, name, request, count: all.length, all }
  }

  /** Tries the alternatives of one request, and everything behind it. */
  #request(claim: number, at: number): Outcome {
    const wishes = this.#wishes[claim]
    if (wishes === undefined) return 'found'
    const alternatives = wishes[at]
    if (alternatives === undefined) {
      // What one claim is given does not limit the next.
      const rest = this.#request(claim + 1, 0)
      return rest === 'full' ? 'none' : rest
    }
    let full = true
    for (const wish of alternatives) {
      const outcome = this.#fill(wish, 0, 0, () => this.#request(claim, at + 1))
      if (outcome === 'found') return outcome
      if (outcome !== 'full') full = false
    }
    return full ? 'full' : 'none'
  }

  /** Finds the devices of a wish from the one with this number on; `from`: earlier ones were tried in its place. */
  #fill(wish: Wish, number: number, from: number, rest: () => Outcome): Outcome {
    if (wish.all?.length === 0) return 'none'
    if (number >= wish.count) return rest()
    const had = this.#picks.reduce((n, p) => (p.claim === wish.claim ? n + 1 : n), 0)
    if (had + wish.count - number > MAX_RESULTS) return 'full'
    const [start, end] = wish.all === undefined ? [from, this.#devices.length] : [number, number + 1]
    for (let i = start; i < end; i++) {
      const device = (wish.all ?? this.#devices)[i]
      if (device === undefined || !this.#take(wish, device)) continue
      const outcome = this.#fill(wish, number + 1, i + 1, rest)
      if (outcome === 'found') return outcome
      this.#giveBack(device)
      if (outcome === 'full') return outcome
    }
    return 'none'
  }

  #take(wish: Wish, device: PoolDevice): boolean {
    if (++this.#tries > MAX_TRIES) throw new Error(`node ${this.#input.node}: timed out trying to allocate devices`)
    const { claim, name, request } = wish
    const { id } = device
    const sharable = device.device.allowMultipleAllocations === true
    const others = this.#chosen.get(id) ?? []
    if (request.adminAccess === true ? others.includes(claim) : others.length > 0 || this.#input.used.devices.has(id)) return false
    if (wish.all === undefined && !this.#suits(claim, request, device)) return false
    if (!this.#hasCapacity(request, device) || !bearsTaints(device.device.taints, request.tolerations)) return false
    const constraints = this.#input.claims[claim]?.spec.devices?.constraints ?? []
    if (constraints.length > 0) {
      const before = this.#picks.filter((p) => p.claim === claim)
      if (!keepsConstraints({ request: name, device }, before, constraints)) {
        if (wish.all === undefined) return false
        const shown = name.slice(name.indexOf('/') + 1)
        throw new Error(
          `${this.#titleOf(claim)}, request ${shown}: cannot add device ${id} because a claim constraint would not be satisfied`,
        )
      }
    }
    // What shares a device takes its counters once.
    const countsApart = sharable && (this.#shares.has(id) || this.#input.used.shared.has(id))
    const counted = !countsApart && (device.device.consumesCounters ?? []).length > 0
    if (counted && !this.#countersOf().take(device)) return false
    const consumed = sharable ? this.#consumption(request, device) : undefined
    if (consumed === undefined) this.#chosen.set(id, [...others, claim])
    else this.#shares.set(id, [...(this.#shares.get(id) ?? []), consumed])
    this.#picks.push({ claim, request: name, exact: request, device, counted, consumed })
    return true
  }

  #giveBack(device: PoolDevice): void {
    const pick = this.#picks.pop()
    if (pick?.counted === true) this.#countersOf().giveBack(device)
    const kept = pick?.consumed === undefined ? this.#chosen : this.#shares
    const list = kept.get(device.id) ?? []
    if (list.length <= 1) kept.delete(device.id)
    else list.pop()
  }

  #countersOf(): Counters {
    this.#counters ??= new Counters(this.#input.pools, this.#input.used)
    return this.#counters
  }

  #consumption(request: ExactRequest, { id, device }: PoolDevice): Consumed | undefined {
    const key = `${id} ${JSON.stringify(request.capacity ?? null)}`
    if (!this.#consumptions.has(key)) this.#consumptions.set(key, consumptionOf(request, device))
    return this.#consumptions.get(key)
  }

  #hasCapacity(request: ExactRequest, device: PoolDevice): boolean {
    const consumed = this.#consumption(request, device)
    if (consumed === undefined) return false
    if (consumed.size === 0) return true
    const shared = this.#input.used.shared.get(device.id) ?? new Map()
    return isLeft(consumed, (this.#shares.get(device.id) ?? []).reduce(sum, shared), device.device)
  }

  /** Whether the selectors of class and request take the device. */
  #suits(claim: number, request: ExactRequest, device: PoolDevice): boolean {
    const key = `${claim} ${JSON.stringify([request.deviceClassName, request.selectors])} ${device.id}`
    let known = this.#matches.get(key)
    if (known === undefined) {
      const ofClass = this.#input.classes(request.deviceClassName)?.spec.selectors ?? []
      known = all(ofClass, device, `class ${request.deviceClassName}`) && all(request.selectors ?? [], device, this.#titleOf(claim))
      this.#matches.set(key, known)
    }
    return known
  }

  #titleOf(claim: number): string {
    const { namespace, name } = this.#input.claims[claim]?.metadata ?? {}
    return `claim ${namespace}/${name}`
  }
}

function all(selectors: readonly DeviceSelector[], { driver, device }: PoolDevice, whose: string): boolean {
  return selectors.every(({ cel }, i) => {
    try {
      return cel === undefined || selects(cel.expression, { driver, device })
    } catch (error) {
      throw new Error(`${whose}: selector #${i}: ${messageOf(error)}`)
    }
  })
}
