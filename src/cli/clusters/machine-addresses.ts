import { type Fields, fields, list } from '../../cluster/addresses/gateway/foreign-fields.ts'
import { GATEWAYS } from '../../cluster/addresses/gateway/gateway-types.ts'
import { machinePorts, NODE_PORT_HOST } from '../../cluster/addresses/machine-ports.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { CORE_EVENTS, INGRESSES, SERVICES } from '../../resources/refs.ts'
import type { Event, Service } from '../../resources/types/core.ts'
import type { Ingress } from '../../resources/types/networking.ts'
import type { Client } from '../../sdk/client/client.ts'

/** An object that is reached from this machine. */
export interface MachineAddress {
  readonly kind: 'service' | 'ingress' | 'gateway'
  /** `NAMESPACE/NAME` */
  readonly name: string
  /** `HOST:PORT` of a service, else URLs. */
  readonly at: readonly string[]
}

/** The services, Ingresses and Gateways of a cluster that are reached from this machine, and where. */
export async function machineAddresses(
  client: Client,
  { nodePorts, since, signal }: { readonly nodePorts: boolean; readonly since: string; readonly signal?: AbortSignal },
): Promise<readonly MachineAddress[]> {
  const options = signal === undefined ? {} : { signal }
  const [services, ingresses, gateways, refusals] = await Promise.all([
    client.list(SERVICES, options),
    client.list(INGRESSES, options),
    client.list(GATEWAYS, options).catch(notServed),
    client.list(CORE_EVENTS, { ...options, fieldSelector: 'reason=PortNotOpened' }),
  ])
  const closed = closedPorts(refusals.items, since)
  return [
    ...services.items.map((service) => row('service', service, servicePorts(service, { nodePorts, closed }))),
    ...ingresses.items.map((ingress) => row('ingress', ingress, ingressUrls(ingress))),
    ...gateways.items.map((gateway) => row('gateway', gateway, gatewayUrls(gateway))),
  ].filter(({ at }) => at.length > 0)
}

const row = (kind: MachineAddress['kind'], { metadata: { namespace = '', name = '' } }: KubeObject, at: readonly string[]) => ({
  kind,
  name: `${namespace}/${name}`,
  at,
})

/** A cluster without the definitions of Gateway API. */
const notServed = (error: unknown): { readonly items: readonly KubeObject[] } => {
  if (isStatus(error, 'NotFound')) return { items: [] }
  throw error
}

/** `HOST:PORT` of the ports that could not be opened, as events since the start of the cluster say. */
function closedPorts(events: readonly Event[], since: string): ReadonlySet<string> {
  const current = events.filter(({ lastTimestamp = '' }) => String(lastTimestamp) >= since)
  return new Set(current.map(({ message = '' }) => message.split(' ', 1)[0] ?? ''))
}

/** Node ports are open on this machine only where it plays the nodes; the status of a load balancer has its address in any case. */
export function servicePorts(
  service: Pick<Service, 'spec' | 'status'>,
  { nodePorts, closed }: { readonly nodePorts: boolean; readonly closed: ReadonlySet<string> },
): readonly string[] {
  const balancer = service.status?.loadBalancer?.ingress?.[0]
  return machinePorts(service, balancer?.ip ?? balancer?.hostname)
    .filter(({ host }) => nodePorts || host !== NODE_PORT_HOST)
    .map(({ host, port }) => `${host}:${port}`)
    .map((at) => (closed.has(at) ? `${at} (not open: see its event PortNotOpened)` : at))
}

/** The first port of its status is HTTP, the second HTTPS. */
export function ingressUrls({ spec, status }: Pick<Ingress, 'spec' | 'status'>): readonly string[] {
  const served = status?.loadBalancer?.ingress?.[0]
  if (served === undefined) return []
  const [http, https] = served.ports ?? []
  if (http === undefined) return [served.hostname ?? served.ip ?? '']
  const plain = hostsOf(spec?.rules?.map(({ host }) => host)).map((host) => `http://${host}:${http.port}/`)
  if (https === undefined) return plain
  return [...plain, ...hostsOf(spec?.tls?.flatMap(({ hosts }) => hosts ?? [])).map((host) => `https://${host}:${https.port}/`)]
}

const hostsOf = (hosts: readonly (string | undefined)[] = []): readonly string[] =>
  hosts.length === 0 ? ['localhost'] : [...new Set(hosts.map((host = 'localhost') => host.replace(/^\*/, 'any')))]

/** Those that the listeners' conditions name; of another controller's Gateway, its addresses. */
export function gatewayUrls({ status }: Pick<KubeObject, 'status'>): readonly string[] {
  const { listeners, addresses } = fields(status)
  const urls = list(listeners).flatMap(({ conditions }) => list(conditions).flatMap(urlOf))
  return urls.length > 0 ? urls : list(addresses).map(({ value }) => String(value))
}

const urlOf = ({ type, status, message }: Fields): readonly string[] =>
  type === 'Programmed' && status === 'True' ? (/https?:\/\/\S+/.exec(String(message)) ?? []) : []
