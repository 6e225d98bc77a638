import type { KubeObject } from '../../../machinery/object.ts'
import type { EnvironmentVariable } from '../../runtime/container-spec.ts'

interface Port {
  readonly name?: string
  readonly port: number
  readonly protocol?: string
}

/** The variables that tell containers of services, as Docker links once did. Headless services have none. Pure. */
export function serviceEnvironment(services: readonly KubeObject[]): readonly EnvironmentVariable[] {
  return [...services].sort(byAge).flatMap(knownVariablesOf)
}

/** Nine objects a container for one service alone: all containers have the same. */
const KNOWN = new WeakMap<KubeObject, readonly EnvironmentVariable[]>()

function knownVariablesOf(service: KubeObject): readonly EnvironmentVariable[] {
  const known = KNOWN.get(service) ?? variablesOf(service)
  KNOWN.set(service, known)
  return known
}

function variablesOf(service: KubeObject): EnvironmentVariable[] {
  const ip = service.spec?.clusterIP as string | undefined
  const ports = (service.spec?.ports ?? []) as readonly Port[]
  const first = ports[0]
  if (ip === undefined || ip === '' || ip === 'None' || first === undefined) return []
  const prefix = upper(service.metadata.name ?? '')
  const host = ip.includes(':') ? `[${ip}]` : ip
  const url = (p: Port) => `${(p.protocol ?? 'TCP').toLowerCase()}://${host}:${p.port}`
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
const byAge = (a: KubeObject, b: KubeObject) =>
  (a.metadata.creationTimestamp ?? '').localeCompare(b.metadata.creationTimestamp ?? '') ||
  (a.metadata.name ?? '').localeCompare(b.metadata.name ?? '')
