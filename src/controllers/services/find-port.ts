import type { Pod, ServicePort } from '../../resources/types/core.ts'

/** The number that a port of the service has on the pod; undefined where the pod has no such port. */
export function findPort({ spec }: Pod, port: ServicePort): number | undefined {
  const target = port.targetPort ?? port.port
  if (typeof target === 'number') return target === 0 ? port.port : target
  const sidecars = (spec.initContainers ?? []).filter((c) => c.restartPolicy === 'Always')
  const ports = [...spec.containers, ...sidecars].flatMap((c) => c.ports ?? [])
  return ports.find((p) => p.name === target && (p.protocol ?? 'TCP') === (port.protocol ?? 'TCP'))?.containerPort
}
