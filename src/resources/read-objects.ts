import type { ResourceRef } from '../machinery/api-call.ts'
import type { KubeObject } from '../machinery/object.ts'
import type { Reader } from '../machinery/resource/definition.ts'

/**
 * Cached objects of a built-in kind, with their type: everything that is stored was decoded and validated by the kind's schema, from which
 * the type is generated.
 */
export const readObject = <T extends KubeObject>(
  reader: Pick<Reader, 'get'>,
  ref: ResourceRef<T>,
  namespace: string,
  name: string,
): T | undefined => reader.get(ref.group, ref.resource, namespace, name) as T | undefined

/** Those of one namespace, or of all. */
export const listObjects = <T extends KubeObject>(reader: Pick<Reader, 'list'>, ref: ResourceRef<T>, namespace?: string): readonly T[] =>
  reader.list(ref.group, ref.resource, namespace) as readonly T[]
