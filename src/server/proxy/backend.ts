import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import net from 'node:net'
import type { Duplex } from 'node:stream'
import tls from 'node:tls'
import { hostPort } from '../../base/http/host-port.ts'
import { dialRefused } from '../../base/http/network-error.ts'
import { isSpecialAddress } from '../../machinery/network/special-address.ts'
import type { Reader } from '../../machinery/resource/definition.ts'
import { badRequest, notFound, StatusError } from '../../machinery/status-error.ts'
import { readObject } from '../../resources/read-objects.ts'
import { ENDPOINTS, PODS } from '../../resources/refs.ts'
import type { Node, Pod, Service } from '../../resources/types/core.ts'
import { localPort } from '../services/resolve-service.ts'

/** The target of a proxied request. */
export interface Backend {
  /** Opens a connection, with TLS if the scheme is https. Failures reject with Go's message. */
  connect(): Promise<Duplex>
  /** `host:port`. */
  readonly host: string
}

/** The nodes and pods of this process. */
export interface ProxyBackends {
  /** A connection to the kubelet of a node; undefined: the node is not in this process. */
  kubelet(nodeName: string): Promise<Duplex | undefined>
  /** A connection to a port of a pod; undefined: the pod is not in this process. */
  pod(pod: Pod, port: number): Promise<Duplex | undefined>
  /** A connection to an address of the cluster's network; undefined: it is not in this process. */
  address(ip: string, port: number): Promise<Duplex | undefined>
  /** Whether only the kubelet listens on this node. */
  isSimulated(nodeName: string): boolean
}

type NamedService = Pick<Service, 'metadata' | 'spec'>

/** A parsed proxy name: `https:name:port`. */
export interface ProxyTarget {
  readonly scheme: string
  readonly port: string
}

/** The kubelet of a node, or another port of it. */
export function nodeBackend(node: Pick<Node, 'metadata' | 'status'>, { scheme, port }: ProxyTarget, backends: ProxyBackends): Backend {
  const name = node.metadata.name ?? ''
  const kubeletPort = String(node.status?.daemonEndpoints?.kubeletEndpoint?.Port || 10250)
  const address = addressOf(node)
  const host = hostPort(address, port === '' ? kubeletPort : port)
  if (port !== '' && port !== kubeletPort) {
    const wanted = Number(port)
    if (backends.isSimulated(name)) return { host, connect: async () => refused(host) }
    return { host, connect: async () => dialNode({ host: address, port: wanted, secure: scheme === 'https' }) }
  }
  const connect = async () => (await backends.kubelet(name)) ?? dialNode({ host: address, port: Number(kubeletPort), secure: true })
  return { host, connect }
}

const MOST_PORT = 65_535

/** kube-apiserver's order of preference. */
const ADDRESS_TYPES = ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP']

function addressOf(node: Pick<Node, 'status'>): string {
  const addresses = (node.status?.addresses ?? []).filter((a) => ADDRESS_TYPES.includes(a.type))
  // A host name that only the node knows cannot be resolved here. An empty one is a fault, as in kube-apiserver.
  const usable = addresses.filter((a) => a.type !== 'Hostname' || a.address === '' || addresses.length === 1)
  const found = ADDRESS_TYPES.map((type) => usable.find((a) => a.type === type)).find((a) => a !== undefined)
  if (found?.address === '') throw notResolved('')
  if (found !== undefined) return found.address
  const known = (node.status?.addresses ?? []).map(({ type, address }) => `{${type} ${address}}`)
  throw new StatusError({ code: 500, message: `no preferred addresses found; known addresses: [${known.join(' ')}]` })
}

/** The pod's first port by default. */
export function podBackend(pod: Pod, target: ProxyTarget, backends: ProxyBackends): Backend {
  const ip = pod.status?.podIP ?? ''
  if (ip === '') throw badRequest('address not allowed')
  const first = (pod.spec?.containers ?? []).flatMap((c) => c.ports ?? [])[0]?.containerPort
  const port = target.port === '' ? (first ?? (target.scheme === 'https' ? 443 : 80)) : Number(target.port)
  if (!Number.isInteger(port) || port < 1 || port > MOST_PORT)
    return { host: `${ip}:${target.port}`, connect: async () => unknownPort(target.port) }
  return toPod(pod, { ip, port, secure: target.scheme === 'https' }, backends)
}

function toPod(
  pod: Pod | undefined,
  at: { readonly ip: string; readonly port: number; readonly secure: boolean },
  backends: ProxyBackends,
): Backend {
  const { ip, port, secure } = at
  const connect = async () => {
    const inside = await (pod === undefined ? backends.address(ip, port) : backends.pod(pod, port))
    if (inside === undefined) return dial({ host: checked(ip), port, secure })
    return secure ? tls.connect({ socket: inside, rejectUnauthorized: false }) : inside
  }
  return { host: hostPort(ip, port), connect }
}

/** One of the endpoints of a service. */
export function serviceBackend(
  service: NamedService,
  { scheme, port }: ProxyTarget,
  deps: {
    readonly backends: ProxyBackends
    readonly reader: Reader
    readonly local: (namespace: string, name: string) => Duplex | undefined
    readonly pick: (count: number) => number
  },
): Backend {
  const { name = '', namespace = '' } = service.metadata
  const secure = scheme === 'https'
  const here = deps.local(namespace, name)
  if (here !== undefined) return { host: `${name}.${namespace}.svc`, connect: async () => here }
  const near = localPort(service)
  if (near !== undefined) return { host: `127.0.0.1:${near}`, connect: async () => dial({ host: '127.0.0.1', port: near, secure }) }
  const portName = servicePortName(service, port)
  const endpoints = readObject(deps.reader, ENDPOINTS, namespace, name)
  if (endpoints === undefined)
    // kube-apiserver looks for slices of the service, and names the service when there are none.
    throw notFound({ group: '', resource: 'services' }, name)
  const found = (endpoints.subsets ?? []).flatMap((subset) =>
    (subset.ports ?? [])
      .filter((p) => (p.name ?? '') === portName)
      .flatMap((p) => (subset.addresses ?? []).map((address) => ({ address, port: p.port }))),
  )
  const chosen = found[deps.pick(found.length)]
  if (chosen === undefined) throw unavailable(`no endpoints available for service ${JSON.stringify(name)}`)
  const { address, port: target } = chosen
  const { kind, name: podName = '', namespace: podNamespace = namespace } = address.targetRef ?? {}
  const pod = kind === 'Pod' ? readObject(deps.reader, PODS, podNamespace, podName) : undefined
  return toPod(pod, { ip: address.ip, port: target, secure }, deps.backends)
}

/** A number is resolved to the name of the service's port. */
function servicePortName(service: NamedService, port: string): string {
  if (!/^\d+$/.test(port)) return port
  const found = (service.spec?.ports ?? []).find((p) => p.port === Number(port))
  if (found === undefined) throw unavailable(`no service port ${port} found for service ${JSON.stringify(service.metadata.name)}`)
  return found.name ?? ''
}

const unavailable = (message: string) => new StatusError({ code: 503, reason: 'ServiceUnavailable', message })

function checked(host: string): string {
  if (isSpecialAddress(host)) throw badRequest('address not allowed')
  return host
}

const notResolved = (host: string) => badRequest(`lookup ${host}: no such host`)

interface Target {
  readonly host: string
  readonly port: number
  readonly secure: boolean
}

/** Dials the addresses that were checked: a second lookup could have another answer. kube-apiserver checks nodes' hosts, too. */
async function dialNode(target: Target): Promise<Duplex> {
  const { host } = target
  const found = await lookup(host, { all: true }).catch(() => [])
  if (found.length === 0) throw notResolved(host)
  for (const { address } of found) checked(address)
  return dial(target, found)
}

/**
 * Certificates are not verified, as in kube-apiserver without a configured authority.
 * @param addresses Those of the host, where they are known.
 */
function dial({ host, port, secure }: Target, addresses?: LookupAddress[]): Duplex {
  if (port > MOST_PORT) return failing(`dial tcp: address ${port}: invalid port`)
  const known: net.LookupFunction | undefined = addresses && ((_host, _options, done) => done(null, addresses))
  // Only with `autoSelectFamily` does a socket take several addresses.
  const options = { host, port, ...(known && { lookup: known, autoSelectFamily: true }) }
  return secure ? tls.connect({ ...options, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] }) : net.connect(options)
}

const failing = (message: string): Duplex => new net.Socket().destroy(new Error(message))
const refused = (host: string) => failing(dialRefused(host))
const unknownPort = (port: string) => failing(`dial tcp: lookup tcp/${port}: unknown port`)
