import { child, type FieldError, index, invalid } from '../../machinery/field-error.ts'
import { cidrContains, ipText, networkOf, parseCidr, parseIp } from '../../machinery/ip-address.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { RulesContext } from '../../machinery/resource/definition.ts'
import { internalError, invalidObject } from '../../machinery/status-error.ts'
import { type AddressRange, addressRange } from './address-range.ts'
import { claimsFor, ownerOf, usedNodePorts } from './service-claims.ts'
import { completeFamilies, familyOf, type IpFamily, keepsDualStack } from './service-families.ts'
import { isHeadless, needsHealthCheck, needsNodePort, type ServicePort, type ServiceSpec, specOf } from './service-fields.ts'

const FIRST_PORT = 30000
const LAST_PORT = 32767
/** The lowest ports are left to those who ask for one by number. */
const RESERVED_PORTS = 86
/** What a dry run shows as the port that would have been chosen. */
const DRY_RUN_PORT = 32769
const DEFAULT_CIDR = '10.0.0.0/24'
const IPS = child('spec', 'clusterIPs')

/** Completes families, chooses addresses and ports. Throws the answer where something cannot be had. Nothing is taken before `reserveService`. */
export function allocateService(draft: KubeObject, old: KubeObject | undefined, context: RulesContext): void {
  const spec = specOf(draft)
  const before = old && specOf(old)
  const cidrs = serviceCidrs(context)
  const configured = [...new Set(cidrs.map((c) => c.family))]
  refuse(draft, completeFamilies(spec, before, configured))
  const chooser = { draft, spec, context, cidrs }
  chooseClusterIps(chooser, before)
  choosePorts(chooser, before)
}

interface Chooser {
  readonly draft: KubeObject
  readonly spec: ServiceSpec
  readonly context: RulesContext
  readonly cidrs: readonly ServiceCidr[]
}

interface ServiceCidr {
  readonly text: string
  readonly family: IpFamily
  readonly ready: boolean
  readonly base: string
  readonly range: AddressRange
}

function serviceCidrs(context: RulesContext): ServiceCidr[] {
  const objects = context.reader.list('networking.k8s.io', 'servicecidrs')
  const primary = objects.filter((o) => o.metadata.name === 'kubernetes')
  const ordered = [...primary, ...objects.filter((o) => o.metadata.name !== 'kubernetes')]
  const all = ordered.flatMap((o) => (o.spec?.cidrs ?? []).map((text: string) => ({ text, ready: isReady(o) })))
  return (all.length > 0 ? all : [{ text: DEFAULT_CIDR, ready: true }]).flatMap(({ text, ready }) => {
    const cidr = parseCidr(text)
    if (!cidr) return []
    const base = ipText(networkOf(cidr))
    return [{ text, ready, base, family: familyOf(base), range: addressRange(cidr) }]
  })
}

function isReady(serviceCidr: KubeObject): boolean {
  if (serviceCidr.metadata.deletionTimestamp) return false
  const conditions: { type: string; status: string }[] = serviceCidr.status?.conditions ?? []
  return conditions.find((c) => c.type === 'Ready')?.status !== 'False'
}

function refuse(draft: KubeObject, faults: readonly FieldError[]): void {
  if (faults.length > 0) throw invalidObject({ group: '', kind: 'Service' }, draft.metadata.name ?? '', faults)
}

function chooseClusterIps(chooser: Chooser, old: ServiceSpec | undefined): void {
  const { spec } = chooser
  if (spec.type === 'ExternalName' || isHeadless(spec) || keepsDualStack(spec, old)) return
  const fresh = old === undefined || old.type === 'ExternalName'
  if (!fresh && (old.clusterIPs?.[0] === 'None' || !(old.ipFamilies?.length === 1 && spec.ipFamilies?.length === 2))) return
  const ips = [...(spec.clusterIPs ?? [])]
  for (const [i, family] of (spec.ipFamilies ?? []).entries()) if (fresh || i > 0) ips[i] = oneIp(chooser, family, ips[i] ?? '')
  spec.clusterIPs = ips
  if (ips[0] !== undefined) spec.clusterIP = ips[0]
}

const ipKey = (ip: string) => `ip ${ip}`

function ipTaken(context: RulesContext, ip: string, owner: string, tentativeCounts: boolean): boolean {
  if (claimsFor(context.reader).holds(ipKey(ip), owner, context.now, tentativeCounts)) return true
  return context.reader.get('networking.k8s.io', 'ipaddresses', '', ip) !== undefined
}

function oneIp(chooser: Chooser, family: string, asked: string): string {
  const { context, draft } = chooser
  if (asked !== '') {
    const why = unavailable(chooser, asked)
    if (why !== undefined) refuse(draft, [invalid(IPS, chooser.spec.clusterIPs, `failed to allocate IP ${asked}: ${why}`)])
    return asked
  }
  const ready = chooser.cidrs.filter((c) => c.family === family && c.ready)
  if (context.dryRun && ready[0]) return ready[0].base
  for (const tentativeCounts of [true, false]) {
    for (const cidr of ready) {
      const ip = freeIp(chooser, cidr.range, tentativeCounts)
      if (ip === undefined) continue
      claimsFor(context.reader).claim(ipKey(ip), ownerOf(draft), context.now, true)
      return ip
    }
  }
  throw internalError('failed to allocate a serviceIP: range is full')
}

function unavailable({ context, draft, cidrs }: Chooser, asked: string): string | undefined {
  const ip = parseIp(asked)
  const cidr = cidrs.find((c) => {
    const parsed = parseCidr(c.text)
    return c.ready && ip !== undefined && parsed !== undefined && cidrContains(parsed, ip)
  })
  if (!cidr || !ip) return 'the provided network does not match the current range'
  const text = ipText(ip)
  if (cidr.range.offsetOf(text) === undefined)
    return `the provided IP (${text}) is not in the valid range. The range of valid IPs is ${cidr.text}`
  return !context.dryRun && ipTaken(context, text, ownerOf(draft), false) ? 'provided IP is already allocated' : undefined
}

/** From a random place in the upper part onwards, then in the part that is kept for those who ask. */
function freeIp({ context, draft }: Chooser, range: AddressRange, tentativeCounts: boolean): string | undefined {
  const owner = ownerOf(draft)
  const parts = [
    [range.reserved, range.size - range.reserved],
    [0n, range.reserved],
  ] as const
  for (const [from, size] of parts) {
    if (size <= 0n) continue
    const start = BigInt(context.random.int(Number(size < 0x7fffffffn ? size : 0x7fffffffn)))
    const tries = size < 65536n ? size : 65536n
    for (let i = 0n; i < tries; i++) {
      const ip = range.at(from + ((start + i) % size))
      if (!ipTaken(context, ip, owner, tentativeCounts)) return ip
    }
  }
  return undefined
}

function choosePorts(chooser: Chooser, old: ServiceSpec | undefined): void {
  const { spec, context, draft } = chooser
  const used = lazy(() => usedNodePorts(context.reader, ownerOf(draft)))
  const before = new Set((old?.ports ?? []).flatMap((p) => p.nodePort || []))
  if (spec.type === 'NodePort' || spec.type === 'LoadBalancer') chooseNodePorts(chooser, used, before)
  if (!needsHealthCheck(spec) || (old && needsHealthCheck(old))) return
  const health = spec.healthCheckNodePort ?? 0
  if (health === 0) spec.healthCheckNodePort = freePort(chooser, used)
  else {
    const why = portUnavailable(chooser, used, health)
    if (why !== undefined) throw internalError(`failed to allocate requested HealthCheck NodePort ${health}: ${why}`)
  }
}

type UsedPorts = () => ReadonlySet<number>

/** The same port number for several protocols gets the same node port. */
function chooseNodePorts(chooser: Chooser, used: UsedPorts, before: ReadonlySet<number>): void {
  const { spec, draft } = chooser
  const byPort = new Map<number, number>()
  const ports: ServicePort[] = spec.ports ?? []
  for (const [i, port] of ports.entries()) {
    const wanted = port.nodePort ?? 0
    if (wanted === 0 && !needsNodePort(spec)) continue
    const number = port.port ?? 0
    const requested = wanted || (ports.find((p) => p.port === port.port && p.nodePort)?.nodePort ?? 0)
    if (requested !== 0 && !before.has(requested) && byPort.get(number) !== requested) {
      const why = portUnavailable(chooser, used, requested)
      if (why !== undefined) refuse(draft, [invalid(child(index('spec.ports', i), 'nodePort'), requested, why)])
    }
    port.nodePort = requested || byPort.get(number) || freePort(chooser, used)
    byPort.set(number, port.nodePort)
  }
}

const portKey = (port: number) => `port ${port}`

function portUnavailable({ context, draft }: Chooser, used: UsedPorts, port: number): string | undefined {
  if (!context.dryRun && (port < FIRST_PORT || port > LAST_PORT))
    return `provided port is not in the valid range. The range of valid ports is ${FIRST_PORT}-${LAST_PORT}`
  const taken = used().has(port) || claimsFor(context.reader).holds(portKey(port), ownerOf(draft), context.now, false)
  return taken ? 'provided port is already allocated' : undefined
}

function freePort({ context, draft, spec }: Chooser, used: UsedPorts): number {
  const own = new Set((spec.ports ?? []).map((p) => p.nodePort))
  if (context.dryRun) return Math.max(DRY_RUN_PORT - 1, ...[...own].map((p) => p ?? 0)) + 1
  const claims = claimsFor(context.reader)
  const parts = [
    [FIRST_PORT + RESERVED_PORTS, LAST_PORT - FIRST_PORT - RESERVED_PORTS + 1],
    [FIRST_PORT, RESERVED_PORTS],
  ] as const
  for (const [from, size] of parts) {
    const start = context.random.int(size)
    for (let i = 0; i < size; i++) {
      const port = from + ((start + i) % size)
      if (own.has(port) || used().has(port) || claims.holds(portKey(port), ownerOf(draft), context.now)) continue
      claims.claim(portKey(port), ownerOf(draft), context.now, true)
      return port
    }
  }
  throw internalError('failed to allocate a nodePort: range is full')
}

function lazy<T>(make: () => T): () => T {
  let value: T | undefined
  return () => {
    value ??= make()
    return value
  }
}

const addressesOf = (spec: ServiceSpec): string[] =>
  spec.type === 'ExternalName' ? [] : (spec.clusterIPs ?? []).filter((ip) => ip !== 'None' && ip !== '')

function portsOf(spec: ServiceSpec): number[] {
  const ports = (spec.ports ?? []).flatMap((p) => p.nodePort || [])
  return spec.healthCheckNodePort ? [...ports, spec.healthCheckNodePort] : ports
}

/** Takes what the service now holds and did not before, and lets go what it held; `undo` puts everything back. */
export async function reserveService(
  draft: KubeObject,
  old: KubeObject | undefined,
  context: RulesContext,
): Promise<{ undo(): Promise<void> } | undefined> {
  if (context.dryRun) return undefined
  const spec = specOf(draft)
  const before = old ? specOf(old) : {}
  const added = addressesOf(spec).filter((ip) => !addressesOf(before).includes(ip))
  const dropped = addressesOf(before).filter((ip) => !addressesOf(spec).includes(ip))
  const owner = ownerOf(draft)
  const claims = claimsFor(context.reader)
  const taken: string[] = []
  const undo = async () => {
    for (const ip of taken) await releaseIp(ip, owner, context)
    for (const ip of dropped) await takeIp(ip, draft, context)
    for (const port of portsOf(spec)) claims.release(portKey(port), owner)
  }
  for (const ip of added) {
    if (!(await takeIp(ip, draft, context))) {
      await undo()
      refuse(draft, [invalid(IPS, spec.clusterIPs, `failed to allocate IP ${ip}: provided IP is already allocated`)])
    }
    taken.push(ip)
  }
  for (const ip of dropped) await releaseIp(ip, owner, context)
  for (const port of portsOf(spec)) claims.claim(portKey(port), owner, context.now, false)
  return { undo }
}

async function takeIp(ip: string, service: KubeObject, context: RulesContext): Promise<boolean> {
  const claims = claimsFor(context.reader)
  const owner = ownerOf(service)
  if (claims.holds(ipKey(ip), owner, context.now)) return false
  claims.claim(ipKey(ip), owner, context.now, false)
  return (await context.writer?.create('networking.k8s.io', 'ipaddresses', ipAddressOf(ip, service))) ?? true
}

async function releaseIp(ip: string, owner: string, context: RulesContext): Promise<void> {
  await context.writer?.delete('networking.k8s.io', 'ipaddresses', '', ip)
  claimsFor(context.reader).release(ipKey(ip), owner)
}

function ipAddressOf(ip: string, service: KubeObject): KubeObject {
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

/** After the service has gone. */
export async function releaseService(service: KubeObject, context: RulesContext): Promise<void> {
  const spec = specOf(service)
  const owner = ownerOf(service)
  for (const ip of addressesOf(spec)) await releaseIp(ip, owner, context)
  for (const port of portsOf(spec)) claimsFor(context.reader).release(portKey(port), owner)
}
