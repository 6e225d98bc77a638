import type { ResourceRef } from '../machinery/api-call.ts'
import type { KubeObject } from '../machinery/object.ts'
import type { Reader } from '../machinery/resource/definition.ts'

/** Reports changes of cached objects, as the watch cache does. */
interface ChangeFeed {
  onChange(group: string, resource: string, listener: (object: KubeObject | undefined, old: KubeObject | undefined) => void): unknown
}

/**
 * Typed access to cached objects of a built-in kind: every stored object was decoded and validated by the kind's schema, from which the
 * type is generated.
 */
export const readObject = <T extends KubeObject>(
  reader: Pick<Reader, 'get'>,
  ref: ResourceRef<T>,
  namespace: string,
  name: string,
): T | undefined => reader.get(ref.group, ref.resource, namespace, name) as T | undefined

/** Calls the listener with each change of the collection's objects: new without old, old without new, or both. */
export const onChangeOf = <T extends KubeObject>(
  feed: ChangeFeed,
  ref: ResourceRef<T>,
  listener: (object: T | undefined, old: T | undefined) => void,
): void => {
  feed.onChange(ref.group, ref.resource, (object, old) => listener(object as T | undefined, old as T | undefined))
}

/** The objects of one namespace, or of all. */
export const listObjects = <T extends KubeObject>(reader: Pick<Reader, 'list'>, ref: ResourceRef<T>, namespace?: string): readonly T[] =>
  reader.list(ref.group, ref.resource, namespace) as readonly T[]
