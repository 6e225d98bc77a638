import { asJson, isObject, type Json, type JsonObject, type KubeObject } from '../../../machinery/object.ts'
import { alsoEmpty } from '../../../machinery/schema/given-empty.ts'
import { jsonOf, type Patcher, type PatchSource, type PatchTarget, patched } from './patch-source.ts'

/** A patch and the object that it is applied to. */
export interface Patching {
  readonly patcher: Patcher
  readonly target: PatchTarget
  readonly source: PatchSource
}

/**
 * Patches an object without its managed fields (half of most objects) unless the patch writes them; they are put back unread. A JSON patch
 * (`whole`) may address them by a path, and gets the whole object.
 */
export async function patchBesideManagers(
  { patcher, target, source }: Patching,
  before: Readonly<KubeObject>,
  whole: boolean,
): Promise<KubeObject> {
  const { managedFields, ...metadata } = before.metadata
  if (whole || managedFields === undefined || namesManagers(source)) return patched(patcher, target, asJson(before), source)
  const object = await patched(patcher, { ...target, managedFields }, asJson({ ...before, metadata }), source)
  object.metadata.managedFields = managedFields
  return object
}

/** True if a merge patch or strategic merge patch writes managed fields: by name, with the whole metadata, or by a directive (`$patch`). */
export function namesManagers(source: PatchSource): boolean {
  const json = jsonOf(source)
  // The patcher rejects what is not an object.
  if (!isObject(json)) return false
  if (hasDirective(json)) return true
  if (!Object.hasOwn(json, 'metadata')) return false
  const { metadata } = json
  return !isObject(metadata) || hasDirective(metadata) || Object.hasOwn(metadata, 'managedFields')
}

const hasDirective = (value: JsonObject): boolean => Object.keys(value).some((key) => key.startsWith('$'))

/** An object with its managed fields; Go writes them last in the metadata. */
export function withManagers(object: Json, managedFields: NonNullable<PatchTarget['managedFields']>): Json {
  if (!isObject(object)) return object
  const metadata = { ...(isObject(object.metadata) ? object.metadata : {}), managedFields: managedFields.map(asJson) }
  return alsoEmpty({ ...object, metadata }, object)
}
