import type { ResourceHealth, ResourceStatus } from '../../../resources/types/core.ts'
import type { PreparedDevice } from '../../../sdk/node-api/dra-plugin.ts'
import type { DynamicResource } from '../../../sdk/node-api/pod-resources.ts'
import type { Container, Pod } from '../../types/pod.ts'
import { ClaimError } from './claim.ts'
import type { DeviceHealth } from './drivers/device-health.ts'
import { type RequestUse, requestsOf } from './pod-claims.ts'
import type { PreparedClaim, PreparedClaims } from './prepared-claims.ts'

/** What prepared claims add to containers, statuses and responses of PodResources. All pure. */

/** `gpu/large` is a subrequest of `gpu`: drivers know the request by its own name. */
const requestOf = (reference: string) => reference.split('/')[0] ?? ''

const serves = ({ requestNames }: PreparedDevice, request: string) =>
  request === '' || requestNames.length === 0 || requestNames.includes(requestOf(request))

const claimOf = (claims: PreparedClaims, pod: Pod, name: string) => claims.get(pod.metadata.namespace ?? '', name)

const devicesOf = (claim: PreparedClaim, request: string) =>
  [...claim.drivers].flatMap(([driver, devices]) => devices.filter((d) => serves(d, request)).map((device) => ({ driver, device })))

/** The CDI device names of a container. Throws `ClaimError` if a claim is not prepared. */
export function cdiDevicesOf(claims: PreparedClaims, pod: Pod, uses: readonly RequestUse[]): readonly string[] {
  return uses.flatMap(({ claim: name, request }) => {
    const claim = claimOf(claims, pod, name)
    if (claim === undefined)
      throw new ClaimError(`internal error: unable to get claim info for ResourceClaim ${name} in namespace ${pod.metadata.namespace}`)
    return devicesOf(claim, request).flatMap(({ device }) => device.cdiDeviceIds)
  })
}

/** A container's `allocatedResourcesStatus`, an entry for each of its claims except those for extended resources. */
export function healthOf(
  claims: PreparedClaims,
  pod: Pod,
  containerName: string,
  health: (driver: string, pool: string, device: string) => DeviceHealth,
): readonly ResourceStatus[] {
  const container = pod.spec.containers.find((c) => c.name === containerName)
  if (container?.resources?.claims === undefined) return []
  return usesOf(pod, container).flatMap(({ claim: name, request, entry }) => {
    const claim = claimOf(claims, pod, name)
    if (claim === undefined || entry === undefined) return []
    const byId = new Map<string, ResourceHealth>()
    for (const { driver, device } of devicesOf(claim, request)) {
      const { poolName, deviceName } = device
      const resourceID = device.cdiDeviceIds[0] ?? `${driver}/${poolName}/${deviceName}`
      const now = health(driver, poolName, deviceName)
      if (!byId.has(resourceID))
        byId.set(resourceID, { resourceID, health: now.health, ...(now.message === '' ? {} : { message: now.message }) })
    }
    const of = request === '' ? `claim:${entry}` : `claim:${entry}/${request}`
    return byId.size === 0 ? [] : [{ name: of, resources: [...byId.values()] }]
  })
}

/** The claims of a container as PodResources reports them: each claim once, whole. */
export function claimResources(claims: PreparedClaims, pod: Pod, container: Container): readonly DynamicResource[] {
  const names = new Set(usesOf(pod, container).map((u) => u.claim))
  return [...names].flatMap((name) => {
    const claim = claimOf(claims, pod, name)
    if (claim === undefined) return []
    const resources = devicesOf(claim, '').map(({ driver, device }) => ({
      cdiDevices: device.cdiDeviceIds.map((id) => ({ name: id })),
      driverName: driver,
      poolName: device.poolName,
      deviceName: device.deviceName,
      shareId: device.shareId,
    }))
    return [{ claimName: claim.name, claimNamespace: claim.namespace, claimResources: resources }]
  })
}

/** A claim that does not exist yet is skipped. */
function usesOf(pod: Pod, container: Container): readonly RequestUse[] {
  try {
    return requestsOf(pod, container)
  } catch (error) {
    if (error instanceof ClaimError) return []
    throw error
  }
}
