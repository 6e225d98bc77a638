/** A host port of a pod. */
export interface HostPort {
  readonly ip: string
  readonly protocol: string
  readonly port: number
}

interface PortsOf {
  readonly restartPolicy?: string
  readonly ports?: readonly { readonly hostPort?: number; readonly hostIP?: string; readonly protocol?: string }[]
}

/** The parts of a pod's spec that contain host ports. */
export interface PodPorts {
  readonly containers: readonly PortsOf[]
  readonly initContainers?: readonly PortsOf[]
}

const NONE: readonly HostPort[] = Object.freeze([])
const ANY = '0.0.0.0'

/** The host ports of containers and sidecars; other init containers end before these start. */
export function hostPortsOf({ containers, initContainers = [] }: PodPorts): readonly HostPort[] {
  let found: HostPort[] | undefined
  const sidecars = initContainers.filter((c) => c.restartPolicy === 'Always')
  for (const container of sidecars.length === 0 ? containers : [...sidecars, ...containers]) {
    for (const { hostPort, hostIP, protocol } of container.ports ?? []) {
      if (!hostPort || hostPort <= 0) continue
      found ??= []
      found.push({ ip: hostIP || ANY, protocol: protocol ?? 'TCP', port: hostPort })
    }
  }
  return found ?? NONE
}

/** True if two pods on one node cannot both have the port. */
export const clash = (a: HostPort, b: HostPort): boolean =>
  a.port === b.port && a.protocol === b.protocol && (a.ip === b.ip || a.ip === ANY || b.ip === ANY)
