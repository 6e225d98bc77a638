import { child, type FieldError, forbidden, notSupported, required } from '../../../machinery/field-error.ts'
import type { PodSpec } from '../types.ts'
import { placedContainers } from './validate-host-access.ts'

/** In Kubernetes' order: fields of the pod's security context, and those that its internal form has there. */
const WINDOWS_POD = [
  'appArmorProfile',
  'seLinuxOptions',
  'hostUsers',
  'hostPID',
  'hostIPC',
  'seccompProfile',
  'fsGroup',
  'fsGroupChangePolicy',
  'sysctls',
  'shareProcessNamespace',
  'runAsUser',
  'runAsGroup',
  'supplementalGroups',
  'supplementalGroupsPolicy',
  'seLinuxChangePolicy',
] as const
const WINDOWS_SECURITY = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
] as const

/** A pod for one operating system must not use fields of another. */
export function validateOs(spec: PodSpec, path: string): FieldError[] {
  if (!spec.os) return []
  const at = child(path, 'os')
  if (!spec.os.name) return [required(child(at, 'name'))]
  if (spec.os.name === 'linux') return validateLinux(spec, path)
  if (spec.os.name === 'windows') return validateWindows(spec, path)
  return [notSupported(at, spec.os.name, ['linux', 'windows'])]
}

function validateLinux(spec: PodSpec, path: string): FieldError[] {
  const text = 'windows options cannot be set for a linux pod'
  const faults = spec.securityContext?.windowsOptions ? [forbidden(child(path, 'securityContext', 'windowsOptions'), text)] : []
  for (const { container, path: at } of placedContainers(spec, path))
    if (container.securityContext?.windowsOptions) faults.push(forbidden(child(at, 'securityContext', 'windowsOptions'), text))
  return faults
}

function validateWindows(spec: PodSpec, path: string): FieldError[] {
  const text = 'cannot be set for a windows pod'
  const faults: FieldError[] = []
  for (const field of WINDOWS_POD)
    switch (field) {
      case 'hostPID':
      case 'hostIPC':
        if (spec[field]) faults.push(forbidden(child(path, field), text))
        break
      case 'hostUsers':
      case 'shareProcessNamespace':
        if (spec[field] !== undefined) faults.push(forbidden(child(path, field), text))
        break
      default:
        if (spec.securityContext?.[field] !== undefined) faults.push(forbidden(child(path, 'securityContext', field), text))
    }
  for (const { container, path: at } of placedContainers(spec, path))
    for (const field of WINDOWS_SECURITY)
      if (container.securityContext?.[field] !== undefined) faults.push(forbidden(child(at, 'securityContext', field), text))
  return faults
}
