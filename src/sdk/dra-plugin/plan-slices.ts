import { byKey } from '../../base/by-text.ts'
import { isObject } from '../../machinery/object.ts'
import { parseQuantity } from '../../machinery/quantity.ts'
import type {
  DeviceAttribute as ApiAttribute,
  Device,
  DeviceCapacity,
  ResourceSlice,
  ResourceSliceSpec,
} from '../../resources/types/resource.ts'
import type { DeviceAttribute, DevicePool, DraDevice } from './dra-driver.ts'

/** Devices of one slice; of one whose pool has taints or counters. Sets of counters of one slice. The API's limits. */
export const MOST_IN_SLICE = { devices: 128, advanced: 64, counterSets: 8 } as const

/** What a slice offers. */
export type SliceContent = Pick<ResourceSliceSpec, 'devices' | 'sharedCounters'>

/** Whose slices are planned. */
export interface SliceOwner {
  readonly driver: string
  readonly nodeName: string
  /** Of the Node: slices go with it. */
  readonly nodeUid: string
}

/** The changes from the published slices to the desired ones. */
export interface SlicePlan {
  readonly create: readonly ResourceSlice[]
  /** With the `resourceVersion` that was seen. */
  readonly update: readonly ResourceSlice[]
  readonly remove: readonly ResourceSlice[]
}

/**
 * Compares the published slices with the devices. A pool that is published as desired is left alone; all slices of any other pool get the
 * next generation, so that a reader sees the old pool, the new one, or none. `same` returns whether a slice has the desired content. Pure.
 */
export function planSlices(
  owner: SliceOwner,
  pools: ReadonlyMap<string, DevicePool>,
  published: readonly ResourceSlice[],
  same: (published: ResourceSlice, wanted: SliceContent) => boolean = holds,
): SlicePlan {
  const plans = [...pools].map(([pool, devices]) => {
    const own = published.filter((s) => s.spec.pool.name === pool)
    return planPool(owner, pool, contentsOf(devices), own, same)
  })
  const gone = published.filter((s) => !pools.has(s.spec.pool.name))
  return {
    create: plans.flatMap((p) => p.create),
    update: plans.flatMap((p) => p.update),
    remove: [...plans.flatMap((p) => p.remove), ...gone],
  }
}

function planPool(
  owner: SliceOwner,
  pool: string,
  contents: readonly SliceContent[],
  published: readonly ResourceSlice[],
  same: (published: ResourceSlice, wanted: SliceContent) => boolean,
): SlicePlan {
  const newest = published.reduce((most, s) => Math.max(most, generationOf(s)), 0)
  const byIndex = new Map(published.map((s) => [indexOf(s), s]))
  const isAsWanted = (content: SliceContent, i: number) => {
    const slice = byIndex.get(i)
    if (slice === undefined || generationOf(slice) !== newest) return false
    return slice.spec.pool.resourceSliceCount === contents.length && same(slice, content)
  }
  if (published.length === contents.length && contents.every(isAsWanted)) return { create: [], update: [], remove: [] }
  const spec = (content: SliceContent): ResourceSliceSpec => ({
    driver: owner.driver,
    nodeName: owner.nodeName,
    pool: { name: pool, generation: newest + 1, resourceSliceCount: contents.length },
    ...content,
  })
  return {
    create: contents.flatMap((content, i) => (byIndex.has(i) ? [] : [sliceOf(owner, pool, i, spec(content))])),
    update: contents.flatMap((content, i) => {
      const before = byIndex.get(i)
      return before === undefined ? [] : [{ ...before, spec: spec(content) }]
    }),
    remove: published.filter((s) => byIndex.get(indexOf(s)) !== s || !(indexOf(s) in contents)),
  }
}

/** Which of its pool's slices one is. */
const INDEX = 'bowsprit.dev/slice-index'
const indexOf = (slice: ResourceSlice) => Number(slice.metadata.annotations?.[INDEX] ?? Number.NaN)
const generationOf = (slice: ResourceSlice) => slice.spec.pool.generation

function sliceOf({ driver, nodeName, nodeUid }: SliceOwner, pool: string, index: number, spec: ResourceSliceSpec): ResourceSlice {
  const ownerReferences = [{ apiVersion: 'v1', kind: 'Node', name: nodeName, uid: nodeUid, controller: true }]
  return {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceSlice',
    metadata: { name: sliceName(nodeName, driver, pool, index), ownerReferences, annotations: { [INDEX]: String(index) } },
    spec,
  }
}

/** Deterministic, so that two concurrent publishers do not publish a slice twice. */
const sliceName = (nodeName: string, driver: string, pool: string, index: number) =>
  `${`${nodeName}-${driver}`.slice(0, 200)}-${checksum(`${nodeName} ${driver} ${pool}`)}-${index}`

/** Short and equal for equal texts; it keeps names apart, and secrets no. */
function checksum(text: string): string {
  let hash = 0xcbf29ce484222325n
  for (const byte of Buffer.from(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n)
  return hash.toString(36)
}

/** The contents of a pool's slices: its counters, then its devices. */
function contentsOf({ devices, sharedCounters = [] }: DevicePool): readonly SliceContent[] {
  const advanced = devices.some((d) => d.more?.taints !== undefined || d.more?.consumesCounters !== undefined)
  const most = advanced ? MOST_IN_SLICE.advanced : MOST_IN_SLICE.devices
  const counters = chunks(sharedCounters, MOST_IN_SLICE.counterSets).map((sets) => ({ sharedCounters: [...sets] }))
  return [...counters, ...chunks(devices.map(deviceOf), most).map((list) => ({ devices: [...list] }))]
}

const chunks = <T>(all: readonly T[], most: number): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(all.length / most) }, (_, i) => all.slice(i * most, (i + 1) * most))

function deviceOf({ name, attributes = {}, capacity = {}, more }: DraDevice): Device {
  const amount = (value: string | DeviceCapacity): DeviceCapacity => (typeof value === 'string' ? { value } : value)
  return {
    ...more,
    name,
    ...(Object.keys(attributes).length > 0 && { attributes: mapped(attributes, attributeOf) }),
    ...(Object.keys(capacity).length > 0 && { capacity: mapped(capacity, amount) }),
  }
}

const mapped = <T, U>(all: Readonly<Record<string, T>>, map: (value: T) => U): Readonly<Record<string, U>> =>
  Object.fromEntries(Object.entries(all).map(([key, value]) => [key, map(value)]))

function attributeOf(value: DeviceAttribute): ApiAttribute {
  if (typeof value === 'string') return { string: value }
  if (typeof value === 'number') return { int: value }
  if (typeof value === 'boolean') return { bool: value }
  return { ...value }
}

/** Whether a slice holds that; what the API writes otherwise (amounts, empty things, the times of taints) is the same. */
export function holds(slice: ResourceSlice, content: SliceContent): boolean {
  const { driver: _, nodeName: __, pool: ___, ...held } = slice.spec
  return JSON.stringify(plain(held)) === JSON.stringify(plain(content))
}

function plain(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((v) => plain(v) ?? null)
  if (key === 'value' && typeof value === 'string') return amountOf(value)
  if (!isObject(value)) return value ?? undefined
  const entries = Object.entries(value).flatMap(([k, v]): [string, unknown][] => {
    const p = k === 'timeAdded' ? undefined : plain(v, k)
    return p === undefined ? [] : [[k, p]]
  })
  return entries.length === 0 ? undefined : Object.fromEntries(entries.sort(byKey))
}

function amountOf(text: string): string {
  try {
    return parseQuantity(text).toString()
  } catch {
    return text // a taint's value
  }
}
