import { child, goQuote, key } from '../../../machinery/field-error.ts'
import { roundResources } from '../../pod/defaults.ts'
import type { ClaimSpec } from '../../pod/validation/validate-claim-spec.ts'
import { quantityOf } from '../quota-resources.ts'

export function defaultClaimSpec(spec: ClaimSpec): void {
  spec.volumeMode ??= 'Filesystem'
  roundResources(spec.resources?.requests)
  roundResources(spec.resources?.limits)
}

const isKnownSource = (source: ClaimSpec['dataSource']): boolean => {
  if (!source) return false
  const group = source.apiGroup ?? ''
  if (source.kind === 'PersistentVolumeClaim') return group === ''
  return source.kind === 'VolumeSnapshot' && group === 'snapshot.storage.k8s.io'
}

/** Fills in each of the two data source fields from the other; an unknown kind in the older field alone is ignored. */
export function normalizeDataSources(spec: ClaimSpec, old: ClaimSpec | undefined): void {
  // The gate CrossNamespaceVolumeDataSource is off.
  if (spec.dataSourceRef?.namespace && !old?.dataSourceRef) delete spec.dataSourceRef
  if (!old?.dataSource && !spec.dataSourceRef && !isKnownSource(spec.dataSource)) delete spec.dataSource
  if (spec.dataSource && !spec.dataSourceRef) spec.dataSourceRef = { ...spec.dataSource }
  else if (spec.dataSourceRef && !spec.dataSource && !spec.dataSourceRef.namespace) {
    const { namespace: _, ...source } = spec.dataSourceRef
    spec.dataSource = source
  }
}

/** Warnings for amounts of storage that are not a whole number of bytes. */
export function claimWarnings(spec: ClaimSpec, path: string): string[] {
  const warn = (list: Record<string, string> | undefined, name: string) => {
    const amount = list?.storage
    if (amount === undefined || quantityOf(amount).isWhole()) return []
    return [`${key(child(path, 'resources', name), 'storage')}: fractional byte value ${goQuote(amount)} is invalid, must be an integer`]
  }
  return [...warn(spec.resources?.requests, 'requests'), ...warn(spec.resources?.limits, 'limits')]
}
