import { child, index, invalid } from '../../machinery/field-error.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { Allocator, Reservation, RulesContext } from '../../machinery/resource/definition.ts'
import { completeFamilies, familyOf } from '../../resources/core/services/service-families.ts'
import { type Service, type ServiceSpec, specOf } from '../../resources/core/services/service-fields.ts'
import { ipAddressOf } from '../../resources/networking/ip-address-of.ts'
import { readObject } from '../../resources/read-objects.ts'
import { IP_ADDRESSES } from '../../resources/refs.ts'
import type { IPAddress } from '../../resources/types/networking.ts'
import type { AllocationMetrics } from './allocation-metrics.ts'
import type { Allocations } from './allocations.ts'
import { Claims } from './claims.ts'
import { anyIp, type Chooser, chooseClusterIps, IPS, ipKey, ownerOf, refuse, serviceCidrs } from './cluster-ips.ts'
import type { NodePortRange } from './node-port-range.ts'
import { anyPort, choosePorts, healthPortRefused, nodePortsOf, PORT_TAKEN, portKey } from './node-ports.ts'

/**
 * Cluster IPs and node ports of services. The store decides: an address is allocated by its IPAddress object, a port by its allocation,
 * each written on condition that it does not exist. The cache, and recent allocations of this server, only make it likely that the first
 * try succeeds.
 */
export function createServiceAllocator(
  config: { readonly nodePorts: NodePortRange },
  nodePorts: Allocations,
  metrics?: AllocationMetrics,
): Allocator {
  const claims = new Claims()
  const chooserOf = (draft: Service, context: RulesContext): Chooser => ({
    draft,
    spec: specOf(draft),
    context,
    claims,
    nodePorts: config.nodePorts,
    owner: ownerOf(draft),
  })
  const ledger: Ledger = { claims, nodePorts, metrics }
  return {
    choose(draft: Service, old: Service | undefined, context) {
      const chooser = chooserOf(draft, context)
      const before = old && specOf(old)
      const configured = [...new Set(serviceCidrs(context).map((c) => c.family))]
      refuse(draft, completeFamilies(chooser.spec, before, configured))
      chooseClusterIps(chooser, before)
      choosePorts(chooser, before)
    },
    async reserve(draft: Service, old: Service | undefined, context) {
      if (context.dryRun) return undefined
      return reserve(chooserOf(draft, context), old ? specOf(old) : {}, ledger)
    },
    async release(service: Service, context) {
      const spec = specOf(service)
      const chooser = chooserOf(service, context)
      for (const ip of addressesOf(spec)) await giveIp(chooser, ip)
      for (const port of nodePortsOf(spec)) await givePort(chooser, port, ledger)
    },
  }
}

interface Ledger {
  readonly claims: Claims
  readonly nodePorts: Allocations
  readonly metrics: AllocationMetrics | undefined
}

/** The cluster IPs of a service. */
export const addressesOf = (spec: { readonly type?: string; readonly clusterIPs?: readonly string[] }): string[] =>
  spec.type === 'ExternalName' ? [] : (spec.clusterIPs ?? []).filter((ip) => ip !== 'None' && ip !== '')

async function reserve(chooser: Chooser, before: ServiceSpec, ledger: Ledger): Promise<Reservation> {
  const { spec } = chooser
  const undo: (() => Promise<void>)[] = []
  const giveBack = async () => {
    for (const step of undo.splice(0).reverse()) await step()
  }
  const had = { ips: new Set(addressesOf(before)), ports: new Set(nodePortsOf(before)) }
  try {
    for (const ip of addressesOf(spec)) {
      if (had.ips.has(ip)) continue
      const taken = await takeIp(chooser, ip, ledger)
      undo.push(() => giveIp(chooser, taken))
    }
    for (const port of new Set(nodePortsOf(spec))) {
      if (had.ports.has(port)) continue
      const taken = await takePort(chooser, port, ledger)
      undo.push(() => givePort(chooser, taken, ledger))
    }
  } catch (error) {
    await giveBack()
    throw error
  }
  const [ips, ports] = [new Set(addressesOf(spec)), new Set(nodePortsOf(spec))]
  return {
    undo: giveBack,
    async done() {
      for (const ip of had.ips) if (!ips.has(ip)) await giveIp(chooser, ip)
      for (const port of had.ports) if (!ports.has(port)) await givePort(chooser, port, ledger)
    },
  }
}

/** The owner of allocations that the cache does not show yet. */
const ELSEWHERE = '?'

/** Allocates the address; if it was not requested explicitly and is taken, another one. Returns it. */
async function takeIp(chooser: Chooser, wanted: string, { metrics }: Ledger): Promise<string> {
  const { context, draft, spec, owner, claims } = chooser
  const refused = () => refuse(draft, [invalid(IPS, spec.clusterIPs, `failed to allocate IP ${wanted}: provided IP is already allocated`)])
  const isChosen = claims.isChosen(ipKey(wanted), owner)
  const counted = metrics?.begin()
  for (let ip = wanted; ; ) {
    claims.claim(ipKey(ip), owner, context.now, false)
    if ((await context.writer?.create('networking.k8s.io', 'ipaddresses', ipAddressOf(ip, draft))) ?? true) {
      counted?.(networkOf(context, ip), isChosen ? 'dynamic' : 'static')
      return ip
    }
    if (!isChosen) refused()
    claims.claim(ipKey(ip), ELSEWHERE, context.now, false)
    const other = anyIp(chooser, familyOf(ip))
    replaceIp(spec, ip, other)
    ip = other
  }
}

/** The network of the services that has the address; `''` after its removal. */
const networkOf = (context: RulesContext, ip: string): string =>
  serviceCidrs(context).find(({ range }) => range.offsetOf(ip) !== undefined)?.text ?? ''

function replaceIp(spec: ServiceSpec, from: string, to: string): void {
  if (spec.clusterIP === from) spec.clusterIP = to
  spec.clusterIPs = (spec.clusterIPs ?? []).map((ip) => (ip === from ? to : ip))
}

/** Allocates the port; if it was not requested explicitly and is taken, another one. Returns it. */
async function takePort(chooser: Chooser, wanted: number, { nodePorts, metrics }: Ledger): Promise<number> {
  const { context, draft, spec, owner, claims } = chooser
  const isChosen = claims.isChosen(portKey(wanted), owner)
  for (let port = wanted; ; ) {
    claims.claim(portKey(port), owner, context.now, false)
    if (await nodePorts.take(String(port), uidOf(draft))) {
      metrics?.portTaken(isChosen ? 'dynamic' : 'static')
      return port
    }
    if (!isChosen) refusePort(draft, spec, port)
    claims.claim(portKey(port), ELSEWHERE, context.now, false)
    const other = anyPort(chooser)
    for (const p of spec.ports ?? []) if (p.nodePort === port) p.nodePort = other
    if (spec.healthCheckNodePort === port) spec.healthCheckNodePort = other
    port = other
  }
}

function refusePort(draft: KubeObject, spec: ServiceSpec, port: number): void {
  const at = (spec.ports ?? []).findIndex((p) => p.nodePort === port)
  if (at < 0) throw healthPortRefused(port, PORT_TAKEN)
  refuse(draft, [invalid(child(index('spec.ports', at), 'nodePort'), port, PORT_TAKEN)])
}

const uidOf = (service: KubeObject) => service.metadata.uid ?? ''

async function giveIp({ context, claims, owner }: Chooser, ip: string): Promise<void> {
  const present = readObject(context.reader, IP_ADDRESSES, '', ip)
  if (present === undefined || parentOf(present) === owner) await context.writer?.delete('networking.k8s.io', 'ipaddresses', '', ip)
  claims.release(ipKey(ip), owner)
}

async function givePort({ claims, owner, draft }: Chooser, port: number, { nodePorts }: Ledger): Promise<void> {
  await nodePorts.give(String(port), uidOf(draft))
  claims.release(portKey(port), owner)
}

/** The service (`namespace/name`) that owns an IPAddress. */
export const parentOf = (address: IPAddress): string => `${address.spec?.parentRef?.namespace ?? ''}/${address.spec?.parentRef?.name ?? ''}`
