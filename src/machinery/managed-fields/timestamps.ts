import { equalJson } from '../equal.ts'
import type { KubeObject, ManagedFieldsEntry } from '../object.ts'

/**
 * True if a write changes only the times of managed fields. Such a write is dropped: the live object stays unchanged. Resource versions are
 * not compared.
 */
export function changesOnlyTimes(updated: KubeObject, live: KubeObject): boolean {
  const before = live.metadata.managedFields
  const after = updated.metadata.managedFields
  if (!sameButTimes(before, after)) return false
  return equalJson(timeless(updated), timeless(live))
}

function sameButTimes(a: readonly ManagedFieldsEntry[] | undefined, b: readonly ManagedFieldsEntry[] | undefined): boolean {
  if (a === b) return true
  if ((a?.length ?? 0) !== (b?.length ?? 0)) return false
  return (a ?? []).every((entry, i) => equalJson({ ...entry, time: '' }, { ...b?.[i], time: '' }))
}

function timeless(object: KubeObject): KubeObject {
  const { managedFields: _, resourceVersion: __, ...metadata } = object.metadata
  return { ...object, metadata }
}
