import { atOnce, type Steps } from '../../base/steps.ts'
import { equalJson } from '../equal.ts'
import { asJson, asKubeObject, isObject, type JsonObject, type KubeObject, parseApiVersion } from '../object.ts'
import { DecodeError } from '../schema/decode.ts'
import { fromUnstructured } from '../schema/from-unstructured.ts'
import type { Schema } from '../schema/schema.ts'
import { badRequest, StatusError } from '../status-error.ts'
import type { Applied, Apply } from './apply-types.ts'
import { changesBetween, disown, findConflicts, reconcileOwners } from './changes.ts'
import { type Conflict, conflictStatus } from './conflicts.ts'
import { emptyObject, nodeOf, resetSet, serverFields, withoutManagedFields } from './context.ts'
import {
  capUpdateManagers,
  decodeOwnersSteps,
  encodeOwnersSteps,
  ManagedFieldsError,
  type Owned,
  type Owners,
  ownerId,
  setOwned,
} from './entries.ts'
import { difference, recursiveDifference } from './field-set/field-set.ts'
import { lastAppliedConflicts, syncLastApplied } from './last-applied.ts'
import { prune } from './prune.ts'
import { trackWrite } from './track-update.ts'
import { KeylessElementError } from './typed/list-element.ts'
import { mergeTypedInSteps } from './typed/merge-typed.ts'
import { toFieldSet } from './typed/to-field-set.ts'
import { faultsText, fitsType, validateStored, validateTyped } from './typed/validate-typed.ts'

/**
 * Merges a configuration into an object: the manager becomes owner of its fields, and fields that it no longer contains are removed unless
 * another manager owns them.
 * @throws {StatusError} 400 for a configuration of another type, 409 with every conflict unless forced, 500 for one that does not fit its
 * type
 */
export function applyPatch(apply: Apply): Applied {
  return atOnce(applySteps(apply))
}

/** Applies in steps, each of which reads the whole object or configuration once or twice. */
export function* applySteps(apply: Apply): Steps<Applied> {
  checkType(apply)
  const owners = yield* liveOwners(apply)
  yield
  reconcileOwners(apply, owners)
  const live = withoutManagedFields(apply.live ?? emptyObject(apply))
  checkPatch(apply)
  if (!isTyped(apply, live)) throw untyped(apply, live)
  yield
  try {
    return syncLastApplied(apply, yield* merge(apply, new Map(owners), live, apply.force))
  } catch (error) {
    if (error instanceof KeylessElementError) throw untyped(apply, live)
    if (!(error instanceof ApplyConflict)) throw error
    // kubectl may take over fields that its own client-side apply set and that are unchanged since.
    const rest = apply.manager === 'kubectl' ? lastAppliedConflicts(apply, live, error.conflicts) : error.conflicts
    if (rest.length > 0) throw yield* conflictStatus(rest)
    return syncLastApplied(apply, yield* merge(apply, new Map(owners), live, true))
  }
}

class ApplyConflict extends Error {
  override readonly name = 'ApplyConflict'
  readonly conflicts: readonly Conflict[]

  constructor(conflicts: readonly Conflict[]) {
    super('conflict')
    this.conflicts = conflicts
  }
}

/** Go's text of a type: `apps/v1, Kind=Deployment`. */
function typeText(object: JsonObject): string {
  const apiVersion = typeof object.apiVersion === 'string' ? object.apiVersion : ''
  const { group, version } = parseApiVersion(apiVersion) ?? { group: '', version: '' }
  return `${group}/${version}, Kind=${typeof object.kind === 'string' ? object.kind : ''}`
}

/** A configuration in Kubernetes' errors: `ns/name; apps/v1, Kind=Deployment`. */
export function configurationText(patch: JsonObject): string {
  const { namespace, name } = isObject(patch.metadata) ? patch.metadata : {}
  return `${typeof namespace === 'string' ? namespace : ''}/${typeof name === 'string' ? name : ''}; ${typeText(patch)}`
}

function checkType(apply: Apply): void {
  const { patch } = apply
  if (patch.apiVersion !== apply.apiVersion || patch.kind !== apply.kind) throw badRequest(`invalid object type: ${typeText(patch)}`)
}

/** The owners; an object without managed fields belongs to `before-first-apply`. */
function* liveOwners(apply: Apply): Steps<Owners> {
  let owners: Owners
  try {
    owners = yield* decodeOwnersSteps(apply.live?.metadata?.managedFields, true)
  } catch (error) {
    if (!(error instanceof ManagedFieldsError)) throw error
    throw new StatusError({ code: 500, message: `failed to decode managed fields: ${error.message}` })
  }
  if (owners.size > 0 || apply.live === undefined) return owners
  const updated = withoutManagedFields(apply.live)
  if (!isTyped(apply, updated)) throw untracked(apply, updated)
  try {
    return yield* decodeOwnersSteps(yield* trackWrite({ ...apply, live: undefined, updated, manager: 'before-first-apply' }), true)
  } catch (error) {
    if (error instanceof KeylessElementError) throw untracked(apply, updated)
    throw error
  }
}

function checkPatch(apply: Apply): void {
  if (hasManagedFields(apply)) throw badRequest('metadata.managedFields must be nil')
  const faults = validateTyped(nodeOf(apply), apply.patch)
  if (faults.length === 0) return
  throw new StatusError({
    code: 500,
    message: `failed to create typed patch object (${configurationText(apply.patch)}): ${faultsText(faults)}`,
  })
}

/** Whether the configuration has managed fields that can be read: where one entry cannot, Kubernetes sees none. */
function hasManagedFields({ patch: { metadata }, schema }: Apply): boolean {
  if (!isObject(metadata) || !Array.isArray(metadata.managedFields)) return false
  const list = fieldOf(fieldOf(schema, 'metadata'), 'managedFields')
  return metadata.managedFields.every((entry) => isObject(entry) && (list?.type !== 'list' || isReadable(list.items, entry)))
}

const fieldOf = (schema: Schema | undefined, name: string) => (schema?.type === 'struct' ? schema.fields.get(name)?.schema : undefined)

function isReadable(schema: Schema, object: JsonObject): boolean {
  try {
    fromUnstructured(schema, object)
    return true
  } catch (error) {
    if (error instanceof DecodeError) return false
    throw error
  }
}

/** A custom object may be older than the schema of its kind. */
const isTyped = (apply: Apply, live: KubeObject) => apply.schema.go !== undefined || fitsType(nodeOf(apply), asJson(live))

/** Kubernetes applies nothing to an object whose fields it cannot track. */
const untracked = (apply: Apply, live: KubeObject) =>
  unfit(apply, live, (name) => `failed to create manager for existing fields: failed to convert new object (${name}) to smd typed`)

/** The live object does not fit its type, the configuration does. */
const untyped = (apply: Apply, live: KubeObject) => unfit(apply, live, (name) => `failed to create typed live object (${name})`)

const unfit = (apply: Apply, live: KubeObject, what: (name: string) => string) =>
  new StatusError({
    code: 500,
    message: `${what(configurationText(asJson(live)))}: ${faultsText(validateStored(nodeOf(apply), asJson(live)))}`,
  })

function* merge(apply: Apply, owners: Owners, live: KubeObject, force: boolean): Steps<Applied> {
  const node = nodeOf(apply)
  const id = ownerId({ manager: apply.manager, operation: 'Apply', apiVersion: apply.apiVersion, subresource: apply.subresource })
  const last = owners.get(id)
  const set = recursiveDifference(toFieldSet(node, apply.patch), resetSet(apply))
  const owned: Owned = { ...who(apply, id), set, time: last?.time }
  owners.set(id, owned)
  yield
  const merged = yield* mergeTypedInSteps(node, asJson(live), apply.patch)
  yield
  const updated = asKubeObject(yield* prune({ context: apply, merged, last, owners }))
  yield
  const changes = yield* changesBetween(apply, owners, live, updated)
  yield
  const conflicts = findConflicts(owners, changes, id)
  if (conflicts.length > 0 && !force) throw new ApplyConflict(conflicts)
  yield
  disown(owners, changes, conflicts, id)
  yield
  const changed = !equalJson(live, updated)
  setOwned(owners, { ...owned, set: difference(set, serverFields), time: changed ? apply.now : last?.time })
  capUpdateManagers(owners)
  yield
  return { object: asJson(changed ? updated : live), managedFields: yield* encodeOwnersSteps(owners), changed }
}

const who = (apply: Apply, id: string) => ({
  id,
  manager: apply.manager,
  operation: 'Apply' as const,
  subresource: apply.subresource,
  apiVersion: apply.apiVersion,
})
