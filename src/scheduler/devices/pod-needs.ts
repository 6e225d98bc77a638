import type { ResourceClaim } from '../../resources/types/resource.ts'
import type { PodInfo } from '../cache/pod-info.ts'
import type { Listers } from '../framework/listers.ts'
import { classBehind, mayBeDevices } from './extended-resources.ts'

/** What devices a pod needs before it can be placed. */
export interface PodNeeds {
  /** That its status or spec name. */
  readonly claims: readonly ResourceClaim[]
  /** Classes by the extended resources that they may back; whether they do depends on the node. */
  readonly resources: ReadonlyMap<string, string>
}

/** `missing`: why it cannot be looked at, in Kubernetes' words. */
export type Needs = { readonly missing: string } | PodNeeds | undefined

const NO_RESOURCES: ReadonlyMap<string, string> = new Map()

/** The claims that a pod names, those generated for it from templates, and its extended resources. Undefined: it needs no devices. */
export function needsOf(pod: PodInfo, listers: Listers): Needs {
  const claims = claimsOf(pod, listers)
  if ('missing' in claims) return claims
  const resources = resourcesOf(pod, listers)
  if (claims.found.length === 0 && resources.size === 0) return undefined
  return { claims: claims.found, resources }
}

const NONE: { readonly found: readonly ResourceClaim[] } = { found: [] }

function claimsOf(
  { pod, namespace, key, uid }: PodInfo,
  listers: Listers,
): { readonly missing: string } | { readonly found: readonly ResourceClaim[] } {
  if (pod.spec.resourceClaims === undefined) return NONE
  const found: ResourceClaim[] = []
  for (const entry of pod.spec.resourceClaims) {
    const made = pod.status?.resourceClaimStatuses?.find((s) => s.name === entry.name)
    // Made for a pod that turned out to need none.
    if (entry.resourceClaimName === undefined && made !== undefined && made.resourceClaimName === undefined) continue
    const name = entry.resourceClaimName ?? made?.resourceClaimName
    if (name === undefined) return { missing: `resourceclaim ${JSON.stringify(entry.name)} not found` }
    const claim = listers.get('resourceclaims', namespace, name)
    if (claim === undefined) return { missing: `could not find ResourceClaim ${JSON.stringify(`${namespace}/${name}`)}` }
    if (claim.metadata.deletionTimestamp !== undefined) return { missing: `resourceclaim ${JSON.stringify(name)} is being deleted` }
    const owner = claim.metadata.ownerReferences?.find((o) => o.controller === true)
    if (entry.resourceClaimName === undefined && owner?.uid !== uid)
      return { missing: `ResourceClaim ${namespace}/${name} was not created for pod ${key} (pod is not owner)` }
    found.push(claim)
  }
  return { found }
}

function resourcesOf({ requests }: PodInfo, listers: Listers): ReadonlyMap<string, string> {
  let resources: Map<string, string> | undefined
  for (const { name } of requests) {
    if (!mayBeDevices(name)) continue
    const of = classBehind(name, listers.list('deviceclasses', ''))
    if (of === undefined) continue
    resources ??= new Map()
    resources.set(name, of.metadata.name ?? '')
  }
  return resources ?? NO_RESOURCES
}
