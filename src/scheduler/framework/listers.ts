import type { ReplicaSet, StatefulSet } from '../../resources/types/apps.ts'
import type {
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  ReplicationController,
  Service,
} from '../../resources/types/core.ts'
import type { PodDisruptionBudget } from '../../resources/types/policy.ts'
import type { DeviceClass, ResourceClaim, ResourceSlice } from '../../resources/types/resource.ts'
import type { PodGroup } from '../../resources/types/scheduling-v1alpha2.ts'
import type { CSINode, StorageClass } from '../../resources/types/storage.ts'
import type { NamespaceLabels } from '../cache/pod-counters.ts'
import type { PodGroupMembers } from '../cache/pod-groups.ts'

/** The resources that the scheduler watches beside pods, with the types of their objects. */
export interface ListedObjects {
  readonly namespaces: Namespace
  readonly nodes: Node
  readonly services: Service
  readonly replicationcontrollers: ReplicationController
  readonly replicasets: ReplicaSet
  readonly statefulsets: StatefulSet
  readonly poddisruptionbudgets: PodDisruptionBudget
  readonly persistentvolumeclaims: PersistentVolumeClaim
  readonly persistentvolumes: PersistentVolume
  readonly storageclasses: StorageClass
  readonly csinodes: CSINode
  readonly resourceclaims: ResourceClaim
  readonly resourceslices: ResourceSlice
  readonly deviceclasses: DeviceClass
  readonly podgroups: PodGroup
}

export type ListedResource = keyof ListedObjects

/** What plugins may read beside the node table. */
export interface Listers {
  /** All objects of a resource in one namespace (`''`: in all, or of cluster scope). */
  list<R extends ListedResource>(resource: R, namespace: string): readonly Readonly<ListedObjects[R]>[]
  get<R extends ListedResource>(resource: R, namespace: string, name: string): Readonly<ListedObjects[R]> | undefined
  readonly namespaceLabels: NamespaceLabels
  /** The pods that name a PodGroup, whether it exists or not. */
  podGroup(namespace: string, name: string): PodGroupMembers
  /** Grows with every change of an object of the resource: what was derived from all of them is valid until then. */
  version(resource: ListedResource): number
}
