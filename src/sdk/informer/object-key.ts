import type { KubeObject } from '../../machinery/object.ts'

/** `namespace/name`, or `name` for objects of the cluster. */
export function objectKey(object: Readonly<KubeObject>): string {
  const { namespace, name = '' } = object.metadata
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`
}

/** The reverse of `objectKey`. */
export function splitKey(key: string): { namespace: string; name: string } {
  const slash = key.indexOf('/')
  return slash === -1 ? { namespace: '', name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) }
}
