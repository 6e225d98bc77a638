import { BlockList, isIPv4 } from 'node:net'
import type { Logger } from '../../base/logger.ts'
import { ignoring } from '../../machinery/ignoring.ts'
import { readObject } from '../../resources/read-objects.ts'
import { SERVICES } from '../../resources/refs.ts'
import type { LoadBalancerIngress, Service } from '../../resources/types/core.ts'
import type { Client } from '../../sdk/client/client.ts'
import { type EventRecorder, referenceTo } from '../../sdk/controller/event-recorder.ts'
import { BalancerAddresses } from './balancer-addresses.ts'
import { type DialServiceDeps, dialService } from './dial-service.ts'
import { listenOn, type OpenPort, whyNotOpened } from './listen-on.ts'
import { hasMachinePorts, isBalanced, type MachinePort, machinePorts, NODE_PORT_HOST } from './machine-ports.ts'

export interface ServiceAddressesDeps extends DialServiceDeps {
  /** May patch the status of services. */
  readonly client: Client
  readonly recorder: EventRecorder
  /** Of 16 bits: the network of the load balancers. */
  readonly number: number
  readonly log: Logger
}

/** Ports that services may have open on this machine. */
const MAX_PORTS = 4000

/**
 * Services have addresses on this machine: node ports on 127.0.0.1, load balancers an address of 127.0.0.0/8 that their status names. A
 * connection goes to an endpoint as kube-proxy would lead it, and only into the network of the simulated pods.
 */
export class ServiceAddresses implements AsyncDisposable {
  readonly #deps: ServiceAddressesDeps
  readonly #balancers: BalancerAddresses
  /** By the key of the service, then by `host:port`. */
  readonly #open = new Map<string, Map<string, OpenPort>>()
  #count = 0
  #last: Promise<void> = Promise.resolve()
  #closed = false

  constructor(deps: ServiceAddressesDeps) {
    this.#deps = deps
    this.#balancers = new BalancerAddresses(deps.number)
  }

  /** Opens and closes ports after a service has changed; one service after the other. */
  follow(namespace: string, name: string): Promise<void> {
    this.#last = this.#last
      .then(() => (this.#closed ? undefined : this.#sync(namespace, name)))
      .catch((error: unknown) => this.#deps.log.warn('the ports of a service could not be opened', { namespace, name, error }))
    return this.#last
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    await this.#last
    for (const ports of this.#open.values()) for (const port of ports.values()) port.close()
  }

  async #sync(namespace: string, name: string): Promise<void> {
    const key = `${namespace}/${name}`
    const service = readObject(this.#deps.reader, SERVICES, namespace, name)
    const balancer = service && isBalanced(service) ? this.#balancers.of(key, addressOf(service)) : undefined
    const wanted = service && hasMachinePorts(service) ? machinePorts(service, balancer) : []
    this.#close(key, wanted)
    const refusals = service === undefined ? [] : await this.#openAll(key, service, wanted)
    if (balancer === undefined) this.#balancers.release(key)
    if (service !== undefined) await this.#report(service, balancer, refusals)
  }

  #close(key: string, wanted: readonly MachinePort[]): void {
    const open = this.#open.get(key)
    if (open === undefined) return
    const kept = new Set(wanted.map(nameOf))
    for (const [at, port] of open) {
      if (kept.has(at)) continue
      port.close()
      open.delete(at)
      this.#count--
    }
    if (open.size === 0) this.#open.delete(key)
  }

  /** The ports that could not be opened, and why. */
  async #openAll(key: string, service: Service, wanted: readonly MachinePort[]): Promise<readonly Refusal[]> {
    const refusals: Refusal[] = []
    for (const port of wanted) {
      const at = nameOf(port)
      const open = this.#open.get(key) ?? new Map<string, OpenPort>()
      if (open.has(at)) continue
      try {
        if (this.#count >= MAX_PORTS) throw new Error(`${MAX_PORTS} ports of services are open`)
        open.set(at, await listenOn(port, (client) => this.#connect(service, port, client)))
        this.#open.set(key, open)
        this.#count++
      } catch (error) {
        refusals.push({ ...port, why: whyNotOpened(error) })
      }
    }
    return refusals
  }

  async #connect({ metadata: { namespace = '', name = '' } }: Service, { host, servicePort }: MachinePort, client: string) {
    const service = readObject(this.#deps.reader, SERVICES, namespace, name)
    if (service === undefined || (host !== NODE_PORT_HOST && !mayUse(service, client))) return undefined
    return dialService(service, servicePort, this.#deps)
  }

  async #report(service: Service, balancer: string | undefined, refusals: readonly Refusal[]): Promise<void> {
    for (const refusal of refusals) this.#warn(service, refusal)
    if (isBalanced(service) && balancer === undefined) this.#warn(service, { why: 'all addresses for load balancers are in use' })
    const before = service.status?.loadBalancer?.ingress ?? []
    const after = balancer === undefined ? [] : [ingressOf(service, balancer, refusals)]
    // What another controller wrote is left alone.
    if (JSON.stringify(before) === JSON.stringify(after) || (balancer === undefined && !this.#balancers.has(addressOf(service)))) return
    const { name = '', namespace = '' } = service.metadata
    const status = { status: { loadBalancer: { ingress: after } } }
    await this.#deps.client.patch({ ...SERVICES, namespace, name, subresource: 'status' }, 'merge', status).catch(ignoring('NotFound'))
    if (balancer !== undefined && addressOf(service) !== balancer)
      this.#record(service, 'Normal', 'EnsuredLoadBalancer', `the load balancer has the address ${balancer} on this machine`)
  }

  #warn(service: Service, { host, port, servicePort, why }: Partial<Refusal>): void {
    const nodePort = service.spec?.ports?.find((p) => p.port === servicePort)?.nodePort
    const other = nodePort && port !== nodePort ? `; it is reached at 127.0.0.1:${nodePort} too, its node port` : ''
    const what = host === undefined ? 'the load balancer has no address' : `${host}:${port} is not open on this machine`
    this.#record(service, 'Warning', 'PortNotOpened', `${what}: ${why}${other}`)
  }

  #record(service: Service, type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#deps.recorder.record({ regarding: referenceTo(service), type, reason, message })
  }
}

interface Refusal extends MachinePort {
  readonly why: string
}

/** Whether the load balancer of a service lets this client in: `loadBalancerSourceRanges`. */
function mayUse({ spec = {} }: Pick<Service, 'spec'>, client: string): boolean {
  const { loadBalancerSourceRanges: ranges = [] } = spec
  const allowed = new BlockList()
  for (const range of ranges) {
    const [network = '', bits] = range.trim().split('/')
    if (isIPv4(network)) allowed.addSubnet(network, Number(bits), 'ipv4')
  }
  return ranges.length === 0 || allowed.check(client)
}

const nameOf = ({ host, port }: MachinePort) => `${host}:${port}`

const addressOf = ({ status }: Service) => status?.loadBalancer?.ingress?.[0]?.ip

/** As the server stores it. */
function ingressOf({ spec }: Service, ip: string, refusals: readonly Refusal[]): LoadBalancerIngress {
  const errors = new Map(refusals.filter(({ host }) => host === ip).map(({ servicePort, why }) => [servicePort, why]))
  const ports = (spec?.ports ?? []).map(({ port, protocol = 'TCP' }) => {
    const udp = protocol === 'TCP' ? undefined : 'bowsprit.dev/NotSupported'
    const error = errors.has(port) ? 'bowsprit.dev/PortNotOpened' : udp
    return { port, protocol, ...(error && { error }) }
  })
  return { ip, ipMode: 'VIP', ports }
}
