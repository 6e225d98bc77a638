import { child, type FieldError, index, invalid, required } from '../../../machinery/field-error.ts'
import { faultsOfEach } from '../../../machinery/validation/faults-of-each.ts'
import type { DownwardFile, KeyToPath } from '../types.ts'
import { VOLUME_FIELDS, validateFieldRef, validateResourceFieldRef } from './validate-environment.ts'
import { validateLocalNonReservedPath } from './validate-paths.ts'

/** Optional permission bits. */
export function validateMode(mode: number | undefined, path: string): FieldError[] {
  return mode !== undefined && (mode < 0 || mode > 0o777)
    ? [invalid(path, mode, 'must be a number between 0 and 0777 (octal), both inclusive')]
    : []
}

/** A Secret or ConfigMap whose keys become files. */
export function validateFiles(
  name: string | undefined,
  field: string,
  source: { items?: KeyToPath[]; defaultMode?: number },
  path: string,
): FieldError[] {
  return [
    ...(name ? [] : [required(child(path, field))]),
    ...validateMode(source.defaultMode, child(path, 'defaultMode')),
    ...faultsOfEach(source.items, (item, i) => validateKeyToPath(item, index(child(path, 'items'), i))),
  ]
}

/** One key and its file. */
export function validateKeyToPath(item: KeyToPath, path: string): FieldError[] {
  return [
    ...(item.key ? [] : [required(child(path, 'key'))]),
    ...(item.path ? validateLocalNonReservedPath(item.path, child(path, 'path')) : [required(child(path, 'path'))]),
    ...validateMode(item.mode, child(path, 'mode')),
  ]
}

/** Validates the files of a downward API volume. Kubernetes' paths have no indices for them. */
export function validateDownwardFiles(items: readonly DownwardFile[] | undefined, path: string): FieldError[] {
  return faultsOfEach(items, (item) => {
    const faults: FieldError[] = []
    if (!item.path) faults.push(required(child(path, 'path')))
    faults.push(...validateLocalNonReservedPath(item.path ?? '', child(path, 'path')))
    if (item.fieldRef) {
      faults.push(...validateFieldRef(item.fieldRef, VOLUME_FIELDS, child(path, 'fieldRef')))
      if (item.resourceFieldRef) faults.push(invalid(path, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'))
    } else if (item.resourceFieldRef) faults.push(...validateResourceFieldRef(item.resourceFieldRef, child(path, 'resourceFieldRef'), true))
    else faults.push(required(path, 'one of fieldRef and resourceFieldRef is required'))
    return [...faults, ...validateMode(item.mode, child(path, 'mode'))]
  })
}
