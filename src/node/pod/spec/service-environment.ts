import type { Service, ServicePort } from '../../../resources/types/core.ts'
import type { EnvironmentVariable } from '../../runtime/container-spec.ts'

/** The environment variables about services, as by Docker links. Headless services have none. Pure. */
export function serviceEnvironment(services: readonly Service[]): readonly EnvironmentVariable[] {
  return [...services].sort(byAge).flatMap(knownVariablesOf)
}

/** Shared by all containers: nine objects per container and service would be wasteful. */
const KNOWN = new WeakMap<Service, readonly EnvironmentVariable[]>()

function knownVariablesOf(service: Service): readonly EnvironmentVariable[] {
  const known = KNOWN.get(service) ?? variablesOf(service)
  KNOWN.set(service, known)
  return known
}

function variablesOf(service: Service): EnvironmentVariable[] {
  const { clusterIP: ip, ports = [] } = service.spec ?? {}
  const first = ports[0]
  if (ip === undefined || ip === '' || ip === 'None' || first === undefined) return []
  const prefix = upper(service.metadata.name ?? '')
  const host = ip.includes(':') ? `[${ip}]` : ip
  const url = (p: ServicePort) => `${(p.protocol ?? 'TCP').toLowerCase()}://${host}:${p.port}`
  return [
    { name: `${prefix}_SERVICE_HOST`, value: ip },
    { name: `${prefix}_SERVICE_PORT`, value: String(first.port) },
    ...ports.filter((p) => p.name).map((p) => ({ name: `${prefix}_SERVICE_PORT_${upper(p.name ?? '')}`, value: String(p.port) })),
    { name: `${prefix}_PORT`, value: url(first) },
    ...ports.flatMap((p) => {
      const protocol = p.protocol ?? 'TCP'
      const one = `${prefix}_PORT_${p.port}_${protocol.toUpperCase()}`
      return [
        { name: one, value: url(p) },
        { name: `${one}_PROTO`, value: protocol.toLowerCase() },
        { name: `${one}_PORT`, value: String(p.port) },
        { name: `${one}_ADDR`, value: ip },
      ]
    }),
  ]
}

const upper = (name: string) => name.toUpperCase().replaceAll('-', '_')
const byAge = (a: Service, b: Service) =>
  (a.metadata.creationTimestamp ?? '').localeCompare(b.metadata.creationTimestamp ?? '') ||
  (a.metadata.name ?? '').localeCompare(b.metadata.name ?? '')
