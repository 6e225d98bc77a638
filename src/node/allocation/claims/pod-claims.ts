import { parseQuantity } from '../../../machinery/quantity.ts'
import type { PodResourceClaim } from '../../../resources/types/core.ts'
import type { Container, Pod } from '../../types/pod.ts'
import { type Claim, ClaimError } from './claim.ts'
import type { PreparedClaim } from './prepared-claims.ts'

/** A claim that a pod uses. */
export interface ClaimUse {
  /** The name of the ResourceClaim. */
  readonly claim: string
  /** It was generated from a template for this pod: another claim of that name must not be used. */
  readonly generated: boolean
}

const extendedClaim = (pod: Pod) => pod.status.extendedResourceClaimStatus

/** All claims of a pod; the one for extended resources comes last. Throws `ClaimError` while one of them does not exist yet. Pure. */
export function claimsOf(pod: Pod): readonly ClaimUse[] {
  const named = (pod.spec.resourceClaims ?? []).flatMap((claim) => useOf(pod, claim) ?? [])
  const extended = extendedClaim(pod)
  return extended === undefined ? named : [...named, { claim: extended.resourceClaimName, generated: false }]
}

/** undefined: the pod needs no claim for this entry. */
function useOf(pod: Pod, { name, resourceClaimName, resourceClaimTemplateName }: PodResourceClaim): ClaimUse | undefined {
  if (resourceClaimName !== undefined) return { claim: resourceClaimName, generated: false }
  const where = `pod "${pod.metadata.namespace}/${pod.metadata.name}"`
  if (resourceClaimTemplateName === undefined)
    throw new ClaimError(`${where}, spec.resourceClaim "${name}": none of the supported fields are set`)
  const made = generatedNames(pod).find((s) => s.name === name)
  if (made === undefined) throw new ClaimError(`${where}: ResourceClaim not created yet`)
  return made.resourceClaimName === undefined ? undefined : { claim: made.resourceClaimName, generated: true }
}

const generatedNames = (pod: Pod) => pod.status.resourceClaimStatuses ?? []

/** A request of a claim that a container uses. */
export interface RequestUse {
  readonly claim: string
  /** The request's name in the container; empty: the whole claim. */
  readonly request: string
  /** The name of the pod's entry; undefined: the claim is for an extended resource. */
  readonly entry: string | undefined
}

/** What a container uses of the pod's claims, in the order of the pod's entries. Throws as `claimsOf`. Pure. */
export function requestsOf(pod: Pod, container: Container): readonly RequestUse[] {
  const references = container.resources?.claims ?? []
  const named = (pod.spec.resourceClaims ?? []).flatMap((claim) => {
    const wanted = references.filter((r) => r.name === claim.name)
    const use = wanted.length === 0 ? undefined : useOf(pod, claim)
    return use === undefined ? [] : wanted.map(({ request = '' }) => ({ claim: use.claim, request, entry: claim.name }))
  })
  return [...named, ...extendedRequests(pod, container)]
}

function extendedRequests(pod: Pod, container: Container): readonly RequestUse[] {
  const extended = extendedClaim(pod)
  const requested = { ...container.resources?.limits, ...container.resources?.requests }
  const wants = (resource: string) => Object.hasOwn(requested, resource) && !parseQuantity(String(requested[resource])).isZero()
  return (extended?.requestMappings ?? [])
    .filter((m) => m.containerName === container.name && wants(m.resourceName))
    .map((m) => ({ claim: extended?.resourceClaimName ?? '', request: m.requestName, entry: undefined }))
}

/** Whether the resource is provided by a claim of the pod. Pure. */
export const isProvidedByClaim = (pod: Pod, resource: string): boolean =>
  extendedClaim(pod)?.requestMappings?.some((m) => m.resourceName === resource) === true

/** What has to be prepared for a claim; throws `ClaimError` if the pod may not use it. Pure. */
export function admitted(pod: Pod, { generated }: ClaimUse, claim: Claim): Omit<PreparedClaim, 'pods'> {
  const { name = '', namespace = '', uid = '' } = claim.metadata
  if (generated && !claim.metadata.ownerReferences?.some((o) => o.controller === true && o.uid === pod.metadata.uid)) {
    const whose = `${pod.metadata.namespace}/${pod.metadata.name}`
    throw new ClaimError(`ResourceClaim ${namespace}/${name} was not created for Pod ${whose} (Pod is not owner)`)
  }
  if (!claim.status?.reservedFor?.some((r) => r.uid === pod.metadata.uid))
    throw new ClaimError(`pod ${pod.metadata.name} (${pod.metadata.uid}) is not allowed to use ResourceClaim ${name} (${uid})`)
  if (claim.status.allocation === undefined) throw new ClaimError(`ResourceClaim ${name}: not allocated`)
  const drivers = new Set((claim.status.allocation.devices?.results ?? []).map((r) => r.driver))
  return { name, namespace, uid, drivers: new Map([...drivers].map((d) => [d, []])), prepared: false }
}
