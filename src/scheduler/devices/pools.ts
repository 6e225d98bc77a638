import type { NodeSelector } from '../objects.ts'
import { nodeSelectorMatcher } from '../plugins/node-affinity.ts'
import type { Device, ResourceSlice } from './device.ts'

export interface PoolDevice {
  readonly driver: string
  readonly pool: string
  readonly device: Device
  /** The node selector that an allocation of it needs; undefined: any node. */
  readonly nodeSelector: NodeSelector | undefined
}

/** The devices of one pool that a node can reach. */
export interface Pool {
  readonly driver: string
  readonly name: string
  /** Some slices are missing: who asks for all devices has to wait. */
  readonly incomplete: boolean
  /** Two devices have one name: nobody knows which is which. */
  readonly invalid: boolean
  readonly devices: readonly PoolDevice[]
  readonly counters: ReadonlyMap<string, Readonly<Record<string, { readonly value: string }>>>
}

export interface NodeFacts {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
}

/** The pools within a node's reach, by name; of each the slices of its newest generation only. */
export function poolsFor(node: NodeFacts, slices: readonly Readonly<ResourceSlice>[]): readonly Pool[] {
  const byPool = new Map<string, Readonly<ResourceSlice>[]>()
  for (const slice of slices) {
    const key = `${slice.spec.driver}/${slice.spec.pool.name}`
    const known = byPool.get(key)
    const generation = known?.[0]?.spec.pool.generation ?? -1
    if (known === undefined || slice.spec.pool.generation > generation) byPool.set(key, [slice])
    else if (slice.spec.pool.generation === generation) known.push(slice)
  }
  const pools: Pool[] = []
  for (const [, own] of [...byPool].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const pool = poolOf(node, own)
    if (pool !== undefined) pools.push(pool)
  }
  return pools
}

function poolOf(node: NodeFacts, slices: readonly Readonly<ResourceSlice>[]): Pool | undefined {
  const [first] = slices
  if (first === undefined) return undefined
  const { driver, pool } = first.spec
  const names = new Set<string>()
  let all = 0
  const devices: PoolDevice[] = []
  const counters = new Map<string, Readonly<Record<string, { readonly value: string }>>>()
  let reached = false
  for (const { spec } of slices.toSorted((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1))) {
    for (const set of spec.sharedCounters ?? []) counters.set(set.name, set.counters)
    for (const device of spec.devices ?? []) {
      all++
      names.add(device.name)
      const where = spec.perDeviceNodeSelection === true ? device : spec
      if (!reaches(where, node)) continue
      reached = true
      devices.push({ driver, pool: pool.name, device, nodeSelector: selectorOf(where) })
    }
    if (spec.perDeviceNodeSelection !== true && reaches(spec, node)) reached = true
  }
  if (!reached) return undefined
  return {
    driver,
    name: pool.name,
    incomplete: slices.length < pool.resourceSliceCount,
    invalid: names.size < all || devices.some(({ device }) => !countersExist(device, counters)),
    devices,
    counters,
  }
}

/** Whether the counters that a device takes of are there. */
const countersExist = ({ consumesCounters = [] }: Device, sets: Pool['counters']) =>
  consumesCounters.every(({ counterSet, counters }) => {
    const set = sets.get(counterSet)
    return set !== undefined && Object.keys(counters).every((name) => Object.hasOwn(set, name))
  })

interface Where {
  readonly nodeName?: string
  readonly nodeSelector?: NodeSelector
  readonly allNodes?: boolean
}

function reaches({ nodeName, nodeSelector, allNodes }: Where, { name, labels }: NodeFacts): boolean {
  if (nodeName) return nodeName === name
  if (allNodes === true) return true
  return nodeSelector !== undefined && nodeSelectorMatcher(nodeSelector)(labels, name)
}

const selectorOf = ({ nodeName, nodeSelector }: Where): NodeSelector | undefined =>
  nodeName ? { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [nodeName] }] }] } : nodeSelector
