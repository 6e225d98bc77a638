import { child, type FieldError, forbidden, index, invalid } from '../../../machinery/field-error.ts'
import type { Container, PodRules, PodSpec } from '../types.ts'
import { validateHostNetworkPorts } from './validate-ports.ts'

/** Validates the use of the host's network. */
export function validateHostNetwork(spec: PodSpec, path: string): FieldError[] {
  return spec.hostNetwork ? validateHostNetworkPorts(spec.containers, child(path, 'containers')) : []
}

/** What a pod with a user namespace of its own may not use. */
export function validateUserNamespace(spec: PodSpec, path: string): FieldError[] {
  if (spec.hostUsers !== false) return []
  const faults: FieldError[] = []
  const forbid = (at: string) => void faults.push(forbidden(at, 'when `hostUsers` is false'))
  if (spec.hostNetwork) forbid(child(path, 'hostNetwork'))
  // Kubernetes' names of these two.
  if (spec.hostPID) forbid(child(path, 'HostPID'))
  if (spec.hostIPC) forbid(child(path, 'HostIPC'))
  for (const { container, path: at } of placedContainers(spec, path))
    if ((container.volumeDevices ?? []).length > 0) forbid(child(at, 'volumeDevices'))
  return faults
}

interface Placed {
  readonly container: Container
  readonly path: string
}

/** Every container of a spec with its path. */
export function placedContainers(spec: PodSpec, path: string): Placed[] {
  return (['initContainers', 'containers', 'ephemeralContainers'] as const).flatMap((field) =>
    (spec[field] ?? []).map((container, i) => ({ container, path: index(child(path, field), i) })),
  )
}

/** Windows HostProcess containers: all or none, and in the host's network. */
export function validateHostProcess(spec: PodSpec, path: string, rules: PodRules): FieldError[] {
  const ofPod = spec.securityContext?.windowsOptions?.hostProcess
  const faults: FieldError[] = []
  const containers = placedContainers(spec, path)
  let count = 0
  for (const { container, path: at } of containers) {
    const own = container.securityContext?.windowsOptions?.hostProcess
    if (own !== undefined && ofPod !== undefined && own !== ofPod)
      faults.push(
        invalid(
          child(at, 'securityContext', 'windowsOptions', 'hostProcess'),
          own,
          `pod hostProcess value must be identical if both are specified, was ${ofPod}`,
        ),
      )
    if (own ?? ofPod) count++
  }
  if (count === 0) return faults
  if (count !== containers.length)
    faults.push(invalid(path, '', 'If pod contains any hostProcess containers then all containers must be HostProcess containers'))
  if (!spec.hostNetwork)
    faults.push(invalid(child(path, 'hostNetwork'), false, 'hostNetwork must be true if pod contains any hostProcess containers'))
  if (!rules.allowPrivileged) faults.push(forbidden(path, 'hostProcess containers are disallowed by cluster policy'))
  return faults
}
