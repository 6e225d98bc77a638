import { semanticEqual } from '../../../machinery/equal.ts'
import type { KubeObject } from '../../../machinery/object.ts'

/** Whether only owner references and finalizers differ: the garbage collector must be able to update every object. */
export function changesOnlyOwners(object: KubeObject, old: KubeObject): boolean {
  const bare = ({ metadata, ...rest }: KubeObject) => {
    const { ownerReferences: _, finalizers: __, managedFields: ___, resourceVersion: ____, ...meta } = metadata
    return { ...rest, metadata: meta }
  }
  const changed =
    !semanticEqual(object.metadata.ownerReferences, old.metadata.ownerReferences) ||
    !semanticEqual(object.metadata.finalizers, old.metadata.finalizers)
  return changed && semanticEqual(bare(object), bare(old))
}
