import type { KubeObject } from '../../machinery/object.ts'
import { PodGroups } from '../cache/pod-groups.ts'
import type { ListedObjects, ListedResource, Listers } from './listers.ts'

/** Listers over the objects that `of` gives of a resource, as a test or a recording writes them. */
export function listersOver(of: (resource: string) => readonly KubeObject[], more: Partial<Listers> = {}): Listers {
  const list = <R extends ListedResource>(resource: R, namespace: string) =>
    of(resource).filter((o) => namespace === '' || o.metadata.namespace === namespace) as unknown as readonly ListedObjects[R][]
  return {
    list,
    get: (resource, namespace, name) => list(resource, namespace).find((o) => o.metadata.name === name),
    namespaceLabels: () => ({}),
    podGroup: (namespace, name) => new PodGroups().of(namespace, name),
    version: () => 0,
    ...more,
  }
}

/** A cluster without objects beside nodes and pods. */
export const NO_OBJECTS: Listers = listersOver(() => [])
