import type { Duplex } from 'node:stream'
import type { ResolvedService, ServiceReference, ServiceResolver, ServiceTarget } from '../../apiserver/service-target.ts'
import { hostPort } from '../../base/http/host-port.ts'
import { goQuote } from '../../machinery/field-error.ts'
import type { Reader } from '../../machinery/resource/definition.ts'
import { listObjects, readObject } from '../../resources/read-objects.ts'
import { ENDPOINT_SLICES, SERVICES } from '../../resources/refs.ts'
import type { Service } from '../../resources/types/core.ts'
import type { EndpointSlice } from '../../resources/types/discovery.ts'

/** The annotation of a service with a loopback port of this machine: for servers that run next to a simulated cluster. */
export const LOCAL_PORT = 'bowsprit.dev/local-port'

/** One end of a connection inside the process: a Node `Duplex`; only the code that created both ends uses it. */
export interface LocalStream {
  destroy(): unknown
}

/** Opens a connection to a server of this process; the protocol is HTTP/1.1 without TLS. */
export type LocalServer = () => LocalStream

export interface ServiceResolverConfig {
  /**
   * Requests go to endpoints, and services without any (ExternalName) cannot be used: `--enable-aggregator-routing`. Without it they go to
   * the service's address; without a service network they still end at an endpoint.
   */
  readonly routing: boolean
}

/** How to open a connection to an address of the cluster's network in this process; undefined: use the machine's network. */
export type InsideNetwork = (host: string, port: number) => (() => Promise<Duplex>) | undefined

export interface ServiceResolverDeps {
  readonly reader: Reader
  /** Default: no address is in this process. */
  readonly inside?: InsideNetwork | undefined
  /** Servers of this process, by `NAMESPACE/NAME` of their service. */
  readonly local: ReadonlyMap<string, LocalServer>
}

/** Resolves services as kube-apiserver does, and those of servers next to it or in its process. */
export function createServiceResolver({ routing }: ServiceResolverConfig, { reader, local, inside }: ServiceResolverDeps): ServiceResolver {
  return {
    resolve(reference) {
      const handler = local.get(`${reference.namespace}/${reference.name}`)
      const shown = `${reference.name}.${reference.namespace}.svc:${reference.port}`
      if (handler !== undefined) return { kind: 'found', target: { kind: 'handler', connect: () => handler() as Duplex }, host: shown }
      const service = readObject(reader, SERVICES, reference.namespace, reference.name)
      if (service === undefined) return missing(`service ${goQuote(reference.name)} not found`)
      const near = localPort(service)
      if (near !== undefined) return found(address('127.0.0.1', near), shown)
      return locate(service, reference, { reader, routing, inside })
    },
  }
}

function locate(
  service: Service,
  { name, port }: ServiceReference,
  { reader, routing, inside }: { readonly reader: Reader; readonly routing: boolean; readonly inside: InsideNetwork | undefined },
): ResolvedService {
  const type = service.spec?.type ?? 'ClusterIP'
  if (type === 'ExternalName') {
    if (routing) return missing(`unsupported service type ${goQuote(type)}`)
    const host = service.spec?.externalName ?? ''
    return found(address(host, port), hostPort(host, port))
  }
  const clusterIP = service.spec?.clusterIP ?? ''
  if (!routing && clusterIP === 'None') return missing('cannot route to service with ClusterIP "None"')
  const wanted = (service.spec?.ports ?? []).find((p) => p.port === port)
  if (wanted === undefined) return missing(`no service port ${port} found for service ${goQuote(name)}`)
  const endpoint = readyEndpoint(service, reader, wanted.name ?? '')
  if (endpoint === undefined) return missing(`no endpoints available for service ${goQuote(name)}`)
  const connect = inside?.(endpoint.host, endpoint.port)
  return found({ ...endpoint, ...(connect && { connect }) }, routing ? hostPort(endpoint.host, endpoint.port) : hostPort(clusterIP, port))
}

/** The slices of a service. */
export const slicesOf = (service: Pick<Service, 'metadata'>, reader: Reader): readonly EndpointSlice[] =>
  listObjects(reader, ENDPOINT_SLICES, service.metadata.namespace).filter(
    (slice) => slice.metadata.labels?.['kubernetes.io/service-name'] === service.metadata.name,
  )

/** The first ready endpoint: always the same, so that connections can be reused. */
function readyEndpoint(service: Service, reader: Reader, portName: string) {
  for (const slice of slicesOf(service, reader)) {
    const port = (slice.ports ?? []).find((p) => (p.name ?? '') === portName)?.port
    const endpoint = (slice.endpoints ?? []).find((e) => e.conditions?.ready !== false)
    const host = endpoint?.addresses?.[0]
    if (port !== undefined && host !== undefined) return address(host, port)
  }
  return undefined
}

/** The port in a service's annotation. */
export function localPort(service: Pick<Service, 'metadata'>): number | undefined {
  const port = Number(service.metadata.annotations?.[LOCAL_PORT])
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined
}

type Address = Extract<ServiceTarget, { kind: 'address' }>
const address = (host: string, port: number): Address => ({ kind: 'address', host, port })
const found = (target: ServiceTarget, host: string): ResolvedService => ({ kind: 'found', target, host })
const missing = (message: string): ResolvedService => ({ kind: 'missing', message })
