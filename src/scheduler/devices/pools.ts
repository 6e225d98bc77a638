import { byText } from '../../base/by-text.ts'
import type { NodeSelector } from '../../resources/types/core.ts'
import type { Device, ResourceSlice } from '../../resources/types/resource.ts'
import { nodeSelectorMatcher } from '../framework/node-selector.ts'

export interface PoolDevice {
  readonly driver: string
  readonly pool: string
  readonly device: Device
  /** `driver/pool/device`. */
  readonly id: string
  /** DeviceReach it can be reached from. */
  readonly where: DeviceReach
}

/** The devices of one pool that a node can reach. */
export interface Pool {
  readonly driver: string
  readonly name: string
  /** Some slices are missing: nothing is allocated from it, and a request for all devices has to wait. */
  readonly incomplete: boolean
  /** Two devices have one name, or counters are amiss: nothing is given from it. */
  readonly invalid: boolean
  /** None where the pool is incomplete or invalid. */
  readonly devices: readonly PoolDevice[]
  /** All devices of the pool that take of its counters, those out of reach too. */
  readonly consumers: readonly PoolDevice[]
  readonly counters: CounterSets
  /** Some device of it must be made ready before a pod is bound: other pools come first. */
  readonly conditional: boolean
}

export type CounterSets = ReadonlyMap<string, Readonly<Record<string, { readonly value: string }>>>

export interface NodeFacts {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
}

export interface DeviceReach {
  readonly nodeName?: string
  readonly nodeSelector?: NodeSelector
  readonly allNodes?: boolean
}

type Slice = Readonly<ResourceSlice>

/** All slices of the cluster by pool, those of each in the order of their names: made once for many nodes. */
export interface SliceIndex {
  /** Pools whose slices are local to one node each, by that node. */
  readonly local: ReadonlyMap<string, readonly (readonly Slice[])[]>
  readonly others: readonly (readonly Slice[])[]
}

export function indexSlices(slices: readonly Slice[]): SliceIndex {
  const byPool = new Map<string, Slice[]>()
  for (const slice of slices) {
    const key = `${slice.spec.driver}/${slice.spec.pool.name}`
    const known = byPool.get(key)
    if (known === undefined) byPool.set(key, [slice])
    else known.push(slice)
  }
  const local = new Map<string, (readonly Slice[])[]>()
  const others: (readonly Slice[])[] = []
  for (const pool of byPool.values()) {
    pool.sort((a, b) => byText(a.metadata.name ?? '', b.metadata.name ?? ''))
    const nodes = new Set(pool.map(({ spec }) => ((spec.sharedCounters ?? []).length > 0 ? '' : (spec.nodeName ?? ''))))
    if (nodes.has('')) others.push(pool)
    else for (const node of nodes) local.set(node, [...(local.get(node) ?? []), pool])
  }
  return { local, others }
}

/** The pools within a node's reach: those without binding conditions first, then by driver and name. */
export function poolsFor(node: NodeFacts, { local, others }: SliceIndex): readonly Pool[] {
  return [...(local.get(node.name) ?? []), ...others]
    .flatMap((slices) => poolOf(node, slices) ?? [])
    .sort((a, b) => Number(a.conditional) - Number(b.conditional) || byText(a.driver, b.driver) || byText(a.name, b.name))
}

const reachable = (node: NodeFacts) => (slice: Slice) =>
  (slice.spec.sharedCounters ?? []).length > 0 ||
  reaches(slice.spec, node) ||
  (slice.spec.devices ?? []).some((d) => reaches(whereOf(slice, d), node))

/**
 * A pool as Kubernetes reads it: the newest generation among the slices within the node's reach counts; slices out of reach are read only
 * when some of that generation are missing.
 */
function poolOf(node: NodeFacts, slices: readonly Slice[]): Pool | undefined {
  const within = slices.filter(reachable(node))
  const [first] = within
  if (first === undefined) return undefined
  const generation = Math.max(...within.map((s) => s.spec.pool.generation))
  const own = within.filter((s) => s.spec.pool.generation === generation)
  const { driver, name, resourceSliceCount } = { driver: first.spec.driver, ...(own[0] ?? first).spec.pool }
  const conditional = own.some((s) => s.spec.devices?.some((d) => d.bindingConditions !== undefined))
  const empty = { driver, name, devices: [], consumers: [], counters: new Map(), conditional: false }
  let all = own
  if (own.length !== resourceSliceCount) {
    if (slices.some((s) => s.spec.pool.generation > generation)) return undefined
    all = slices.filter((s) => s.spec.pool.generation === generation)
    if (all.length !== resourceSliceCount) return { ...empty, incomplete: true, invalid: false }
  }
  const counters = new Map<string, Readonly<Record<string, { readonly value: string }>>>()
  let invalid = false
  for (const { spec } of own) {
    for (const set of spec.sharedCounters ?? []) {
      invalid ||= counters.has(set.name)
      counters.set(set.name, set.counters)
    }
  }
  const names = own.flatMap((s) => (s.spec.devices ?? []).map((d) => d.name))
  const devices = all.flatMap((slice) => (slice.spec.devices ?? []).map((device) => poolDevice(slice, device)))
  invalid ||= new Set(names).size < names.length || devices.some(({ device }) => !countersExist(device, counters))
  if (invalid) return { ...empty, incomplete: false, invalid }
  const consumers = devices.filter(({ device }) => (device.consumesCounters ?? []).length > 0)
  const reached = devices.filter((d) => reaches(d.where, node))
  return { driver, name, incomplete: false, invalid, devices: reached, consumers, counters, conditional }
}

const whereOf = ({ spec }: Slice, device: Device): DeviceReach => (spec.perDeviceNodeSelection === true ? device : spec)

const poolDevice = (slice: Slice, device: Device): PoolDevice => {
  const { driver, pool } = slice.spec
  return { driver, pool: pool.name, device, id: `${driver}/${pool.name}/${device.name}`, where: whereOf(slice, device) }
}

/** Whether the counters that a device consumes exist. */
const countersExist = ({ consumesCounters = [] }: Device, sets: CounterSets) =>
  consumesCounters.every(({ counterSet, counters }) => {
    const set = sets.get(counterSet)
    return set !== undefined && Object.keys(counters).every((name) => Object.hasOwn(set, name))
  })

function reaches({ nodeName, nodeSelector, allNodes }: DeviceReach, { name, labels }: NodeFacts): boolean {
  if (nodeName) return nodeName === name
  if (allNodes === true) return true
  return nodeSelector !== undefined && nodeSelectorMatcher(nodeSelector)(labels, name)
}
