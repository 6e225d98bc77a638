import type { Service } from '../../resources/types/core.ts'

/** A port of this machine that leads to a port of a service. */
export interface MachinePort {
  readonly host: string
  readonly port: number
  /** The port of the service. */
  readonly servicePort: number
}

/** Where node ports are open. */
export const NODE_PORT_HOST = '127.0.0.1'

/**
 * The ports that a service wants on this machine: its node ports, and its own ports at the address of its load balancer. TCP alone: a
 * simulated pod receives datagrams of other pods only.
 */
export function machinePorts({ spec = {} }: Pick<Service, 'spec'>, balancer: string | undefined): readonly MachinePort[] {
  const ports = (spec.ports ?? []).filter(({ protocol = 'TCP' }) => protocol === 'TCP')
  const node = ports.flatMap(({ port, nodePort }) => (nodePort ? [{ host: NODE_PORT_HOST, port: nodePort, servicePort: port }] : []))
  const own = balancer === undefined ? [] : ports.map(({ port }) => ({ host: balancer, port, servicePort: port }))
  return [...node, ...own]
}

/** Whether this cluster provides the load balancer of a service; one with a class is another controller's. */
export const isBalanced = ({ spec = {} }: Pick<Service, 'spec'>): boolean =>
  spec.type === 'LoadBalancer' && spec.loadBalancerClass === undefined

/** Whether a service has, or had, ports on this machine. */
export const hasMachinePorts = ({ spec = {} }: Pick<Service, 'spec'>): boolean => spec.type === 'NodePort' || spec.type === 'LoadBalancer'
