import { byText } from '../../base/by-text.ts'
import type { Container, Pod } from '../../resources/types/core.ts'
import type { DeviceClass, DeviceRequest, ExactDeviceRequest, ResourceClaim } from '../../resources/types/resource.ts'
import { amountOf, isExtendedResource } from '../cache/amounts.ts'

/** Any class can be requested by this prefix and its name. */
const CLASS_PREFIX = 'deviceclass.resource.kubernetes.io/'
const SPECIAL = 'resource.kubernetes.io/extended-resource-claim'

/** How messages call the claim before it is written. */
export const IN_MEMORY = '<extended-resources>'

type Class = Readonly<DeviceClass>

/** Whether a resource of this name may be backed by devices. */
export const mayBeDevices = (resource: string) => isExtendedResource(resource) || resource.startsWith(CLASS_PREFIX)

/** The class that offers an extended resource (KEP-5004). Of several with that name the newest, then the first by name. */
export function classBehind(resource: string, classes: readonly Class[]): Class | undefined {
  if (resource.startsWith(CLASS_PREFIX)) return classes.find((c) => c.metadata.name === resource.slice(CLASS_PREFIX.length))
  let best: Class | undefined
  for (const one of classes) {
    if (one.spec?.extendedResourceName !== resource) continue
    if (best === undefined || isBefore(one, best)) best = one
  }
  return best
}

function isBefore(a: Class, b: Class): boolean {
  const [of, other] = [String(a.metadata.creationTimestamp), String(b.metadata.creationTimestamp)]
  return of === other ? (a.metadata.name ?? '') < (b.metadata.name ?? '') : of > other
}

/** Which request of the claim serves which resource of which container. */
export interface RequestMapping {
  readonly containerName: string
  readonly resourceName: string
  readonly requestName: string
}

export interface DevicesForResources {
  readonly requests: readonly DeviceRequest[]
  readonly mappings: readonly RequestMapping[]
}

/**
 * The requests of a claim for the extended resources of a pod, by class. Init containers that run to completion reuse the devices of later
 * containers and request only the surplus; the largest surplus serves all of them.
 */
export function devicesFor(pod: Readonly<Pod>, classes: ReadonlyMap<string, string>): DevicesForResources {
  const init = pod.spec.initContainers ?? []
  const containers = [...init, ...pod.spec.containers]
  const endsBeforeOthers = (i: number) => i < init.length && containers[i]?.restartPolicy !== 'Always'
  const requests: DeviceRequest[] = []
  const mappings: RequestMapping[] = []
  for (const resource of [...classes.keys()].sort()) {
    const lasting: (ContainerRequest['request'] | undefined)[] = []
    for (const [i, container] of containers.entries()) {
      const made = endsBeforeOthers(i) ? undefined : ask({ container, index: i, resource, classes, lent: [] })
      lasting.push(made?.request)
      mappings.push(...(made?.mappings ?? []))
    }
    let largest: DeviceRequest | undefined
    const passing: RequestMapping[] = []
    const own = new Set<string>()
    for (const [i, container] of containers.entries()) {
      if (!endsBeforeOthers(i)) continue
      const made = ask({ container, index: i, resource, classes, lent: lasting.slice(i) })
      passing.push(...(made?.mappings ?? []))
      if (made?.request === undefined) continue
      own.add(made.request.name)
      if (largest === undefined || (largest.exactly?.count ?? 0) < (made.request.exactly?.count ?? 0)) largest = made.request
    }
    mappings.push(...passing.map((m) => (largest !== undefined && own.has(m.requestName) ? { ...m, requestName: largest.name } : m)))
    requests.push(...[largest, ...lasting].flatMap((r) => r ?? []))
  }
  return { requests: requests.sort((a, b) => byText(a.name, b.name)), mappings }
}

interface ContainerRequest {
  readonly request: DeviceRequest | undefined
  readonly mappings: readonly RequestMapping[]
}

interface ContainerResource {
  readonly container: Readonly<Container>
  readonly index: number
  readonly resource: string
  readonly classes: ReadonlyMap<string, string>
  /** Requests of later containers, whose devices this one may use before. */
  readonly lent: readonly (DeviceRequest | undefined)[]
}

function ask({ container, index, resource, classes, lent }: ContainerResource): ContainerRequest | undefined {
  const wanted = amountOf(resource, container.resources?.requests?.[resource] ?? 0)
  if (wanted === 0) return undefined
  const map = (requestName: string) => ({ containerName: container.name, resourceName: resource, requestName })
  const mappings: RequestMapping[] = []
  let had = 0
  for (const request of lent) {
    if (request === undefined) continue
    had += Number(request.exactly?.count ?? 0)
    mappings.push(map(request.name))
    if (had >= wanted) return { request: undefined, mappings }
  }
  const position = Object.keys(container.resources?.requests ?? {})
    .sort()
    .indexOf(resource)
  const name = `container-${index}-request-${position}`
  const exactly: ExactDeviceRequest = { deviceClassName: classes.get(resource) ?? '', allocationMode: 'ExactCount', count: wanted - had }
  return { request: { name, exactly }, mappings: [...mappings, map(name)] }
}

/** The claim for a pod's extended resources, as it is to be created. */
export function specialClaim({ metadata }: Readonly<Pod>, requests: readonly DeviceRequest[]): ResourceClaim {
  const { name = '', namespace = '', uid = '' } = metadata
  return {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaim',
    metadata: {
      generateName: `${name}-extended-resources-`,
      namespace,
      annotations: { [SPECIAL]: 'true' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name, uid, controller: true }],
    },
    spec: { devices: { requests } },
  }
}

/** The uid of the pod for whose extended resources a claim was made. */
export const podOfSpecialClaim = ({ metadata }: Readonly<ResourceClaim>): string | undefined =>
  metadata.annotations?.[SPECIAL] === 'true' ? metadata.ownerReferences?.find((o) => o.controller === true)?.uid : undefined
