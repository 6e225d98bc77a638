import type { KubeObject } from '../../machinery/object.ts'
import { familyOf } from '../core/services/service-families.ts'
import type { IPAddress } from '../types/networking.ts'

/** The object that records the owner of an address. */
export function ipAddressOf(ip: string, service: KubeObject): IPAddress {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IPAddress',
    metadata: {
      name: ip,
      labels: { 'ipaddress.kubernetes.io/ip-family': familyOf(ip), 'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io' },
    },
    spec: { parentRef: { resource: 'services', namespace: service.metadata.namespace ?? '', name: service.metadata.name ?? '' } },
  }
}
