import { isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Clock } from '../../base/clock.ts'
import { onAbort } from '../../base/on-abort.ts'
import type { Random } from '../../base/random.ts'
import type { Later } from '../../base/steps.ts'
import { giveTurn } from '../../base/turns.ts'
import { judgeFlow } from '../../machinery/network/judge-flow.ts'
import type { Endpoint, NetworkPod, Protocol } from '../../machinery/network/network-world.ts'
import { routeHostPort } from '../../machinery/network/route-host-port.ts'
import { addressesOf, type RouteTarget, routeService } from '../../machinery/network/route-service.ts'
import { isSpecialAddress } from '../../machinery/network/special-address.ts'
import { worldOf } from '../../machinery/network/world-of-objects.ts'
import type { Reader } from '../../machinery/resource/definition.ts'
import { listObjects, readObject } from '../../resources/read-objects.ts'
import { NAMESPACES, NETWORK_POLICIES, PODS, SERVICES } from '../../resources/refs.ts'
import type { Pod, Service } from '../../resources/types/core.ts'
import { ConnectError, refused } from './connect-error.ts'
import { type DatagramChannel, datagramChannel } from './datagrams.ts'
import type { Dial } from './dialled-network.ts'
import { NetworkStack } from './network-stack.ts'
import { isLoopback } from './port-table.ts'

export interface ClusterNetworkDeps {
  /** The current objects of the cluster. */
  readonly objects: FollowedObjects
  readonly clock: Clock
  readonly random: Random
  /** Where pods reach the API server, in addition to the service `kubernetes`. Undefined: they cannot. */
  readonly apiServer?: ApiServerEndpoint
  /** Dials from this machine, which may have a way to the pods of real nodes. Undefined: they are not reached. */
  readonly dialReal?: Dial
}

export interface ApiServerEndpoint {
  readonly address: string
  readonly port: number
  /** A connection to the server's port. Undefined: the server has no reachable port. */
  connect(): Duplex | undefined
}

/** Objects that a watch of their collection keeps up to date. */
export interface FollowedObjects extends Reader {
  /** Resolves when the objects can be read; absent: they can. Called once. */
  begin?(): Promise<void>
  /** Starts to follow a collection that is loaded on demand; undefined: it is followed already. */
  follow?(group: string, resource: string): Promise<void> | undefined
}

/** A node whose pods run in this process. */
export interface NetworkNode {
  readonly name: string
  readonly ip: string
  /** Whether an address is in its pod CIDR. */
  owns(ip: string): boolean
  /** Whether a pod has the address now. */
  alive(ip: string): Later<boolean>
  /** Called on a connection to an address without a listener; resolves when a program listens there. False: none will. */
  wake?(ip: string): Promise<boolean>
}

/** The target of a connection or datagram. */
interface Destination {
  readonly ip: string
  readonly port: number
  readonly protocol: Protocol
}

/** The source of a connection. */
export type ConnectionSource =
  | { readonly kind: 'stack'; readonly stack: NetworkStack }
  /** A client outside the pod network: the API server. */
  | { readonly kind: 'outside'; readonly ip: string }
  /** The kubelet, which network policies allow to reach the pods of its node. */
  | { readonly kind: 'node'; readonly ip: string }

/** A connection that is neither refused nor accepted times out after this long, as on Linux. */
const CONNECT_MS = 130_000

/**
 * The network of a cluster inside one process: pods listen and dial, services route to their endpoints, NetworkPolicies deny. No real
 * socket is opened, but to pods of real nodes. Connections to addresses without a program are refused.
 */
export class ClusterNetwork {
  readonly #deps: ClusterNetworkDeps
  readonly #nodes: NetworkNode[] = []
  readonly #stacks = new Map<string, NetworkStack>()
  readonly #hosts = new Map<string, NetworkStack>()
  /** The namespace and name of the service that last had an address. */
  readonly #services = new Map<string, { readonly namespace: string; readonly name: string }>()

  constructor(deps: ClusterNetworkDeps) {
    this.#deps = deps
  }

  add(node: NetworkNode): void {
    this.#nodes.push(node)
    const stack = new NetworkStack([node.ip], node.name)
    this.#hosts.set(node.name, stack)
    this.#stacks.set(node.ip, stack)
  }

  /** The network of a pod: its own, or that of its node. */
  open(nodeName: string, ips: readonly string[]): NetworkStack {
    const known = this.#stacks.get(ips[0] ?? '') ?? (ips.length === 0 ? this.#hosts.get(nodeName) : undefined)
    if (known !== undefined) return known
    const stack = new NetworkStack(ips, nodeName)
    for (const ip of ips) this.#stacks.set(ip, stack)
    return stack
  }

  /** Closes the network of a deleted pod. */
  close(stack: NetworkStack): void {
    if (this.#hosts.get(stack.nodeName) === stack) return
    for (const ip of stack.ips) if (this.#stacks.get(ip) === stack) this.#stacks.delete(ip)
  }

  /** The stack of an address, if a program listens there. */
  stackAt(ip: string): NetworkStack | undefined {
    return this.#stacks.get(ip)
  }

  /** Whether an address belongs to a node of this process. */
  owns(ip: string): boolean {
    return this.#stacks.has(ip) || this.#nodes.some((node) => node.owns(ip))
  }

  /** Rejects with a `ConnectError`, or with the signal's reason. */
  async dial(from: ConnectionSource, ip: string, port: number, signal: AbortSignal): Promise<Duplex> {
    if (isIP(ip) === 0) throw new ConnectError('EINVAL', 'connect', { address: ip, port })
    await giveTurn()
    signal.throwIfAborted()
    const following = this.followPods(ip, from.kind === 'stack' ? from.stack : undefined)
    if (following !== undefined) await following
    const route = this.#route(from, { ip, port, protocol: 'TCP' })
    if (route === 'api-server') return this.#dialApiServer(ip, port)
    if (route === undefined) throw refused(ip, port)
    if (from.kind === 'stack' && isOwn(from.stack, route.ip)) {
      const accept = () => from.stack.accept(route.ip, route.port, { address: route.ip, port: from.stack.ephemeral() })
      const connection = accept() ?? ((await this.#woken(from.stack.ips[0] ?? '')) ? accept() : undefined)
      if (connection === undefined) throw refused(ip, port)
      return connection
    }
    if (!this.#allowed(from, route, 'TCP')) await this.#dropped(ip, port, signal)
    if (this.#stacks.get(route.ip)?.has(route.ip, route.port) !== true) await this.#woken(route.ip)
    const stack = this.#stacks.get(route.ip)
    const own = from.kind === 'stack' ? { address: from.stack.ips[0] ?? '', port: from.stack.ephemeral() } : { address: from.ip, port: 0 }
    const connection = stack?.accept(route.ip, route.port, own)
    if (connection !== undefined) return connection
    if (stack !== undefined || this.#nodes.some((node) => node.ip === route.ip) || (await this.#ownerOf(route.ip)?.alive(route.ip)))
      throw refused(ip, port)
    if (this.owns(route.ip)) throw new ConnectError('EHOSTUNREACH', 'connect', { address: ip, port })
    return this.#dialRealPod(route, signal)
  }

  /** No other address of the machine's network is ever dialled. */
  async #dialRealPod({ ip, port }: RouteTarget, signal: AbortSignal): Promise<Duplex> {
    const { objects, dialReal } = this.#deps
    await objects.follow?.('', 'pods')
    const isReal = ({ spec, status }: Pod) =>
      status?.podIPs?.some((own) => own.ip === ip) === true &&
      spec.hostNetwork !== true &&
      !this.#nodes.some(({ name }) => name === spec.nodeName)
    if (dialReal === undefined || isSpecialAddress(ip) || !listObjects(objects, PODS).some(isReal))
      throw new ConnectError('ENETUNREACH', 'connect', { address: ip, port })
    return dialReal(ip, port, signal)
  }

  async #woken(ip: string): Promise<boolean> {
    const owner = this.#ownerOf(ip)
    return (await owner?.alive(ip)) === true && (await owner?.wake?.(ip)) === true
  }

  #ownerOf(ip: string): NetworkNode | undefined {
    return this.#nodes.find((node) => node.owns(ip))
  }

  /**
   * Policies and host ports depend on the cluster's pods: resolves when they are loaded. Undefined: a connection from `stack` to `ip` needs
   * nothing that is not loaded.
   */
  followPods(ip: string, stack: NetworkStack | undefined): Promise<void> | undefined {
    const { objects } = this.#deps
    const toNode = this.#nodes.some((node) => node.ip === ip) || (isLoopback(ip) && this.#hosts.get(stack?.nodeName ?? '') === stack)
    const needed = toNode || objects.list('networking.k8s.io', 'networkpolicies').length > 0
    return needed ? objects.follow?.('', 'pods') : undefined
  }

  /** A UDP channel from a pod to a port, in both directions. Lost messages are not reported. */
  openDatagrams(
    stack: NetworkStack,
    to: { readonly ip: string; readonly port: number },
    receive: (bytes: Uint8Array) => void,
  ): DatagramChannel {
    if (isIP(to.ip) === 0) throw new ConnectError('EINVAL', 'connect', { address: to.ip, port: to.port })
    const from: ConnectionSource = { kind: 'stack', stack }
    let chosen: RouteTarget | undefined
    const address = isOwn(stack, to.ip) ? to.ip : (stack.ips[0] ?? '')
    const find = () => {
      // Messages before the pods are loaded are lost, as on a network.
      if (this.followPods(to.ip, stack) !== undefined) return undefined
      // The chosen endpoint is kept while it listens, so that one conversation has one peer.
      const kept = chosen && this.#stacks.get(chosen.ip)?.datagrams.at(chosen.ip, chosen.port)
      const route = kept === undefined ? this.#route(from, { ...to, protocol: 'UDP' }) : chosen
      if (route === undefined || route === 'api-server') return undefined
      chosen = route
      if (isOwn(stack, route.ip)) return stack.datagrams.at(route.ip, route.port)
      if (!this.#allowed(from, route, 'UDP')) return undefined
      return kept ?? this.#stacks.get(route.ip)?.datagrams.at(route.ip, route.port)
    }
    return datagramChannel({ address, port: stack.datagrams.ephemeral() }, find, receive)
  }

  /** The real target of a connection or message; undefined: a service without endpoints. */
  #route(from: ConnectionSource, to: Destination): RouteTarget | 'api-server' | undefined {
    const place = this.#deps.apiServer
    const route = this.#find(from, to)
    if (route === undefined || route === 'api-server' || to.protocol !== 'TCP') return route
    return route.ip === place?.address && route.port === place.port ? 'api-server' : route
  }

  #find(from: ConnectionSource, to: Destination): RouteTarget | 'api-server' | undefined {
    const { objects, random } = this.#deps
    const { ip, port } = to
    const own = from.kind === 'stack' ? from.stack : undefined
    // Loopback traffic of a node may target a host port of a pod; loopback traffic of a pod never leaves it.
    const host = own !== undefined && this.#hosts.get(own.nodeName) === own
    if (own !== undefined && isOwn(own, ip) && !host) return { ip, port }
    const node = host && isLoopback(ip) ? own.nodeName : this.#nodes.find((n) => n.ip === ip)?.name
    const services =
      node === undefined ? [this.#serviceAt(ip)] : isLoopback(ip) ? [] : listObjects(objects, SERVICES).filter((s) => hasNodePort(s, port))
    for (const service of services) {
      if (service === undefined) continue
      if (isApiServer(service, to)) return 'api-server'
      const route = routeService(service, { ...to, fromNode: node ?? own?.nodeName }, objects)
      if (route.kind === 'refused') return undefined
      if (route.kind === 'none') continue
      const caller = from.kind === 'stack' ? (from.stack.ips[0] ?? '') : from.ip
      return route.targets[route.sticky ? hash(caller) % route.targets.length : random.int(route.targets.length)]
    }
    if (node === undefined || this.#listens(ip, to)) return { ip, port }
    return routeHostPort({ node, ...to }, listObjects(objects, PODS)) ?? { ip, port }
  }

  #listens(ip: string, { port, protocol }: Destination): boolean {
    const stack = this.#stacks.get(ip)
    return stack !== undefined && (protocol === 'UDP' ? stack.datagrams.at(ip, port) !== undefined : stack.has(ip, port))
  }

  #serviceAt(ip: string): Service | undefined {
    const { objects } = this.#deps
    const known = this.#services.get(ip)
    const service = known && readObject(objects, SERVICES, known.namespace, known.name)
    if (service !== undefined && addressesOf(service).includes(ip)) return service
    this.#services.delete(ip)
    if (this.owns(ip)) return undefined
    const found = listObjects(objects, SERVICES).find((s) => addressesOf(s).includes(ip))
    if (found !== undefined) this.#services.set(ip, { namespace: found.metadata.namespace ?? '', name: found.metadata.name ?? '' })
    return found
  }

  #dialApiServer(address: string, port: number): Duplex {
    const connection = this.#deps.apiServer?.connect()
    if (connection === undefined) throw refused(address, port)
    return connection
  }

  /** Whether no NetworkPolicy denies it. */
  #allowed(from: ConnectionSource, to: RouteTarget, protocol: Protocol): boolean {
    const { objects } = this.#deps
    const policies = listObjects(objects, NETWORK_POLICIES)
    if (policies.length === 0 || from.kind === 'node') return true
    const world = worldOf({ namespaces: listObjects(objects, NAMESPACES), pods: listObjects(objects, PODS), policies })
    const endpoint = (ip: string): Endpoint => {
      const pod = world.pods.find((p: NetworkPod) => !p.hostNetwork && p.ips.includes(ip))
      return pod === undefined ? { kind: 'address', ip } : { kind: 'pod', pod }
    }
    const source = from.kind === 'stack' ? (from.stack.ips[0] ?? '') : from.ip
    return judgeFlow({ from: endpoint(source), to: endpoint(to.ip), port: to.port, protocol }, world).allowed
  }

  /** Denied traffic is dropped silently: the connection times out. */
  #dropped(address: string, port: number, signal: AbortSignal): Promise<never> {
    return new Promise((_, reject) => {
      const give = (why: unknown) => {
        cancel()
        listening[Symbol.dispose]()
        reject(why)
      }
      const cancel = this.#deps.clock.after(CONNECT_MS, () => give(new ConnectError('ETIMEDOUT', 'connect', { address, port })))
      const listening = onAbort(signal, () => give(signal.reason))
    })
  }
}

/** A server without an open port has no endpoints, but is reachable all the same. */
const isApiServer = ({ metadata, spec }: Service, { ip, port, protocol }: Destination) =>
  protocol === 'TCP' &&
  metadata.namespace === 'default' &&
  metadata.name === 'kubernetes' &&
  spec?.clusterIP === ip &&
  spec?.ports?.[0]?.port === port

/** Whether an address belongs to the caller's own stack. */
const isOwn = (stack: NetworkStack, ip: string) => isLoopback(ip) || stack.ips.includes(ip)

const hasNodePort = ({ spec }: Service, port: number) => (spec?.ports ?? []).some((p) => p.nodePort === port)

function hash(text: string): number {
  let h = 0
  for (let i = 0; i < text.length; i++) h = (h * 31 + text.charCodeAt(i)) >>> 0
  return h
}
