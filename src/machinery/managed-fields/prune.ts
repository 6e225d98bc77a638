import { arrival, type Steps } from '../../base/steps.ts'
import type { Json } from '../object.ts'
import { converted, nodeOf, type WriteContext } from './context.ts'
import type { Owned, Owners } from './entries.ts'
import { contains, difference, type FieldSet, intersection, isEmptySet, union, unionAll } from './field-set/field-set.ts'
import { removeItems, withNamedFields } from './typed/remove-items.ts'
import { toFieldSet } from './typed/to-field-set.ts'
import { type TypedNode, typedNode } from './typed/typed-node.ts'

export interface Pruning {
  readonly context: WriteContext
  /** The merged live object and configuration. */
  readonly merged: Json
  /** What the manager applied last. */
  readonly last: Owned | undefined
  /** All owners, including the manager with its new configuration. */
  readonly owners: Owners
}

/** An object, and its conversion to other versions. */
interface Versioned {
  readonly node: TypedNode
  readonly to: (object: Json) => Steps<Json>
  readonly from: (object: Json) => Steps<Json>
}

/** Removes fields that the manager applied last but not this time, and that no other manager owns. */
export function* prune({ context, merged, last, owners }: Pruning): Steps<Json> {
  if (last === undefined || isEmptySet(last.set)) return merged
  const now = owners.get(last.id)
  if (now !== undefined && now.apiVersion === last.apiVersion && contains(now.set, last.set)) return merged
  const then = versionOf(context, last.apiVersion)
  if (then === undefined) return merged
  const whole = yield* then.to(merged)
  let pruned = yield* then.from(removeItems(then.node, whole, withNamedFields(then.node, last.set)))
  for (const [apiVersion, managed] of ownedByVersion(owners, last.apiVersion)) {
    const version = versionOf(context, apiVersion)
    if (version !== undefined) pruned = yield* addBackOwned(version, merged, pruned, managed)
  }
  return yield* then.from(keepDangling(then.node, whole, yield* then.to(pruned), last.set))
}

function versionOf(context: WriteContext, apiVersion: string): Versioned | undefined {
  if (apiVersion === context.apiVersion) return { node: nodeOf(context), to: arrival<Json>, from: arrival<Json> }
  const other = context.otherVersion?.(apiVersion)
  if (other === undefined) return undefined
  return {
    node: typedNode(other.schema),
    to: (object) => converted(object, other.convert, other.hasGoTypes ? other.schema : undefined),
    from: (object) => converted(object, other.convertBack, other.hasGoTypes ? context.schema : undefined),
  }
}

/** The owned fields by version, the given one first: fields that a conversion needs must be restored before it. */
function ownedByVersion(owners: Owners, first: string): [apiVersion: string, set: FieldSet][] {
  const sets = new Map<string, FieldSet[]>()
  for (const owner of owners.values()) {
    const found = sets.get(owner.apiVersion)
    if (found === undefined) sets.set(owner.apiVersion, [owner.set])
    else found.push(owner.set)
  }
  const together = [...sets].map(([apiVersion, all]): [string, FieldSet] => [apiVersion, unionAll(all)])
  return together.sort(([a], [b]) => Number(b === first) - Number(a === first))
}

function* addBackOwned({ node, to, from }: Versioned, merged: Json, pruned: Json, managed: FieldSet): Steps<Json> {
  const whole = yield* to(merged)
  const named = (set: FieldSet) => withNamedFields(node, set)
  const kept = union(named(toFieldSet(node, yield* to(pruned))), named(managed))
  return yield* from(removeItems(node, whole, difference(named(toFieldSet(node, whole)), kept)))
}

/** Removes only fields that the manager owned; fields without an owner stay. */
function keepDangling(node: TypedNode, whole: Json, pruned: Json, last: FieldSet): Json {
  const named = (set: FieldSet) => withNamedFields(node, set)
  const gone = difference(named(toFieldSet(node, whole)), named(toFieldSet(node, pruned)))
  return removeItems(node, whole, intersection(gone, named(last)))
}
