import type { KubeObject, OwnerReference } from '../../machinery/object.ts'
import { CONTROLLER_REVISIONS, ENDPOINT_SLICES, JOBS, PODS, REPLICA_SETS } from '../../resources/refs.ts'
import type { Pod, Service } from '../../resources/types/core.ts'
import type { ResourceClaim } from '../../resources/types/resource.ts'
import type { ResourceRef } from '../../sdk/client/client.ts'
import type { Indexers, Informer } from '../../sdk/informer/informer.ts'

/** The one owner that manages the object. */
export const controllerOf = (object: KubeObject): OwnerReference | undefined => object.metadata.ownerReferences?.find((r) => r.controller)

const uidsOf = (reference: OwnerReference | undefined) => (reference === undefined ? [] : [reference.uid])

/** By the uid of the controller; and, of objects without one, by namespace. */
const ownership: Indexers<KubeObject> = {
  controller: (object) => uidsOf(controllerOf(object)),
  free: (object) => (controllerOf(object) === undefined ? [object.metadata.namespace ?? ''] : []),
}

/** The claims that a pod uses: named in its spec, created for it, and that of its extended resources. */
export function claimNamesOf({ spec, status }: Pod): readonly string[] {
  const references = [...(spec.resourceClaims ?? []), ...(status?.resourceClaimStatuses ?? [])]
  const named = references.flatMap((r) => r.resourceClaimName ?? [])
  return [...named, ...[status?.extendedResourceClaimStatus?.resourceClaimName ?? []].flat()]
}

const SERVICE_NAME = 'kubernetes.io/service-name'

const keyOf = ({ group, resource }: ResourceRef) => `${resource}.${group}`
const indexed = <T extends KubeObject>(ref: ResourceRef<T>, indexers: Indexers<T>) => [keyOf(ref), indexers] as const

/** Informers are shared and made before most controllers are loaded: all indexes that any of them needs are listed here. */
const INDEXES: ReadonlyMap<string, Indexers<never>> = new Map<string, Indexers<never>>([
  indexed(PODS, {
    ...ownership,
    node: (pod) => (pod.spec.nodeName ? [pod.spec.nodeName] : []),
    claim: (pod) => (pod.spec.resourceClaims === undefined ? [] : claimNamesOf(pod)).map((name) => `${pod.metadata.namespace}/${name}`),
  }),
  indexed(REPLICA_SETS, ownership),
  indexed(JOBS, ownership),
  indexed(CONTROLLER_REVISIONS, ownership),
  indexed(ENDPOINT_SLICES, { service: (slice) => [`${slice.metadata.namespace}/${slice.metadata.labels?.[SERVICE_NAME] ?? ''}`] }),
])

// The indexers under the key of a ref are for its objects.
export const indexersOf = <T extends KubeObject>(ref: ResourceRef<T>): Indexers<T> => (INDEXES.get(keyOf(ref)) ?? {}) as Indexers<T>

type Copies<T extends KubeObject> = Pick<Informer<T>, 'byIndex'>

/** What the owner controls. */
export const controlledBy = <T extends KubeObject>(copies: Copies<T>, owner: KubeObject): readonly Readonly<T>[] =>
  copies.byIndex('controller', owner.metadata.uid ?? 'none')

/** What the owner controls, and what has no controller: the owner may adopt it. */
export const claimable = <T extends KubeObject>(copies: Copies<T>, owner: KubeObject): readonly Readonly<T>[] => [
  ...controlledBy(copies, owner),
  ...copies.byIndex('free', owner.metadata.namespace ?? ''),
]

export const podsOnNode = <T extends KubeObject>(pods: Copies<T>, node: string): readonly Readonly<T>[] => pods.byIndex('node', node)

/** The endpoint slices of a service, whichever client created them. */
export const slicesOf = <T extends KubeObject>(slices: Copies<T>, { metadata }: Pick<Service, 'metadata'>): readonly Readonly<T>[] =>
  slices.byIndex('service', `${metadata.namespace}/${metadata.name}`)

/** The pods with claims of their own that use this one. */
export const podsOfClaim = <T extends KubeObject>(pods: Copies<T>, { metadata }: Pick<ResourceClaim, 'metadata'>): readonly Readonly<T>[] =>
  pods.byIndex('claim', `${metadata.namespace}/${metadata.name}`)
