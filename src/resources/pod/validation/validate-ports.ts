import { child, duplicate, type FieldError, index, invalid, required } from '../../../machinery/field-error.ts'
import { ianaServiceName, portNumber } from '../../../machinery/names.ts'
import { faultsOfEach } from '../../../machinery/validation/faults-of-each.ts'
import { validateEnum } from '../../enumerations.ts'
import type { Container, ContainerPort } from '../types.ts'

/** Validates a container's ports. */
export function validatePorts(ports: readonly ContainerPort[] | undefined, path: string): FieldError[] {
  const names = new Set<string>()
  return faultsOfEach(ports, (port, i) => {
    const at = index(path, i)
    const faults: FieldError[] = []
    if (port.name) {
      const texts = ianaServiceName(port.name)
      for (const text of texts) faults.push(invalid(child(at, 'name'), port.name, text))
      if (texts.length === 0 && names.has(port.name)) faults.push(duplicate(child(at, 'name'), port.name))
      if (texts.length === 0) names.add(port.name)
    }
    if (!port.containerPort) faults.push(required(child(at, 'containerPort')))
    else for (const text of portNumber(port.containerPort)) faults.push(invalid(child(at, 'containerPort'), port.containerPort, text))
    if (port.hostPort) for (const text of portNumber(port.hostPort)) faults.push(invalid(child(at, 'hostPort'), port.hostPort, text))
    if (!port.protocol) faults.push(required(child(at, 'protocol')))
    else faults.push(...validateEnum(port.protocol, 'core_v1.Protocol', child(at, 'protocol')))
    return faults
  })
}

/** Two containers must not use the same host port. */
export function validateHostPortConflicts(containers: readonly Container[] | undefined, path: string): FieldError[] {
  const seen = new Set<string>()
  return faultsOfEach(containers, (container, c) =>
    faultsOfEach(container.ports, (port, p) => {
      if (!port.hostPort) return []
      const id = `${port.protocol ?? ''}/${port.hostIP ?? ''}/${port.hostPort}`
      if (seen.has(id)) return [duplicate(child(index(child(index(path, c), 'ports'), p), 'hostPort'), id)]
      seen.add(id)
      return []
    }),
  )
}

/** In the host's network, a container port equals the host port. */
export function validateHostNetworkPorts(containers: readonly Container[] | undefined, path: string): FieldError[] {
  return faultsOfEach(containers, (container, c) =>
    faultsOfEach(container.ports, (port, p) =>
      port.hostPort && port.hostPort !== port.containerPort
        ? [
            invalid(
              child(index(child(index(path, c), 'ports'), p), 'hostPort'),
              port.hostPort,
              'must match `containerPort` when `hostNetwork` is true',
            ),
          ]
        : [],
    ),
  )
}
