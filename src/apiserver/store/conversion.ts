import { andThen, type Later } from '../../base/steps.ts'
import { equalJson } from '../../machinery/equal.ts'
import { apiVersionOf, cloneJson, type KubeObject } from '../../machinery/object.ts'
import type { ResourceDefinition } from '../../machinery/resource/definition.ts'
import { orderedMeta } from '../cache/object-bytes.ts'
import type { ResourceRegistry } from '../cache/resource-registry.ts'
import type { NewState } from '../cache/watch-cache.ts'

/** The apiVersion under which a definition's objects are stored. */
export function storageApiVersion(definitions: ResourceRegistry, d: ResourceDefinition): string {
  if (d.storedAs === undefined) return apiVersionOf({ group: d.group, version: d.storageVersion })
  const stored = definitions.get(d.storedAs.group, d.storedAs.resource)
  return apiVersionOf({ group: d.storedAs.group, version: stored?.storageVersion ?? d.storageVersion })
}

/**
 * The apiVersion in which a write is processed (working version): the storage version for built-in kinds, the version of the request for
 * custom ones.
 */
export function workingApiVersion(definitions: ResourceRegistry, d: ResourceDefinition, version: string): string {
  return d.customDefinition === undefined ? storageApiVersion(definitions, d) : apiVersionOf({ group: d.group, version })
}

/** The object in another apiVersion; the object itself if it has it already. Does not change its argument. */
export function convert(d: Pick<ResourceDefinition, 'convert'>, object: KubeObject, apiVersion: string): Later<KubeObject> {
  if (object.apiVersion === apiVersion) return object
  if (d.convert === undefined) return { ...object, apiVersion }
  return andThen(d.convert([object], apiVersion), ([converted]) => converted ?? object)
}

/** A draft in the stored version, with what reading it back adds. Never changes its argument. */
export function toStored(definitions: ResourceRegistry, d: ResourceDefinition, draft: KubeObject): Later<NewState> {
  const wanted = storageApiVersion(definitions, d)
  // A custom object in the stored version got its defaults when it was decoded.
  const isShown = d.readBack === undefined || (d.customDefinition !== undefined && draft.apiVersion === wanted)
  return andThen(convert(d, draft, wanted), (written) => {
    if (isShown) return { object: written }
    const object = cloneJson(written)
    d.readBack?.(object)
    object.metadata = orderedMeta(object.metadata)
    return equalJson(object, written) ? { object } : { object, written }
  })
}

/** Converts many objects with one call of the converter. */
export async function convertAll(
  d: ResourceDefinition,
  objects: readonly KubeObject[],
  apiVersion: string,
): Promise<readonly KubeObject[]> {
  const foreign = objects.filter((o) => o.apiVersion !== apiVersion)
  if (foreign.length === 0) return objects
  if (d.convert === undefined) return objects.map((o) => ({ ...o, apiVersion }))
  const converted = await d.convert(foreign, apiVersion)
  let at = 0
  return objects.map((o) => (o.apiVersion === apiVersion ? o : (converted[at++] ?? o)))
}
