import type { KubeObject } from '../../../machinery/object.ts'
import type { ServedResource } from '../../cache/resource-registry.ts'
import type { StoredObject } from '../../cache/stored-object.ts'
import { convertAll } from '../../store/conversion.ts'
import { requestVersion } from '../../store/write.ts'

/** Stored objects in the version of a request. Objects that a webhook must convert are converted in advance, many per call. */
export interface AsRequested {
  /** Converts the items that need it; undefined if none does. Rejects if they cannot be converted. */
  prepare(items: readonly StoredObject[]): Promise<void> | undefined
  /** The object in the version of the request. Items that need a conversion must have been prepared. */
  of(item: StoredObject): KubeObject
}

export function asRequested(served: ServedResource): AsRequested {
  const version = requestVersion({ served })
  const converted = new WeakMap<StoredObject, KubeObject>()
  return {
    prepare(items) {
      const foreign = items.filter((item) => item.object.apiVersion !== version && !converted.has(item))
      if (foreign.length === 0) return undefined
      const objects = foreign.map((item) => item.object)
      return convertAll(served.definition, objects, version).then((made) => {
        for (const [i, item] of foreign.entries()) converted.set(item, made[i] ?? item.object)
      })
    },
    of(item) {
      const { object } = item
      if (object.apiVersion === version) return object
      const known = converted.get(item)
      if (known === undefined) throw new Error('an object is looked into before it is converted into the version of the request')
      return known
    },
  }
}
