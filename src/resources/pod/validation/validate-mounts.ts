import { child, type FieldError, forbidden, index, invalid, notFoundValue, notSupported, required } from '../../../machinery/field-error.ts'
import { faultsOfEach } from '../../../machinery/validation/faults-of-each.ts'
import { validateEnum } from '../../enumerations.ts'
import type { Container, Volume, VolumeMount } from '../types.ts'
import { validateLocalDescendingPath, validateNoBacksteps } from './validate-paths.ts'

/** Validates volume mounts. */
export function validateMounts(container: Container, volumes: ReadonlyMap<string, Volume>, path: string): FieldError[] {
  const mountPaths = new Set<string>()
  const deviceNames = new Set(container.volumeDevices?.map((d) => d.name ?? ''))
  const devicePaths = new Set(container.volumeDevices?.map((d) => d.devicePath ?? ''))
  return faultsOfEach(container.volumeMounts, (mount, i) => {
    const at = index(path, i)
    const faults: FieldError[] = []
    const name = mount.name ?? ''
    const mountPath = mount.mountPath ?? ''
    if (name === '') faults.push(required(child(at, 'name')))
    if (!volumes.has(name)) faults.push(notFoundValue(child(at, 'name'), name))
    if (mountPath === '') faults.push(required(child(at, 'mountPath')))
    if (mountPaths.has(mountPath)) faults.push(invalid(child(at, 'mountPath'), mountPath, 'must be unique'))
    mountPaths.add(mountPath)
    if (deviceNames.has(name)) faults.push(invalid(child(at, 'name'), name, 'must not already exist in volumeDevices'))
    if (devicePaths.has(mountPath))
      faults.push(invalid(child(at, 'mountPath'), mountPath, 'must not already exist as a path in volumeDevices'))
    if (mount.subPath) faults.push(...validateLocalDescendingPath(mount.subPath, child(path, 'subPath')))
    if (mount.subPathExpr) {
      if (mount.subPath) faults.push(invalid(child(at, 'subPathExpr'), mount.subPathExpr, 'subPathExpr and subPath are mutually exclusive'))
      faults.push(...validateLocalDescendingPath(mount.subPathExpr, child(path, 'subPathExpr')))
    }
    faults.push(...validatePropagation(mount, container, child(path, 'mountPropagation')))
    return [...faults, ...validateRecursiveReadOnly(mount, child(path, 'recursiveReadOnly'))]
  })
}

function validatePropagation(mount: VolumeMount, container: Container, path: string): FieldError[] {
  const propagation = mount.mountPropagation
  if (propagation === undefined) return []
  const faults: FieldError[] = []
  faults.push(...validateEnum(propagation, 'core_v1.MountPropagationMode', path))
  if (propagation === 'Bidirectional' && !container.securityContext?.privileged)
    faults.push(forbidden(path, 'Bidirectional mount propagation is available only to privileged containers'))
  return faults
}

function validateRecursiveReadOnly(mount: VolumeMount, path: string): FieldError[] {
  const mode = mount.recursiveReadOnly
  if (mode === undefined || mode === 'Disabled') return []
  if (mode !== 'Enabled' && mode !== 'IfPossible') return [notSupported(path, mode, ['Disabled', 'Enabled', 'IfPossible'])]
  const faults: FieldError[] = []
  if (!mount.readOnly) faults.push(forbidden(path, 'may only be specified when readOnly is true'))
  if (mount.mountPropagation !== undefined && mount.mountPropagation !== 'None')
    faults.push(forbidden(path, 'may only be specified when mountPropagation is None or not specified'))
  return faults
}

/** Validates raw block devices. */
export function validateDevices(container: Container, volumes: ReadonlyMap<string, Volume>, path: string): FieldError[] {
  const names = new Set<string>()
  const paths = new Set<string>()
  const mountNames = new Set(container.volumeMounts?.map((m) => m.name ?? ''))
  const mountPaths = new Set(container.volumeMounts?.map((m) => m.mountPath ?? ''))
  return faultsOfEach(container.volumeDevices, (device, i) => {
    const at = index(path, i)
    const faults: FieldError[] = []
    const name = device.name ?? ''
    const devicePath = device.devicePath ?? ''
    const volume = volumes.get(name)
    if (name === '') faults.push(required(child(at, 'name')))
    if (names.has(name)) faults.push(invalid(child(at, 'name'), name, 'must be unique'))
    if (volume && !volume.persistentVolumeClaim && !volume.ephemeral)
      faults.push(invalid(child(at, 'name'), name, 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode'))
    if (!volume) faults.push(notFoundValue(child(at, 'name'), name))
    if (devicePath === '') faults.push(required(child(at, 'devicePath')))
    if (paths.has(devicePath)) faults.push(invalid(child(at, 'devicePath'), devicePath, 'must be unique'))
    if (devicePath !== '' && validateNoBacksteps(devicePath, path).length > 0)
      faults.push(invalid(child(at, 'devicePath'), devicePath, "can not contain backsteps ('..')"))
    else paths.add(devicePath)
    if (mountNames.has(name)) faults.push(invalid(child(at, 'name'), name, 'must not already exist in volumeMounts'))
    if (mountPaths.has(devicePath))
      faults.push(invalid(child(at, 'devicePath'), devicePath, 'must not already exist as a path in volumeMounts'))
    if (name !== '') names.add(name)
    return faults
  })
}
