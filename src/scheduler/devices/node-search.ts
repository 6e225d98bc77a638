import type { PodInfo } from '../cache/pod-info.ts'
import type { PluginContext } from '../framework/prepared.ts'
import { nodeSelectorMatcher } from '../plugins/node-affinity.ts'
import { type Allocated, allocate } from './allocate.ts'
import { readinessOf } from './binding-conditions.ts'
import type { ClaimLedger } from './claim-ledger.ts'
import type { DeviceClass, ResourceClaim } from './device.ts'
import { type DevicesForResources, devicesFor, IN_MEMORY, specialClaim } from './extended-resources.ts'
import type { PodNeeds } from './pod-needs.ts'
import { poolsFor } from './pools.ts'

type Claim = Readonly<ResourceClaim>

/** The claim that a pod's extended resources need on a node. */
export interface Special extends DevicesForResources {
  readonly claim: Claim
}

export interface SearchDeps {
  readonly context: PluginContext
  readonly ledger: ClaimLedger
  /** Whether the time for the binding conditions of a claim is over. */
  readonly isOverdue: (claim: Claim) => boolean
  readonly shareId: () => string
}

/** Looks for the devices of one pod, node by node. */
export class NodeSearch {
  readonly #pod: PodInfo
  readonly #needs: PodNeeds
  readonly #deps: SearchDeps
  readonly #specials = new Map<string, Special>()
  readonly #bound: readonly { readonly claim: Claim; readonly unusable: boolean; readonly reaches: (row: number) => boolean }[]
  /** Those that have no allocation yet. */
  readonly open: readonly Claim[]
  /** Allocated claims that were of no use on a node that was looked at. */
  readonly unavailable = new Set<Claim>()

  constructor(pod: PodInfo, needs: PodNeeds, deps: SearchDeps) {
    this.#pod = pod
    this.#needs = needs
    this.#deps = deps
    const { ledger, isOverdue } = deps
    const { table } = deps.context
    this.open = needs.claims.filter((claim) => ledger.allocationOf(claim) === undefined)
    this.#bound = needs.claims.flatMap((claim) => {
      const allocation = ledger.allocationOf(claim)
      if (allocation === undefined) return []
      const fits = allocation.nodeSelector === undefined ? undefined : nodeSelectorMatcher(allocation.nodeSelector)
      const reaches = (row: number) => fits === undefined || fits(table.labels[row] ?? {}, table.names[row] ?? '')
      const readiness = readinessOf(claim)
      return [{ claim, unusable: readiness.kind === 'failed' || (readiness.kind === 'pending' && isOverdue(claim)), reaches }]
    })
  }

  /** Whether what is allocated already can be used on the node. */
  isAvailableOn(row: number): boolean {
    let available = true
    for (const { claim, unusable, reaches } of this.#bound) {
      if (!unusable && reaches(row)) continue
      this.unavailable.add(claim)
      available = false
    }
    return available
  }

  /** The claim for what the node does not offer as a device plugin's resource; undefined: it offers all. */
  specialOn(row: number): Special | undefined {
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

  /** Allocations for the open claims, in their order, and for the special one at the end. */
  allocateOn(row: number, special: Special | undefined): Allocated {
    const { context, ledger, shareId } = this.#deps
    const { table, listers } = context
    const node = { name: table.names[row] ?? '', labels: table.labels[row] ?? {} }
    return allocate({
      claims: special === undefined ? this.open : [...this.open, named(special.claim)],
      node: node.name,
      pools: poolsFor(node, ledger.slices(listers)),
      classes: (name) => listers.get('deviceclasses', '', name) as Readonly<DeviceClass> | undefined,
      used: ledger.used(listers),
      shareId,
    })
  }
}

const named = (claim: Claim): Claim => ({ ...claim, metadata: { ...claim.metadata, name: IN_MEMORY } })
