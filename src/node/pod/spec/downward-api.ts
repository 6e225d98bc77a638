import { parseQuantity, Quantity } from '../../../machinery/quantity.ts'
import type { ResourceList } from '../../../resources/types/core.ts'
import { type Container, containersOf, type Pod } from '../../types/pod.ts'

/** What of a pod and its node its containers may be told. */
export interface DownwardInput {
  readonly pod: Pod
  /** Undefined: only resources that name their container can be told. */
  readonly container?: Container
  readonly hostIp: string
  readonly podIps: readonly string[]
  /** Of the node: what a container may use that names no limit. */
  readonly allocatable: ResourceList
}

const KEYED = /^metadata\.(labels|annotations)\['(.*)'\]$/

/** A field of the pod by its path; undefined: none that can be told. */
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

/** Amounts are whole multiples of the divisor, rounded up; a limit that is not set is what the node has. */
export function resourceValue(
  { pod, container, allocatable }: DownwardInput,
  { containerName, resource, divisor = '1' }: ResourceField,
): string {
  const named =
    containerName === undefined || containerName === ''
      ? container
      : containersOf(pod).find((c) => c.container.name === containerName)?.container
  const [of = '', ...rest] = resource.split('.')
  const name = rest.join('.')
  const own = of === 'limits' ? named?.resources?.limits?.[name] : named?.resources?.requests?.[name]
  const amount = parseQuantity(own ?? (of === 'limits' ? (allocatable[name] ?? '0') : '0'))
  const given = parseQuantity(divisor)
  const unit = given.isZero() ? Quantity.of(1) : given
  if (name === 'cpu') return String(Math.ceil(amount.milliValue() / unit.milliValue()))
  return String(Math.ceil(amount.value() / unit.value()))
}
