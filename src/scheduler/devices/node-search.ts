import { atOnce, type Steps } from '../../base/steps.ts'
import type { ResourceClaim } from '../../resources/types/resource.ts'
import type { PodInfo } from '../cache/pod-info.ts'
import { nodeSelectorMatcher } from '../framework/node-selector.ts'
import type { PluginContext } from '../framework/prepared.ts'
import { type Allocated, allocate } from './allocate.ts'
import { readinessOf } from './binding-conditions.ts'
import type { ClaimLedger } from './claim-ledger.ts'
import type { DeviceSelectors } from './device-selectors.ts'
import { type DevicesForResources, devicesFor, IN_MEMORY, specialClaim } from './extended-resources.ts'
import type { PodNeeds } from './pod-needs.ts'
import { poolsFor } from './pools.ts'
import { SearchBudget, STEPS_AT_ONCE } from './search-budget.ts'

/** The claim that a pod's extended resources need on a node. */
export interface ExtendedResourceClaim extends DevicesForResources {
  readonly claim: ResourceClaim
}

export interface SearchDeps {
  readonly context: PluginContext
  readonly ledger: ClaimLedger
  readonly selectors: DeviceSelectors
  /** Whether the time for the binding conditions of a claim is over. */
  readonly isOverdue: (claim: ResourceClaim) => boolean
  readonly shareId: () => string
}

/** What was found on a node: allocations for the open claims, in their order, and for the special one at the end. */
export type NodeResult = Allocated | { readonly kind: 'failed'; readonly error: unknown }

interface KeptResult {
  readonly node: string
  readonly labels: Readonly<Record<string, string>>
  readonly special: ExtendedResourceClaim | undefined
  readonly result: NodeResult
}

interface BoundClaim {
  readonly claim: ResourceClaim
  readonly reaches: (row: number) => boolean
}

/**
 * Searches devices for one pod, node by node. Results are kept, since Filter, Score and Reserve need the same one. A result is valid while
 * the search is current and the node has the same labels and offers the same extended resources.
 */
export class NodeSearch {
  readonly #pod: PodInfo
  readonly #needs: PodNeeds
  readonly #deps: SearchDeps
  readonly #inputs: readonly unknown[]
  readonly #specials = new Map<string, ExtendedResourceClaim>()
  readonly #results = new Map<number, KeptResult>()
  readonly #atOnce = new SearchBudget(STEPS_AT_ONCE)
  readonly #bound: readonly BoundClaim[]
  /** Those that have no allocation yet. */
  readonly open: readonly ResourceClaim[]
  /** Allocated claims that were of no use on a node that was looked at. */
  readonly unavailable = new Set<ResourceClaim>()

  constructor(pod: PodInfo, needs: PodNeeds, deps: SearchDeps) {
    this.#pod = pod
    this.#needs = needs
    this.#deps = deps
    this.#inputs = inputsOf(needs, deps)
    const { ledger } = deps
    const { table } = deps.context
    this.open = needs.claims.filter((claim) => ledger.allocationOf(claim) === undefined)
    this.#bound = needs.claims.flatMap((claim) => {
      const allocation = ledger.allocationOf(claim)
      if (allocation === undefined) return []
      const fits = allocation.nodeSelector === undefined ? undefined : nodeSelectorMatcher(allocation.nodeSelector)
      return [{ claim, reaches: (row: number) => fits === undefined || fits(table.labels[row] ?? {}, table.names[row] ?? '') }]
    })
  }

  /** Whether its inputs are current: the same claims, slices and classes, and allocated devices. */
  isCurrent(needs: PodNeeds, deps: SearchDeps): boolean {
    const now = inputsOf(needs, deps)
    return now.length === this.#inputs.length && now.every((input, i) => input === this.#inputs[i])
  }

  /** Whether what is allocated already can be used on the node. */
  isAvailableOn(row: number): boolean {
    let available = true
    for (const { claim, reaches } of this.#bound) {
      if (this.#isUsable(claim) && reaches(row)) continue
      this.unavailable.add(claim)
      available = false
    }
    return available
  }

  #isUsable(claim: ResourceClaim): boolean {
    const { kind } = readinessOf(claim)
    return kind !== 'failed' && !(kind === 'pending' && this.#deps.isOverdue(claim))
  }

  /** The claim for what the node does not offer as a device plugin's resource; undefined: it offers all. */
  specialOn(row: number): ExtendedResourceClaim | undefined {
    const { table } = this.#deps.context
    const missing = [...this.#needs.resources].filter(([resource]) => {
      const id = table.resourceId(resource)
      return ((id === undefined ? undefined : table.allocatable[id]?.[row]) ?? 0) === 0
    })
    if (missing.length === 0) return undefined
    const key = missing.map(([resource]) => resource).join()
    let special = this.#specials.get(key)
    if (special === undefined) {
      const made = devicesFor(this.#pod.pod, new Map(missing))
      special = { ...made, claim: specialClaim(this.#pod.pod, made.requests) }
      this.#specials.set(key, special)
    }
    return special
  }

  /** Whether `resultOn` has its result already. */
  hasResult(row: number): boolean {
    return !this.#asksAnything(row) || this.#kept(row) !== undefined
  }

  /** A new attempt continues where the last one ran out of steps: the results of its selectors are cached by now. */
  forgetTimeouts(): void {
    for (const [row, { result }] of this.#results) if (result.kind === 'timed-out') this.#results.delete(row)
  }

  /** Searches a node in steps, and keeps the result. */
  *searchNode(row: number, budget: SearchBudget): Steps<NodeResult> {
    const { table } = this.#deps.context
    const kept = { node: table.names[row] ?? '', labels: table.labels[row] ?? NO_LABELS, special: this.specialOn(row) }
    let result: NodeResult
    try {
      result = yield* this.#allocateOn(kept, budget)
    } catch (error) {
      result = { kind: 'failed', error }
    }
    this.#results.set(row, { ...kept, result })
    return result
  }

  /** The result for a node, which is searched at once where it was not searched before. Undefined: the pod needs no device from there. */
  resultOn(row: number): NodeResult | undefined {
    if (!this.#asksAnything(row)) return undefined
    return this.#kept(row)?.result ?? atOnce(this.searchNode(row, this.#atOnce))
  }

  #asksAnything(row: number): boolean {
    return this.open.length > 0 || this.specialOn(row) !== undefined
  }

  #kept(row: number): KeptResult | undefined {
    const kept = this.#results.get(row)
    const { names, labels } = this.#deps.context.table
    const holds = kept?.node === names[row] && kept?.labels === labels[row] && kept?.special === this.specialOn(row)
    return holds ? kept : undefined
  }

  *#allocateOn({ node, labels, special }: Omit<KeptResult, 'result'>, budget: SearchBudget): Steps<Allocated> {
    const { context, ledger, shareId, selectors } = this.#deps
    const { listers } = context
    return yield* allocate({
      claims: special === undefined ? this.open : [...this.open, named(special.claim)],
      node,
      pools: poolsFor({ name: node, labels }, ledger.slices(listers)),
      classes: (name) => listers.get('deviceclasses', '', name),
      used: ledger.used(listers),
      selectors,
      budget,
      shareId,
    })
  }
}

const NO_LABELS = {}

/** All that a search depends on beside the nodes, by identity. */
const inputsOf = ({ claims }: PodNeeds, { context, ledger }: SearchDeps): readonly unknown[] => [
  context,
  ledger.used(context.listers),
  ledger.slices(context.listers),
  context.listers.version('deviceclasses'),
  ...claims,
  ...claims.map((claim) => ledger.allocationOf(claim)),
]

const named = (claim: ResourceClaim): ResourceClaim => ({ ...claim, metadata: { ...claim.metadata, name: IN_MEMORY } })
