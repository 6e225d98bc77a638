import type { Endpoint, PolicyPort, Protocol } from './network-world.ts'

/** A port of the receiver. */
export interface FlowPort {
  readonly port: number
  readonly protocol: Protocol
}

/** True if a port of a rule matches this port of the receiver. Names are those of the receiver's containers. */
export function portMatches({ protocol = 'TCP', port, endPort }: PolicyPort, flow: FlowPort, to: Endpoint): boolean {
  if (protocol !== flow.protocol) return false
  if (port === undefined) return true
  if (typeof port === 'number') return endPort === undefined ? port === flow.port : port <= flow.port && flow.port <= endPort
  return to.kind === 'pod' && to.pod.ports.some((p) => p.name === port && p.port === flow.port && p.protocol === flow.protocol)
}

/** `TCP 80`, `UDP 53-60`, `TCP http`, `every UDP port` */
export function portText({ protocol = 'TCP', port, endPort }: PolicyPort): string {
  if (port === undefined) return `every ${protocol} port`
  return `${protocol} ${port}${endPort === undefined ? '' : `-${endPort}`}`
}
