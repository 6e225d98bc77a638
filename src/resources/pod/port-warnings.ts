import { child, goQuote, index } from '../../machinery/field-error.ts'
import type { ContainerPort, PodSpec } from './types.ts'
import { placedContainers } from './validation/validate-host-access.ts'

interface PlacedPort {
  readonly port: ContainerPort
  /** `spec.containers[0].ports[1]` */
  readonly path: string
}

/** Ports that several containers of a pod have, by number and by name. `path` is that of the pod's specification. */
export function portWarnings(spec: PodSpec, path: string): string[] {
  const ports = placedContainers(spec, path).flatMap(({ container, path: at }) =>
    (container.ports ?? []).map((port, i): PlacedPort => ({ port, path: index(child(at, 'ports'), i) })),
  )
  return [...numberWarnings(ports), ...nameWarnings(ports)]
}

function numberWarnings(ports: readonly PlacedPort[]): string[] {
  const seen = new Map<string, PlacedPort[]>()
  return ports.flatMap((placed) => {
    const { port, path } = placed
    const out = port.hostIP && !port.hostPort ? [`${path}: hostIP set without hostPort: ${goText(port)}`] : []
    const id = `${port.containerPort}/${port.protocol}`
    const others = seen.get(id)
    if (others === undefined) seen.set(id, [placed])
    else {
      out.push(...others.flatMap((other) => clash(port, other.port).map((how) => `${path}: ${how} port definition with ${other.path}`)))
      others.push(placed)
    }
    return out
  })
}

/** How two ports of the same number and protocol are at odds. */
function clash(a: ContainerPort, b: ContainerPort): string[] {
  const [ipA, ipB] = [a.hostIP ?? '', b.hostIP ?? '']
  const [hostA, hostB] = [a.hostPort ?? 0, b.hostPort ?? 0]
  if (ipA === ipB && hostA === hostB) return ['duplicate']
  if (hostA === 0 || hostB === 0) return ['overlapping']
  return hostA === hostB && (ipA === '') !== (ipB === '') ? ['dangerously ambiguous'] : []
}

/** A port as Go's `%+v` prints it. */
const goText = ({ name = '', hostPort = 0, containerPort, protocol, hostIP = '' }: ContainerPort) =>
  `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`

function nameWarnings(ports: readonly PlacedPort[]): string[] {
  const seen = new Map<string, string>()
  return ports.flatMap(({ port: { name }, path }) => {
    if (!name) return []
    const first = seen.get(name)
    if (first === undefined) {
      seen.set(name, path)
      return []
    }
    return [`${path}: duplicate port name ${goQuote(name)} with ${first}, services and probes that select ports by name will use ${first}`]
  })
}
