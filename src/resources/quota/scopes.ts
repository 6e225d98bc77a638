import type { KubeObject } from '../../machinery/object.ts'
import type { PersistentVolumeClaim } from '../core/persistentvolumeclaims.ts'
import type { Pod } from '../pod/types.ts'

/** `core/v1 ScopedResourceSelectorRequirement`, checked or not. */
export interface ScopeRequirement {
  readonly scopeName?: string
  readonly operator?: string
  readonly values?: readonly string[]
}

type ScopedQuota = KubeObject<{
  readonly scopes?: readonly string[]
  readonly scopeSelector?: { readonly matchExpressions?: readonly ScopeRequirement[] }
}>

/** The scopes of a quota, from both fields. */
export function scopesOf(quota: ScopedQuota): ScopeRequirement[] {
  const plain = (quota.spec?.scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists' }))
  return [...plain, ...(quota.spec?.scopeSelector?.matchExpressions ?? [])]
}

/** True if the quota applies to this object. Scopes apply to pods, and one to claims; other objects match none. */
export function inScope(quota: ScopedQuota, group: string, resource: string, object: KubeObject): boolean {
  const requirements = scopesOf(quota)
  if (requirements.length === 0) return true
  if (group !== '') return false
  return requirements.every((r) => matchesScope(r, resource, object))
}

/** True if an object of the core group is in a scope. */
export function matchesScope(scope: ScopeRequirement, resource: string, object: KubeObject): boolean {
  if (resource === 'pods') return isPod(object) && podMatches(scope, object)
  return resource === 'persistentvolumeclaims' && isClaim(object) && claimMatches(scope, object)
}

const isPod = (object: KubeObject): object is Pod => object.kind === 'Pod'
const isClaim = (object: KubeObject): object is PersistentVolumeClaim => object.kind === 'PersistentVolumeClaim'

function podMatches(r: ScopeRequirement, pod: Pod): boolean {
  switch (r.scopeName) {
    case 'Terminating':
      return isTerminating(pod)
    case 'NotTerminating':
      return !isTerminating(pod)
    case 'BestEffort':
      return isBestEffort(pod)
    case 'NotBestEffort':
      return !isBestEffort(pod)
    case 'PriorityClass':
      return compare(r, pod.spec?.priorityClassName ?? '')
    case 'CrossNamespacePodAffinity':
      return crossesNamespaces(pod)
    default:
      return false
  }
}

function claimMatches(r: ScopeRequirement, claim: PersistentVolumeClaim): boolean {
  if (r.scopeName !== 'VolumeAttributesClass') return false
  const names = new Set<string>()
  for (const name of [
    claim.spec?.volumeAttributesClassName,
    claim.status?.currentVolumeAttributesClassName,
    claim.status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ]) {
    if (name) names.add(name)
  }
  return names.size === 0 ? compare(r, '') : [...names].some((name) => compare(r, name))
}

function compare(r: ScopeRequirement, value: string): boolean {
  switch (r.operator) {
    case 'In':
      return value !== '' && (r.values ?? []).includes(value)
    case 'NotIn':
      return value === '' || !(r.values ?? []).includes(value)
    case 'Exists':
      return value !== ''
    case 'DoesNotExist':
      return value === ''
    default:
      return false
  }
}

const isTerminating = ({ spec }: Pod) => typeof spec?.activeDeadlineSeconds === 'number' && spec.activeDeadlineSeconds >= 0

function isBestEffort({ spec = {} }: Pod): boolean {
  const named = (resources: { requests?: object; limits?: object } | undefined) =>
    [resources?.requests, resources?.limits].some((l) => Object.keys(l ?? {}).some((n) => n === 'cpu' || n === 'memory'))
  return ![spec, ...(spec.containers ?? []), ...(spec.initContainers ?? [])].some((c) => named(c.resources))
}

function crossesNamespaces({ spec }: Pod): boolean {
  const affinity = spec?.affinity
  const terms: { namespaces?: readonly string[]; namespaceSelector?: object }[] = []
  for (const one of [affinity?.podAffinity, affinity?.podAntiAffinity]) {
    terms.push(...(one?.requiredDuringSchedulingIgnoredDuringExecution ?? []))
    for (const weighted of one?.preferredDuringSchedulingIgnoredDuringExecution ?? []) terms.push(weighted.podAffinityTerm ?? {})
  }
  return terms.some((t) => (t.namespaces ?? []).length > 0 || t.namespaceSelector !== undefined)
}
