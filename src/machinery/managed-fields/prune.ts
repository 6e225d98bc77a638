import { arrival, type Steps } from '../../base/steps.ts'
import { asJson, asKubeObject, type Json } from '../object.ts'
import { nodeOf, type OtherVersion, type WriteContext } from './context.ts'
import type { Owned, Owners } from './entries.ts'
import { contains, difference, type FieldSet, intersection, isEmptySet, union, unionAll } from './field-set/field-set.ts'
import { removeItems, withNamedFields } from './typed/remove-items.ts'
import { toFieldSet } from './typed/to-field-set.ts'
import { type TypedNode, typedNode } from './typed/typed-node.ts'

export interface Pruning {
  readonly context: WriteContext
  /** Live object and configuration together. */
  readonly merged: Json
  /** What the manager applied the last time. */
  readonly last: Owned | undefined
  /** Everybody, the manager with what it applies now. */
  readonly owners: Owners
}

/** An object, and how to bring it to another version. */
interface Versioned {
  readonly node: TypedNode
  readonly to: (object: Json) => Steps<Json>
  readonly from: (object: Json) => Steps<Json>
}

/** Takes out what the manager applied the last time and not this time, and nobody else owns. */
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
    to: (object) => converted(other.convert, object),
    from: (object) => converted(other.convertBack, object),
  }
}

function* converted(convert: OtherVersion['convert'], object: Json): Steps<Json> {
  return asJson(yield* arrival(convert(asKubeObject(object))))
}

/** What all managers own, the given version first: fields that a conversion needs must be back before it happens. */
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

/** Only what the manager owned may go; what was nobody's stays. */
function keepDangling(node: TypedNode, whole: Json, pruned: Json, last: FieldSet): Json {
  const named = (set: FieldSet) => withNamedFields(node, set)
  const gone = difference(named(toFieldSet(node, whole)), named(toFieldSet(node, pruned)))
  return removeItems(node, whole, intersection(gone, named(last)))
}
