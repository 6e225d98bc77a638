import { parseQuantity } from '../../../machinery/quantity.ts'
import type { Container, Pod } from '../../types/pod.ts'

/**
 * The number of devices by resource that a container requests; only names that a vendor may advertise. Limits count: requests must be
 * equal.
 * Pure.
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

/** Whether a claim provides the resource (KEP-5004): then no plugin is called. */
function givenByClaim(pod: Pod, container: string, resource: string): boolean {
  const claim = pod.status.extendedResourceClaimStatus as
    | { readonly requestMappings?: readonly { readonly containerName: string; readonly resourceName: string }[] }
    | undefined
  return claim?.requestMappings?.some((m) => m.containerName === container && m.resourceName === resource) === true
}

/** A container that gets devices; listed in order of start. */
export interface DeviceUser {
  readonly container: Container
  /** `lends`: an init container, whose devices later ones reuse. `keeps`: a sidecar or main container. */
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
