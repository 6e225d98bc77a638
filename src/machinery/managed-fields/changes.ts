import type { Steps } from '../../base/steps.ts'
import { asJson, type Json, type KubeObject } from '../object.ts'
import { DecodeError } from '../schema/decode.ts'
import { fromUnstructured } from '../schema/from-unstructured.ts'
import { StatusError } from '../status-error.ts'
import type { Conflict } from './conflicts.ts'
import { converted, nodeOf, type OtherVersion, resetSet, type WriteContext } from './context.ts'
import { type Owners, setOwned } from './entries.ts'
import { difference, emptySet, type FieldSet, intersection, isEmptySet } from './field-set/field-set.ts'
import { reconciled } from './reconcile.ts'
import { type Comparison, changed, compareInSteps, without } from './typed/compare.ts'
import { typedNode } from './typed/typed-node.ts'
import { faultsText, validateTyped } from './typed/validate-typed.ts'

/** The changes of an object, in the version of each owner. */
export interface Changes {
  /** In the version of the write; all fields. */
  readonly whole: Comparison
  /** In another version, without the fields that the write cannot change; undefined for a version that does not exist. */
  in(apiVersion: string): { readonly written: FieldSet; readonly removed: FieldSet } | undefined
}

/** Compares two objects once for each version that an owner has. */
export function* changesBetween(context: WriteContext, owners: Owners, live: KubeObject, updated: KubeObject): Steps<Changes> {
  const ignored = resetSet(context)
  const whole = yield* compareInSteps(nodeOf(context), asJson(live), asJson(updated))
  // Of a custom kind each version knows the resets of its own writes alone, but for writes of the status.
  const everywhere = context.schema.go !== undefined || context.subresource === 'status'
  const ignoredIn = (apiVersion: string) => (everywhere || apiVersion === context.apiVersion ? ignored : emptySet)
  const relevant = (comparison: Comparison, apiVersion: string) => {
    const fields = ignoredIn(apiVersion)
    const { added, modified, removed } = isEmptySet(fields) ? comparison : without(comparison, fields)
    return { written: changed({ added, modified, removed }), removed }
  }
  const known = new Map<string, ReturnType<typeof relevant>>()
  for (const apiVersion of new Set([...owners.values()].map((owner) => owner.apiVersion))) {
    const version = apiVersion === context.apiVersion ? undefined : context.otherVersion?.(apiVersion)
    if (version === undefined) continue
    const decoded = version.hasGoTypes ? version.schema : undefined
    const before = yield* converted(asJson(live), version.convert, decoded)
    const after = yield* convertedUpdate(context, updated, version)
    const node = typedNode(version.schema)
    // Items that a list may not have twice are permitted in the version of the write alone.
    const faults = version.hasGoTypes ? [] : validateTyped(node, after)
    if (faults.length > 0) throw new StatusError({ code: 500, message: `failed to convert new object: ${faultsText(faults)}` })
    known.set(apiVersion, relevant(yield* compareInSteps(node, before, after), apiVersion))
  }
  return {
    whole,
    in(apiVersion) {
      const found = known.get(apiVersion)
      if (found !== undefined || apiVersion !== context.apiVersion) return found
      const own = relevant(whole, apiVersion)
      known.set(apiVersion, own)
      return own
    },
  }
}

/** The new object in another version. An apply may have made values of it that its own version cannot hold. */
function* convertedUpdate(context: WriteContext, updated: KubeObject, version: OtherVersion): Steps<Json> {
  const decoded = version.hasGoTypes ? version.schema : undefined
  try {
    return yield* converted(asJson(updated), version.convert, decoded)
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    return yield* converted(typedUpdate(context, updated), version.convert, decoded)
  }
}

function typedUpdate({ apiVersion, kind, schema }: WriteContext, updated: KubeObject): Json {
  try {
    return { ...fromUnstructured(schema, asJson(updated)).object, apiVersion, kind }
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    const message = `failed to convert new object: unable to convert unstructured object to ${apiVersion}, Kind=${kind}: ${error.message}`
    throw new StatusError({ code: 500, message })
  }
}

/** Owners of custom resources, with their sets adapted to the present type. */
export function reconcileOwners(context: WriteContext, owners: Owners): void {
  if (context.schema.go !== undefined) return
  for (const owner of [...owners.values()]) {
    const schema = owner.apiVersion === context.apiVersion ? context.schema : context.otherVersion?.(owner.apiVersion)?.schema
    if (schema === undefined) continue
    const set = reconciled(typedNode(schema), owner.set)
    if (set !== owner.set) owners.set(owner.id, { ...owner, set })
  }
}

/** With more owners each owns little: then their sets are walked instead of the changes. */
const MANY_OWNERS = 20

/** The owners of changed fields except the writer. Owners in versions that do not exist are dropped. */
export function findConflicts(owners: Owners, changes: Changes, writer: string | undefined): Conflict[] {
  const conflicts: Conflict[] = []
  const many = owners.size > MANY_OWNERS
  for (const owner of [...owners.values()]) {
    if (owner.id === writer) continue
    const change = changes.in(owner.apiVersion)
    if (change === undefined) {
      owners.delete(owner.id)
      continue
    }
    const set = many ? intersection(change.written, owner.set) : intersection(owner.set, change.written)
    if (!isEmptySet(set)) conflicts.push({ owner, set })
  }
  return conflicts
}

/** Removes the changed or removed fields from every owner except the writer. */
export function disown(owners: Owners, changes: Changes, conflicts: readonly Conflict[], writer: string | undefined): void {
  const many = owners.size > MANY_OWNERS
  for (const { owner, set } of conflicts) owners.set(owner.id, { ...owner, set: difference(owner.set, set) })
  for (const owner of [...owners.values()]) {
    const all = owner.id === writer ? undefined : changes.in(owner.apiVersion)?.removed
    const removed = many && all !== undefined ? intersection(all, owner.set) : all
    setOwned(owners, removed === undefined || isEmptySet(removed) ? owner : { ...owner, set: difference(owner.set, removed) })
  }
}
