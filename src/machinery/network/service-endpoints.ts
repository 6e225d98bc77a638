import type { KubeObject } from '../object.ts'
import type { Reader } from '../resource/definition.ts'
import { slicesIn } from './network-objects.ts'

/** One address of a service's endpoints. */
export interface ServiceEndpoint {
  readonly ip: string
  readonly hostname: string | undefined
  readonly nodeName: string | undefined
  /** Accepts connections. */
  readonly ready: boolean
  /** Still serves requests although it is terminating. */
  readonly serving: boolean
  readonly ports: readonly EndpointPort[]
}

export interface EndpointPort {
  readonly name: string
  readonly port: number
  readonly protocol: string
}

/** The endpoints of a service from its endpoint slices, without duplicate addresses. */
export function endpointsOf(service: Pick<KubeObject, 'metadata'>, objects: Reader): readonly ServiceEndpoint[] {
  const { name, namespace = '' } = service.metadata
  const found = new Map<string, ServiceEndpoint>()
  for (const slice of slicesIn(objects, namespace)) {
    if (slice.metadata.labels?.['kubernetes.io/service-name'] !== name) continue
    const ports = (slice.ports ?? []).flatMap((p) =>
      p.port === undefined ? [] : [{ name: p.name ?? '', port: p.port, protocol: p.protocol ?? 'TCP' }],
    )
    for (const endpoint of slice.endpoints ?? []) {
      const { hostname, nodeName, conditions = {}, addresses = [] } = endpoint
      const ready = conditions.ready !== false
      // The addresses of an endpoint are equivalent: the first is used.
      const [ip] = addresses
      if (ip === undefined) continue
      const known = found.get(ip)
      const serving = conditions.serving ?? ready
      found.set(ip, { ip, hostname, nodeName, ready, serving, ports: [...(known?.ports ?? []), ...ports] })
    }
  }
  return [...found.values()]
}
