import { child, index, invalid } from '../../machinery/field-error.ts'
import type { Reader } from '../../machinery/resource/definition.ts'
import { internalError, StatusError } from '../../machinery/status-error.ts'
import { needsHealthCheck, needsNodePort, type ServicePort, type ServiceSpec } from '../../resources/core/services/service-fields.ts'
import { listObjects } from '../../resources/read-objects.ts'
import { SERVICES } from '../../resources/refs.ts'
import { type Chooser, ownerOf, refuse } from './cluster-ips.ts'
import type { NodePortRange } from './node-port-range.ts'

/** The number of low ports that are only allocated when requested explicitly (KEP-3668). */
function reservedOf({ first, last }: NodePortRange): number {
  const size = last - first + 1
  return size <= 16 ? 0 : Math.min(Math.max(16, Math.floor(size / 32)), 128)
}
/** The port that a dry run shows as allocated. */
const DRY_RUN_PORT = 32769

/** Allocates the node ports that a service needs and did not request explicitly. */
export function choosePorts(chooser: Chooser, old: ServiceSpec | undefined): void {
  const { spec } = chooser
  const used = usedPorts(chooser)
  const before = new Set((old?.ports ?? []).flatMap((p) => p.nodePort || []))
  if (spec.type === 'NodePort' || spec.type === 'LoadBalancer') chooseNodePorts(chooser, used, old && before)
  if (!needsHealthCheck(spec) || (old && needsHealthCheck(old))) return
  const health = spec.healthCheckNodePort ?? 0
  if (health === 0) spec.healthCheckNodePort = freePort(chooser, used)
  else {
    const why = portUnavailable(chooser, used, health)
    if (why !== undefined) throw healthPortRefused(health, why)
  }
}

/** The message if a requested port is not available. */
export const PORT_TAKEN = 'provided port is already allocated'

export const healthPortRefused = (port: number, why: string) =>
  internalError(`failed to allocate requested HealthCheck NodePort ${port}: ${why}`)

type UsedPorts = () => ReadonlySet<number>

const usedPorts = ({ context, owner }: Chooser): UsedPorts => lazy(() => usedNodePorts(context.reader, owner))

/** Every node port in use, health checks included; those of the service `except` aside. */
export function usedNodePorts(reader: Reader, except?: string): Set<number> {
  const used = new Set<number>()
  for (const service of listObjects(reader, SERVICES)) {
    if (ownerOf(service) !== except) for (const port of nodePortsOf(service.spec ?? {})) used.add(port)
  }
  return used
}

/** The fields of a service's spec with node ports. */
interface PortedSpec {
  readonly ports?: readonly { readonly nodePort?: number }[]
  readonly healthCheckNodePort?: number
}

/** The node ports of a service; that of its health check comes last. */
export function nodePortsOf(spec: PortedSpec): number[] {
  const ports = (spec.ports ?? []).flatMap((p) => p.nodePort || [])
  return spec.healthCheckNodePort ? [...ports, spec.healthCheckNodePort] : ports
}

/**
 * In a new service the same port number for several protocols gets the same node port, and no others share one; in a changed one (`before`:
 * the node ports it had) each port gets its own.
 */
function chooseNodePorts(chooser: Chooser, used: UsedPorts, before: ReadonlySet<number> | undefined): void {
  const { spec, draft } = chooser
  const byPort = new Map<number, number>()
  const own = new Set<number>()
  const seen = new Set<string>()
  const asked = askedPorts(spec)
  const ports: ServicePort[] = spec.ports ?? []
  for (const [i, port] of ports.entries()) {
    const wanted = port.nodePort ?? 0
    if (wanted === 0 && !needsNodePort(spec)) continue
    const number = port.port ?? 0
    const requested = wanted || (before === undefined ? (ports.find((p) => p.port === port.port && p.nodePort)?.nodePort ?? 0) : 0)
    if (requested !== 0 && before?.has(requested) !== true && byPort.get(number) !== requested) {
      const why = before === undefined && own.has(requested) ? PORT_TAKEN : portUnavailable(chooser, used, requested)
      if (why !== undefined) refuse(draft, [invalid(child(index('spec.ports', i), 'nodePort'), requested, why)])
    }
    port.nodePort = requested || (before === undefined && byPort.get(number)) || freePort(chooser, used, asked)
    if (before !== undefined) refuseRepeated(port, seen)
    byPort.set(number, port.nodePort)
    own.add(port.nodePort)
    asked.add(port.nodePort)
  }
}

/** Kubernetes finds a node port that a changed service uses twice while it allocates, before the service is validated. */
function refuseRepeated({ protocol, nodePort }: ServicePort, seen: Set<string>): void {
  const key = `${protocol} ${nodePort}`
  if (seen.has(key)) throw new StatusError({ code: 500, message: `duplicate nodePort: {${key}}` })
  seen.add(key)
}

/** The key of a port in the claims. */
export const portKey = (port: number) => `port ${port}`

function portUnavailable({ context, nodePorts: { first, last } }: Chooser, used: UsedPorts, port: number): string | undefined {
  if (!context.dryRun && (port < first || port > last))
    return `provided port is not in the valid range. The range of valid ports is ${first}-${last}`
  return used().has(port) ? PORT_TAKEN : undefined
}

/** Chooses a free port, and claims it for the service. */
export const anyPort = (chooser: Chooser): number => freePort(chooser, usedPorts(chooser))

const askedPorts = ({ ports = [] }: ServiceSpec) => new Set(ports.map((p) => p.nodePort ?? 0))

function freePort({ context, claims, owner, spec, nodePorts }: Chooser, used: UsedPorts, own = askedPorts(spec)): number {
  if (context.dryRun) return [...own].reduce((most, port) => Math.max(most, port), DRY_RUN_PORT - 1) + 1
  const { first, last } = nodePorts
  const reserved = reservedOf(nodePorts)
  const parts = [
    [first + reserved, last - first - reserved + 1],
    [first, reserved],
  ] as const
  for (const [from, size] of parts) {
    if (size === 0) continue
    const start = context.random.int(size)
    for (let i = 0; i < size; i++) {
      const port = from + ((start + i) % size)
      if (own.has(port) || used().has(port) || claims.holds(portKey(port), owner, context.now)) continue
      claims.claim(portKey(port), owner, context.now, true)
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
