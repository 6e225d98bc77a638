import { parseQuantity, Quantity } from '../../../machinery/quantity.ts'
import type { ResourceList } from '../../../resources/types/core.ts'
import { type Container, containersOf, type Pod } from '../../types/pod.ts'

/** The facts about a pod and its node that the downward API exposes. */
export interface DownwardInput {
  readonly pod: Pod
  /** Undefined: only resource references with a container name work. */
  readonly container?: Container
  readonly hostIp: string
  readonly podIps: readonly string[]
  /** The node's allocatable resources: the default of missing limits. */
  readonly allocatable: ResourceList
}

const KEYED = /^metadata\.(labels|annotations)\['(.*)'\]$/

/** A field of the pod by its path; undefined: the downward API does not expose it. */
export function fieldValue({ pod, hostIp, podIps }: DownwardInput, path: string): string | undefined {
  const { metadata, spec } = pod
  const keyed = KEYED.exec(path)
  if (keyed !== null) return metadata[keyed[1] === 'labels' ? 'labels' : 'annotations']?.[keyed[2] ?? ''] ?? ''
  switch (path) {
    case 'metadata.name':
      return metadata.name ?? ''
    case 'metadata.namespace':
      return metadata.namespace ?? ''
    case 'metadata.uid':
      return metadata.uid ?? ''
    case 'spec.nodeName':
      return spec.nodeName ?? ''
    case 'spec.serviceAccountName':
      return spec.serviceAccountName ?? ''
    case 'status.hostIP':
    case 'status.hostIPs':
      return hostIp
    case 'status.podIP':
      return podIps[0] ?? ''
    case 'status.podIPs':
      return podIps.join(',')
    default:
      return undefined
  }
}

export interface ResourceField {
  readonly containerName?: string
  readonly resource: string
  readonly divisor?: string | number
}

/**
 * Divides by the divisor, rounded up; a missing limit is the pod's, or else the node's allocatable amount. Undefined: the pod has no
 * container of that name.
 */
export function resourceValue(
  { pod, container, allocatable }: DownwardInput,
  { containerName = '', resource, divisor = '1' }: ResourceField,
): string | undefined {
  const named = containerName === '' ? container : permanentContainer(pod, containerName)
  if (containerName !== '' && named === undefined) return undefined
  const [of = '', ...rest] = resource.split('.')
  const name = rest.join('.')
  const own = of === 'limits' ? named?.resources?.limits?.[name] : named?.resources?.requests?.[name]
  const amount = parseQuantity(own ?? (of === 'limits' ? missingLimit(pod, name, allocatable) : '0'))
  const given = parseQuantity(divisor)
  const unit = given.isZero() ? Quantity.of(1) : given
  if (name === 'cpu') return String(Math.ceil(amount.milliValue() / unit.milliValue()))
  return String(Math.ceil(amount.value() / unit.value()))
}

const permanentContainer = (pod: Pod, name: string) =>
  containersOf(pod).find(({ container, role }) => container.name === name && role !== 'ephemeral')?.container

/** Of a container without this limit: the pod's own limit, of a resource that pods as a whole can have, or what the node has. */
function missingLimit({ spec }: Pod, name: string, allocatable: ResourceList): string | number {
  const whole = PER_POD.has(name) ? spec.resources?.limits?.[name] : undefined
  const has = allocatable[name] ?? '0'
  return whole !== undefined && allocatable[name] !== undefined && !parseQuantity(whole).isZero() ? whole : has
}

/** The resources that have limits of whole pods, and names in the downward API. */
const PER_POD: ReadonlySet<string> = new Set(['cpu', 'memory'])
