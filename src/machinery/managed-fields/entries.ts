import { byText } from '../../base/by-text.ts'
import { messageOf } from '../../base/message-of.ts'
import { atOnce, type Steps } from '../../base/steps.ts'
import type { JsonObject, ManagedFieldsEntry } from '../object.ts'
import { isHeavy } from '../weight.ts'
import { commonSet, isCommonSet } from './field-set/common-sets.ts'
import { type FieldSet, isEmptySet, readFieldSet, unionAll } from './field-set/field-set.ts'
import { orderedInSteps } from './field-set/ordered-in-steps.ts'
import { ordered } from './field-set/ordered-set.ts'

/** The fields of one manager, in one version of the type. */
export interface Owned {
  /** Identifies manager, operation, version (of updates) and subresource. */
  readonly id: string
  readonly manager: string
  readonly operation: 'Apply' | 'Update'
  readonly subresource: string
  readonly apiVersion: string
  readonly set: FieldSet
  readonly time: string | undefined
}

/** All owners of an object, by id. */
export type Owners = Map<string, Owned>

const maxUpdateManagers = 10
const bucketName = 'ancient-changes'

/** The key that distinguishes managers. Appliers have one key for all versions. */
export function ownerId(who: { manager: string; operation: 'Apply' | 'Update'; apiVersion: string; subresource: string }): string {
  return JSON.stringify({
    ...(who.manager === '' ? {} : { manager: who.manager }),
    operation: who.operation,
    ...(who.operation === 'Apply' || who.apiVersion === '' ? {} : { apiVersion: who.apiVersion }),
    ...(who.subresource === '' ? {} : { subresource: who.subresource }),
  })
}

/** Entries that cannot be decoded. */
export class ManagedFieldsError extends Error {
  override readonly name = 'ManagedFieldsError'
}

/**
 * Decodes `metadata.managedFields`. Entries that this process wrote are in normal form; others are normalized.
 * @throws {ManagedFieldsError}
 */
export function decodeOwners(entries: readonly ManagedFieldsEntry[] | null | undefined): Owners {
  return atOnce(decodeOwnersSteps(entries, true))
}

/** Owners that are decoded or encoded in one step. */
const OWNERS_PER_STEP = 200

/** Decodes the entries in steps. */
export function* decodeOwnersSteps(entries: readonly ManagedFieldsEntry[] | null | undefined, trusted: boolean): Steps<Owners> {
  const owners: Owners = new Map()
  for (const [i, entry] of (entries ?? []).entries()) {
    if (i % OWNERS_PER_STEP === OWNERS_PER_STEP - 1) yield
    const operation = entry?.operation
    if (operation !== 'Apply' && operation !== 'Update') throw new ManagedFieldsError('operation must be `Apply` or `Update`')
    if (!entry.apiVersion) throw new ManagedFieldsError('apiVersion must not be empty')
    if (!entry.fieldsType) throw new ManagedFieldsError(`missing fieldsType in managed fields entry ${i}`)
    if (entry.fieldsType !== 'FieldsV1')
      throw new ManagedFieldsError(`invalid fieldsType "${entry.fieldsType}" in managed fields entry ${i}`)
    const who = { manager: entry.manager ?? '', operation, apiVersion: entry.apiVersion, subresource: entry.subresource ?? '' }
    const id = ownerId(who)
    owners.set(id, { ...who, id, set: readSet(entry.fieldsV1, trusted), time: entry.time ?? undefined })
  }
  return owners
}

function readSet(fields: JsonObject | undefined | null, trusted: boolean): FieldSet {
  if (trusted) return (fields ?? {}) as FieldSet
  try {
    return readFieldSet(fields ?? {})
  } catch (error) {
    throw new ManagedFieldsError(`failed to decode managed fields: ${messageOf(error)}`)
  }
}

/** Encodes the owners as they are stored: appliers first, then by time and name. Undefined if there are none. */
export function encodeOwners(owners: Owners): ManagedFieldsEntry[] | undefined {
  return atOnce(encodeOwnersSteps(owners))
}

/** Encodes the owners in steps. */
export function* encodeOwnersSteps(owners: Owners): Steps<ManagedFieldsEntry[] | undefined> {
  if (owners.size === 0) return undefined
  const entries: ManagedFieldsEntry[] = []
  const all = [...owners.values()]
  for (const owned of all.length > 1 ? all.sort(byAge) : all) {
    if (entries.length % OWNERS_PER_STEP === OWNERS_PER_STEP - 1) yield
    entries.push({
      ...(owned.manager === '' ? {} : { manager: owned.manager }),
      operation: owned.operation,
      apiVersion: owned.apiVersion,
      ...(owned.time === undefined ? {} : { time: owned.time }),
      fieldsType: 'FieldsV1',
      fieldsV1: (yield* storedForm(owned.set)) as JsonObject,
      ...(owned.subresource === '' ? {} : { subresource: owned.subresource }),
    })
  }
  return entries
}

/** The ordered set; if other objects have an equal one, that one. */
function* storedForm(set: FieldSet): Steps<FieldSet> {
  // Sets that this process stored are ordered.
  if (isCommonSet(set)) return set
  if (!isHeavy(set)) return commonSet(ordered(set))
  yield
  return yield* orderedInSteps(set)
}

function byAge(a: Owned, b: Owned): number {
  return (
    byText(a.operation, b.operation) ||
    byText(a.time ?? '', b.time ?? '') ||
    byText(a.manager, b.manager) ||
    byText(a.apiVersion, b.apiVersion) ||
    byText(a.subresource, b.subresource)
  )
}

/** Sets one owner in place; removes an owner whose set is empty. */
export function setOwned(owners: Owners, owned: Owned): void {
  if (isEmptySet(owned.set)) owners.delete(owned.id)
  else owners.set(owned.id, owned)
}

/** Bounds the number of update managers: the oldest of a version are merged under one name. */
export function capUpdateManagers(owners: Owners): void {
  const updates = [...owners.values()].filter((owned) => owned.operation === 'Update')
  let count = updates.length
  if (count <= maxUpdateManagers) return
  updates.sort((a, b) => byText(a.time ?? '', b.time ?? '') || byText(a.id, b.id))
  const first = new Map<string, Owned>()
  const buckets = new Map<string, { readonly sets: FieldSet[]; last: Owned }>()
  for (const owned of updates) {
    if (count <= maxUpdateManagers) break
    const { apiVersion } = owned
    const oldest = first.get(apiVersion)
    if (oldest === undefined) {
      first.set(apiVersion, owned)
      continue
    }
    const id = bucketId(apiVersion)
    let bucket = buckets.get(apiVersion)
    if (bucket === undefined) {
      // If the merged entry exists already, the oldest is kept beside it, as in Kubernetes.
      const standing = owners.get(id)
      if (standing === undefined) owners.delete(oldest.id)
      bucket = { sets: [(standing ?? oldest).set], last: owned }
      buckets.set(apiVersion, bucket)
    }
    if (owned.id !== id) owners.delete(owned.id)
    bucket.sets.push(owned.set)
    bucket.last = owned
    count--
  }
  for (const [apiVersion, { sets, last }] of buckets) {
    const who = { manager: bucketName, operation: 'Update' as const, apiVersion, subresource: '' }
    const id = bucketId(apiVersion)
    owners.set(id, { ...who, id, set: unionAll(sets), time: last.time })
  }
}

const bucketId = (apiVersion: string): string => ownerId({ manager: bucketName, operation: 'Update', apiVersion, subresource: '' })
