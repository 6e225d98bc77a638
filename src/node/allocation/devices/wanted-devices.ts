import { parseQuantity } from '../../../machinery/quantity.ts'
import type { Container, Pod } from '../../types/pod.ts'

/**
 * How many devices of which resources a container asks for; only names that a vendor may advertise. Limits decide: requests have to be
 * equal. Pure.
 */
export function wantedDevices(pod: Pod, container: Container): ReadonlyMap<string, number> {
  const wanted = new Map<string, number>()
  for (const [resource, amount] of Object.entries(container.resources?.limits ?? {})) {
    if (!resource.includes('/') || resource.includes('kubernetes.io/')) continue
    const count = parseQuantity(String(amount)).value()
    if (count > 0 && !givenByClaim(pod, container.name, resource)) wanted.set(resource, count)
  }
  return wanted
}

/** Whether a claim stands for the resource (KEP-5004): then no plugin gives it. */
function givenByClaim(pod: Pod, container: string, resource: string): boolean {
  const claim = pod.status.extendedResourceClaimStatus as
    | { readonly requestMappings?: readonly { readonly containerName: string; readonly resourceName: string }[] }
    | undefined
  return claim?.requestMappings?.some((m) => m.containerName === container && m.resourceName === resource) === true
}

/** A container for which devices are given out, in order. */
export interface DeviceUser {
  readonly container: Container
  /** `lends`: an init container, whose devices those after it use again. `keeps`: a sidecar, or a container of the pod proper. */
  readonly after: 'lends' | 'keeps'
}

export function deviceUsers(pod: Pod): readonly DeviceUser[] {
  return [
    ...(pod.spec.initContainers ?? []).map((container) => ({
      container,
      after: container.restartPolicy === 'Always' ? ('keeps' as const) : ('lends' as const),
    })),
    ...pod.spec.containers.map((container) => ({ container, after: 'keeps' as const })),
  ]
}
