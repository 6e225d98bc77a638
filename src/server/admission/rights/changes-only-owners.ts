import { semanticEqual } from '../../../machinery/equal.ts'
import type { KubeObject } from '../../../machinery/object.ts'

/** Whether at most owner references and finalizers differ: the garbage collector must be able to update every object. */
export function changesOnlyOwners(object: KubeObject, old: KubeObject): boolean {
  const bare = ({ metadata, ...rest }: KubeObject) => {
    const { ownerReferences: _, finalizers: __, managedFields: ___, ...meta } = metadata
    return { ...rest, metadata: meta }
  }
  return semanticEqual(bare(object), bare(old))
}
