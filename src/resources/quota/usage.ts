import type { KubeObject } from '../../machinery/object.ts'
import { parseQuantity, Quantity, tryParseQuantity } from '../../machinery/quantity.ts'
import { classNameOf } from '../core/claim-annotations.ts'
import type { PersistentVolumeClaim } from '../core/persistentvolumeclaims.ts'
import type { Service } from '../core/services/service-fields.ts'
import { podLimits, podRequests, type ResourceTotals } from '../pod/pod-requests.ts'
import { COMPUTE_RESOURCES, isExtendedResource, isHugePages, isPodLevel, isQuotaHugePages } from '../pod/resource-names.ts'
import type { Pod } from '../pod/types.ts'
import type { ResourceClaim } from '../resource/claim-spec.ts'

/** The usage of an object, by quota resource names. */
export type Usage = Map<string, Quantity>

const ONE = Quantity.of(1)

/** Computes the quota usage of one resource. */
export interface Evaluator<T extends KubeObject = KubeObject> {
  /** True if a hard limit of this name applies. */
  counts(name: string): boolean
  usage(object: T): Usage
  /** True if an update can change the usage. */
  readonly updates: boolean
  /** Why the object cannot be counted: it lacks requests or limits that the quota requires. */
  missing?(object: T, names: readonly string[]): string | undefined
}

const countName = (group: string, resource: string) => (group === '' ? `count/${resource}` : `count/${resource}.${group}`)

/** Core resources with a quota name of their own besides `count/…`. */
const PLAIN = new Set(['configmaps', 'resourcequotas', 'replicationcontrollers', 'secrets'])

const UNCOUNTED: Evaluator = { updates: false, counts: () => false, usage: () => new Map() }

/** The evaluator of this resource. Quotas never count events. */
export function evaluatorOf(group: string, resource: string): Evaluator {
  if (resource === 'events' && (group === '' || group === 'events.k8s.io')) return UNCOUNTED
  if (group === '' && resource === 'pods') return pods
  if (group === '' && resource === 'services') return services
  if (group === '' && resource === 'persistentvolumeclaims') return claims
  if (group === 'resource.k8s.io' && resource === 'resourceclaims') return resourceClaims
  const names = new Set([countName(group, resource), ...(group === '' && PLAIN.has(resource) ? [resource] : [])])
  return { updates: false, counts: (name) => names.has(name), usage: () => new Map([...names].map((name) => [name, ONE])) }
}

/** A quota on one of these requires that every container sets it. */
const MUST_NAME = new Set(['cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory'])

const pods: Evaluator<Pod> = {
  updates: true,
  counts: (name) =>
    name === 'pods' ||
    name === 'count/pods' ||
    COMPUTE_RESOURCES.has(name) ||
    isQuotaHugePages(name) ||
    (name.startsWith('requests.') && isExtendedResource(name.slice('requests.'.length))),
  usage(pod) {
    const used: Usage = new Map([['count/pods', ONE]])
    if (pod.status?.phase === 'Failed' || pod.status?.phase === 'Succeeded') return used
    used.set('pods', ONE)
    addCompute(used, podRequests(pod.spec ?? {}), podLimits(pod.spec ?? {}))
    return used
  },
  missing(pod, names) {
    const wanted = names.filter((name) => MUST_NAME.has(name))
    if (wanted.length === 0) return undefined
    const { spec = {} } = pod
    // What the pod states as a whole, its containers need not.
    if (namesShare(spec.resources?.requests) || namesShare(spec.resources?.limits)) return undefined
    const without = new Map<string, string[]>()
    for (const container of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
      const named = computeNames(container.resources)
      for (const name of wanted) {
        if (named.has(name)) continue
        const list = without.get(name) ?? []
        without.set(name, [...list, container.name ?? ''])
      }
    }
    if (without.size === 0) return undefined
    const texts = [...without.keys()].sort().map((name) => `${name} for: ${[...new Set(without.get(name))].sort().join(',')}`)
    return `must specify ${texts.join('; ')}`
  },
}

type Amounts = Readonly<Record<string, string>>

const namesShare = (amounts: Amounts | undefined): boolean => Object.keys(amounts ?? {}).some(isPodLevel)

const totals = (amounts: Amounts | undefined): ResourceTotals =>
  new Map(Object.entries(amounts ?? {}).map(([name, amount]) => [name, parseQuantity(amount)]))

function computeNames(resources: { requests?: Amounts; limits?: Amounts } | undefined): Set<string> {
  const used: Usage = new Map()
  addCompute(used, totals(resources?.requests), totals(resources?.limits))
  return new Set(used.keys())
}

function addCompute(used: Usage, requests: ResourceTotals, limits: ResourceTotals): void {
  for (const [name, amount] of requests) {
    if (name === 'cpu' || name === 'memory' || name === 'ephemeral-storage' || isHugePages(name)) {
      used.set(name, amount)
      used.set(`requests.${name}`, amount)
    } else if (isExtendedResource(name)) used.set(`requests.${name}`, amount)
  }
  for (const [name, amount] of limits)
    if (name === 'cpu' || name === 'memory' || name === 'ephemeral-storage') used.set(`limits.${name}`, amount)
}

const SERVICE_NAMES = new Set(['services', 'services.nodeports', 'services.loadbalancers', 'count/services'])

const services: Evaluator<Service> = {
  updates: true,
  counts: (name) => SERVICE_NAMES.has(name),
  usage({ spec = {} }) {
    const ports = spec.ports ?? []
    const used: Usage = new Map([
      ['services', ONE],
      ['count/services', ONE],
      ['services.nodeports', Quantity.zero],
      ['services.loadbalancers', Quantity.zero],
    ])
    if (spec.type === 'NodePort') used.set('services.nodeports', Quantity.of(ports.length))
    if (spec.type === 'LoadBalancer') {
      used.set('services.loadbalancers', ONE)
      const allocated = spec.allocateLoadBalancerNodePorts === false ? ports.filter((p) => (p.nodePort ?? 0) !== 0) : ports
      used.set('services.nodeports', Quantity.of(allocated.length))
    }
    return used
  },
}

const CLASS_SUFFIX = '.storageclass.storage.k8s.io/'

const claims: Evaluator<PersistentVolumeClaim> = {
  updates: true,
  counts: (name) =>
    name === 'persistentvolumeclaims' ||
    name === 'count/persistentvolumeclaims' ||
    name === 'requests.storage' ||
    name.endsWith(`${CLASS_SUFFIX}persistentvolumeclaims`) ||
    name.endsWith(`${CLASS_SUFFIX}requests.storage`),
  usage(claim) {
    const className = classNameOf(claim)
    const used: Usage = new Map([
      ['persistentvolumeclaims', ONE],
      ['count/persistentvolumeclaims', ONE],
    ])
    if (className !== '') used.set(`${className}${CLASS_SUFFIX}persistentvolumeclaims`, ONE)
    let size = wholeBytes(claim.spec?.resources?.requests?.storage)
    // During an expansion, the allocated size counts if it exceeds the request.
    const granted = wholeBytes(claim.status?.allocatedResources?.storage)
    if (granted !== undefined && (size === undefined || granted.compare(size) > 0)) size = granted
    if (size !== undefined) {
      used.set('requests.storage', size)
      if (className !== '') used.set(`${className}${CLASS_SUFFIX}requests.storage`, size)
    }
    return used
  },
}

/** A quota's status has no parts of bytes. */
function wholeBytes(text = ''): Quantity | undefined {
  const size = tryParseQuantity(text)
  return size === undefined || size.isWhole() ? size : Quantity.of(size.scaledValue(0), size.format)
}

const DEVICE_SUFFIX = '.deviceclass.resource.k8s.io/devices'
const CLAIM_COUNT = 'count/resourceclaims.resource.k8s.io'

interface DeviceRequest {
  readonly deviceClassName?: string
  readonly allocationMode?: string
  readonly count?: number
}

const resourceClaims: Evaluator<ResourceClaim> = {
  updates: false,
  counts: (name) => name === CLAIM_COUNT || name.endsWith(DEVICE_SUFFIX),
  usage(claim) {
    const used: Usage = new Map([[CLAIM_COUNT, ONE]])
    const add = (className: string, count: number) => {
      const name = className + DEVICE_SUFFIX
      used.set(name, (used.get(name) ?? Quantity.zero).add(Quantity.of(count)))
    }
    // `All` may be as many as an allocation can contain.
    const amount = (r: DeviceRequest) => (r.allocationMode === 'All' ? 32 : Number(r.count ?? 1))
    for (const request of claim.spec?.devices?.requests ?? []) {
      const { exactly } = request
      if (exactly !== undefined) add(exactly.deviceClassName ?? '', amount(exactly))
      // Only one of several alternatives is allocated: each class counts with its maximum over the alternatives.
      const most = new Map<string, number>()
      for (const choice of request.firstAvailable ?? []) {
        most.set(choice.deviceClassName ?? '', Math.max(most.get(choice.deviceClassName ?? '') ?? 0, amount(choice)))
      }
      for (const [className, count] of most) add(className, count)
    }
    return used
  },
}
