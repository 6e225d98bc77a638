import { equalJson } from '../../machinery/equal.ts'
import { getOwn, type KubeObject, setOwn } from '../../machinery/object.ts'
import type { ResourceRules } from '../../machinery/resource/definition.ts'
import { alsoEmpty } from '../../machinery/schema/given-empty.ts'

/** True if the kind's rules no longer change a prepared draft: kinds with a normal form of their own, or with reservations, do. */
export const isReadOnlyFromHere = (rules: ResourceRules): boolean => rules.canonicalize === undefined && rules.reserve === undefined

/** A draft in which equal parts are those of the old state by identity. */
export interface SharedDraft {
  readonly object: KubeObject
  /** The shared parts: they were validated and normalized when they were stored. */
  readonly parts: ReadonlySet<unknown>
}

/**
 * Replaces the parts of a draft that equal the old state by the old parts: top-level fields (`spec`, `status`, `data`) and fields of the
 * metadata. Most updates change one of them, and later comparisons are by identity. The draft itself is not changed. The result is
 * read-only: its parts belong to the cache. `deep`: also shares equal parts within changed fields (a pod's containers, when its node is
 * set), so that both states keep them once.
 */
export function withPartsOf(draft: KubeObject, old: KubeObject, deep = false): SharedDraft {
  const parts = new Set<unknown>()
  const metadata = share(draft.metadata, old.metadata, parts, deep)
  const object = share(draft, old, parts, deep)
  object.metadata = metadata
  return { object, parts }
}

type Fields = Record<string, unknown>

function share<T extends object>(draft: T, old: T, parts: Set<unknown>, deep: boolean): T {
  const shared = alsoEmpty({ ...draft }, draft)
  for (const [field, value] of Object.entries(draft)) {
    if (field === 'metadata' || value === null || typeof value !== 'object') continue
    const before = getOwn(old, field)
    if (before === null || typeof before !== 'object') continue
    if (deep && value !== before) {
      const part = partOf(value, before, parts)
      if (part !== value) setOwn(shared, field, part)
      if (part !== before) continue
    } else if (value !== before && !equalJson(value, before)) continue
    setOwn(shared, field, before)
    parts.add(before)
  }
  return shared
}

/** The old value if both are equal, else the new value with the parts that they have in common. One walk compares and shares. */
function partOf(value: object, before: object, parts: Set<unknown>): object {
  if (Array.isArray(value)) return Array.isArray(before) ? itemsOf(value, before, parts) : value
  return Array.isArray(before) ? value : membersOf(value as Fields, before as Fields, parts)
}

function itemsOf(value: readonly unknown[], before: readonly unknown[], parts: Set<unknown>): readonly unknown[] {
  let result: unknown[] | undefined
  let same = value.length === before.length
  for (let i = 0; i < value.length; i++) {
    const item = value[i]
    const shared = sharedValue(item, before[i], parts)
    if (shared !== before[i]) same = false
    if (shared === item) continue
    result ??= [...value]
    result[i] = shared
  }
  if (same) return before
  for (let i = 0; i < value.length && i < before.length; i++) {
    const item = before[i]
    if (isPart(item) && (result ?? value)[i] === item) parts.add(item)
  }
  return result ?? value
}

function membersOf(value: Fields, before: Fields, parts: Set<unknown>): Fields {
  let result: Fields | undefined
  let same = true
  let present = 0
  let hasParts = false
  for (const key in value) {
    const item = value[key]
    if (item === undefined) continue
    present++
    hasParts ||= isPart(item)
    const old = memberOf(before, key)
    const shared = sharedValue(item, old, parts)
    if (shared !== old) same = false
    if (shared === item) continue
    result ??= { ...value }
    setOwn(result, key, shared)
  }
  if (same) {
    for (const key in before) if (before[key] !== undefined) present--
    if (present === 0) return before
  }
  if (!hasParts) return result ?? value
  for (const key in value) {
    const old = memberOf(before, key)
    if (isPart(old) && memberOf(result ?? value, key) === old) parts.add(old)
  }
  return result ?? value
}

const sharedValue = (value: unknown, before: unknown, parts: Set<unknown>): unknown =>
  value !== before && isPart(value) && isPart(before) ? partOf(value, before, parts) : value

const isPart = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Inherited names (`constructor`) are not members. */
const memberOf = (object: Fields, key: string): unknown => (Object.hasOwn(object, key) ? object[key] : undefined)
