import { equalJson } from '../../machinery/equal.ts'
import type { KubeObject, ObjectMeta } from '../../machinery/object.ts'
import type { ResourceRules } from '../../machinery/resource/definition.ts'

/** Once a draft is prepared, do rules of the kind still change it? Those that have a normal form of their own do, and those that reserve. */
export const isReadOnlyFromHere = (rules: ResourceRules): boolean => rules.canonicalize === undefined && rules.reserve === undefined

/** A draft in which whatever says the same as the old state is the old state's own part. */
export interface SharedDraft {
  readonly object: KubeObject
  /** Those parts: checked, and in normal form, when they were stored. */
  readonly parts: ReadonlySet<unknown>
}

/**
 * Gives a draft the parts of the old state that it repeats: its fields (`spec`, `status`, `data`) and those of its metadata. Most updates change one of
 * them; who compares the others from now on compares identities. The draft itself stays as it is. The result is only to be read: its parts belong to
 * the cache.
 */
export function withPartsOf(draft: KubeObject, old: KubeObject): SharedDraft {
  const parts = new Set<unknown>()
  const metadata = share(draft.metadata, old.metadata, parts) as ObjectMeta
  const object = share(draft, old, parts) as KubeObject
  object.metadata = metadata
  return { object, parts }
}

type Fields = Record<string, unknown>

function share(draft: Fields | ObjectMeta, old: Fields | ObjectMeta, parts: Set<unknown>): Fields {
  const shared: Fields = { ...draft }
  for (const field in shared) {
    const value = shared[field]
    if (field === 'metadata' || value === null || typeof value !== 'object') continue
    const before = Object.hasOwn(old, field) ? (old as Fields)[field] : undefined
    if (value !== before && (before === null || typeof before !== 'object' || !equalJson(value, before))) continue
    shared[field] = before
    parts.add(before)
  }
  return shared
}
