import { atOnce, type Steps } from '../../base/steps.ts'
import { equalJson } from '../equal.ts'
import { asJson, type KubeObject, type ManagedFieldsEntry } from '../object.ts'
import { StatusError } from '../status-error.ts'
import { isHeavy } from '../weight.ts'
import { changesBetween, disown, findConflicts, reconcileOwners } from './changes.ts'
import { emptyObject, nodeOf, resetSet, serverFields, type WriteContext, withoutManagedFields } from './context.ts'
import {
  capUpdateManagers,
  decodeOwnersSteps,
  encodeOwners,
  encodeOwnersSteps,
  ManagedFieldsError,
  type Owned,
  type Owners,
  ownerId,
  setOwned,
} from './entries.ts'
import { contains, difference, isEmptySet, recursiveDifference, union } from './field-set/field-set.ts'
import { recall, remember } from './recall.ts'
import { KeylessElementError } from './typed/list-element.ts'
import { fitsType } from './typed/validate-typed.ts'

/** A create, PUT or patch, with the new object and before admission. */
export interface TrackedUpdate extends WriteContext {
  /** Undefined for a create. */
  readonly live: KubeObject | undefined
  /** In the version of `live`, decoded and with its defaults. */
  readonly updated: KubeObject
  readonly manager: string
}

/**
 * The managed fields after a write that is not an apply: the writer owns what it changed, others lose it. The time of its entry changes
 * only if it gained fields. A client may send managed fields of its own, and clear them with an empty list.
 */
export function trackUpdate(write: TrackedUpdate): ManagedFieldsEntry[] | undefined {
  return atOnce(trackUpdateSteps(write))
}

/** Tracks in steps, each of which reads the whole object once. */
export function* trackUpdateSteps(write: TrackedUpdate): Steps<ManagedFieldsEntry[] | undefined> {
  // Kubernetes tracks no fields of a custom object that does not fit its type, even if its validation accepts or does not see that.
  if (write.schema.go === undefined && !fitsType(nodeOf(write), asJson(withoutManagedFields(write.updated)))) return undefined
  yield
  try {
    return yield* trackWrite(write)
  } catch (error) {
    // The fields of an owner in an unavailable version are unknown; the write itself is valid.
    if (error instanceof StatusError || error instanceof KeylessElementError) return undefined
    throw error
  }
}

/** The same; throws where fields cannot be tracked. */
export function* trackWrite(write: TrackedUpdate): Steps<ManagedFieldsEntry[] | undefined> {
  const { live, updated } = write
  if (live === undefined && !updated.metadata?.managedFields) return yield* trackCreate(write)
  const before = live?.metadata?.managedFields
  yield
  const owners = yield* ownersOf(write)
  if (owners === 'unreadable') return before
  // Of several entries of one owner the last counts.
  const merged = owners.size < (before?.length ?? 0)
  // Tracking begins with the object, or with the first apply.
  if (owners.size === 0 && live?.metadata?.uid) return undefined
  yield
  reconcileOwners(write, owners)
  const given = updated.metadata?.managedFields
  const own = yield* track(write, owners, withoutManagedFields(live ?? emptyObject(write)), withoutManagedFields(updated))
  yield
  return own || merged || (given ?? before) !== before ? yield* encodeOwnersSteps(owners) : before
}

/** The single entry of an object that comes without managed fields. */
function* trackCreate(write: TrackedUpdate): Steps<ManagedFieldsEntry[] | undefined> {
  const { updated } = write
  const zero = emptyObject(write)
  const known = recall(write, zero, updated)
  const id = ownerId({ manager: write.manager, operation: 'Update', apiVersion: write.apiVersion, subresource: write.subresource })
  if (known !== undefined) return encodeOwners(new Map([[id, entryOf(write, id, known as Owned['set'])]]))
  yield
  const owners: Owners = new Map()
  yield* track(write, owners, zero, updated)
  yield
  const entries = yield* encodeOwnersSteps(owners)
  const fields = entries?.length === 1 ? entries[0]?.fieldsV1 : undefined
  if (fields !== undefined && !isHeavy(updated)) remember(write, updated, fields)
  return entries
}

function* ownersOf(write: TrackedUpdate): Steps<Owners | 'unreadable'> {
  const before = write.live?.metadata?.managedFields
  const given = write.updated.metadata?.managedFields
  if (write.subresource === '' && given !== before && given !== undefined && given !== null && !equalJson(given, before)) {
    if (isReset(given)) return new Map()
    try {
      const owners = yield* decodeOwnersSteps(given, false)
      if (owners.size > 0) return owners
    } catch (error) {
      if (!(error instanceof ManagedFieldsError)) throw error
    }
  }
  try {
    return yield* decodeOwnersSteps(before, true)
  } catch (error) {
    if (error instanceof ManagedFieldsError) return new Map()
    throw error
  }
}

/** An empty list, or one empty entry. */
const isReset = (entries: readonly ManagedFieldsEntry[]): boolean =>
  entries.length === 0 ||
  (entries.length === 1 && entries[0] !== undefined && Object.values(entries[0]).every((v) => v === undefined || v === null || v === ''))

/** Returns true if any owner changed. */
function* track(write: TrackedUpdate, owners: Owners, live: KubeObject, updated: KubeObject): Steps<boolean> {
  const changes = yield* changesBetween(write, owners, live, updated)
  yield
  const id = ownerId({ manager: write.manager, operation: 'Update', apiVersion: write.apiVersion, subresource: write.subresource })
  const count = owners.size
  for (const owner of [...owners.values()]) setOwned(owners, owner)
  const conflicts = findConflicts(owners, changes, undefined)
  yield
  const taken = recursiveDifference(union(changes.whole.modified, changes.whole.added), resetSet(write))
  const written = difference(taken, serverFields)
  if (isEmptySet(written) && isEmptySet(changes.whole.removed) && conflicts.length === 0) return owners.size !== count
  const previous = owners.get(id)
  yield
  disown(owners, changes, conflicts, undefined)
  yield
  if (!isEmptySet(written)) {
    const owned = previous !== undefined && isEmptySet(changes.whole.removed) && contains(previous.set, written) ? previous.set : undefined
    setOwned(owners, entryOf(write, id, owned ?? union(written, owners.get(id)?.set ?? {})))
  }
  capUpdateManagers(owners)
  return true
}

const entryOf = (write: TrackedUpdate, id: string, set: Owned['set']): Owned => ({
  id,
  manager: write.manager,
  operation: 'Update',
  subresource: write.subresource,
  apiVersion: write.apiVersion,
  set,
  time: write.now,
})
