import type { KubeObject, OwnerReference } from '../../machinery/object.ts'
import type { ResourceRef } from '../../sdk/client/client.ts'
import { CONTROLLER_REVISIONS, ENDPOINT_SLICES, JOBS, PODS, REPLICA_SETS } from '../../sdk/client/refs.ts'
import type { Indexers } from '../../sdk/informer/indexed-store.ts'
import type { Informer } from '../../sdk/informer/informer.ts'

/** The one owner that manages the object. */
export const controllerOf = (object: KubeObject): OwnerReference | undefined => object.metadata.ownerReferences?.find((r) => r.controller)

const uidsOf = (reference: OwnerReference | undefined) => (reference === undefined ? [] : [reference.uid])

const ownership: Indexers<KubeObject> = {
  controller: (object) => uidsOf(controllerOf(object)),
  free: (object) => (controllerOf(object) === undefined ? [object.metadata.namespace ?? ''] : []),
}

const SERVICE_NAME = 'kubernetes.io/service-name'

const keyOf = ({ group, resource }: ResourceRef) => `${resource}.${group}`

/** By what the copies of a collection can be looked up. */
const INDEXES: ReadonlyMap<string, Indexers<KubeObject>> = new Map([
  [keyOf(PODS), { ...ownership, node: (pod) => (pod.spec?.nodeName ? [pod.spec.nodeName] : []) }],
  [keyOf(REPLICA_SETS), ownership],
  [keyOf(JOBS), ownership],
  [keyOf(CONTROLLER_REVISIONS), ownership],
  [keyOf(ENDPOINT_SLICES), { service: (slice) => [`${slice.metadata.namespace}/${slice.metadata.labels?.[SERVICE_NAME] ?? ''}`] }],
])

export const indexersOf = (ref: ResourceRef): Indexers<KubeObject> => INDEXES.get(keyOf(ref)) ?? {}

type Copies = Pick<Informer<KubeObject>, 'byIndex'>

/** What the owner controls. */
export const controlledBy = (copies: Copies, owner: KubeObject): readonly KubeObject[] =>
  copies.byIndex('controller', owner.metadata.uid ?? 'none')

/** What the owner controls, and what nobody does: it may want it. */
export const claimable = (copies: Copies, owner: KubeObject): readonly KubeObject[] => [
  ...controlledBy(copies, owner),
  ...copies.byIndex('free', owner.metadata.namespace ?? ''),
]

export const podsOnNode = (pods: Copies, node: string): readonly KubeObject[] => pods.byIndex('node', node)

/** The endpoint slices of a service, whoever wrote them. */
export const slicesOf = (slices: Copies, service: KubeObject): readonly KubeObject[] =>
  slices.byIndex('service', `${service.metadata.namespace}/${service.metadata.name}`)
