import type { PersistentVolume, SecretReference, Volume } from '../../resources/types/core.ts'
import type { FlexOptions } from './flex-driver.ts'

/** A volume of a FlexVolume driver as a pod uses it. */
export interface FlexVolume {
  /** Of the persistent volume; of an inline one, the name that the pod gives it. */
  readonly name: string
  readonly driver: string
  readonly fsType: string
  readonly readOnly: boolean
  readonly options: FlexOptions
  readonly secret: SecretReference | undefined
}

/** A volume that the pod itself describes. Pure. */
export function inlineFlexVolume({ name, flexVolume }: Pick<Volume, 'name' | 'flexVolume'>, namespace: string): FlexVolume | undefined {
  if (flexVolume === undefined) return undefined
  const { driver, fsType = '', readOnly = false, options = {}, secretRef } = flexVolume
  const secret = secretRef?.name === undefined ? undefined : { name: secretRef.name, namespace }
  return { name, driver, fsType, readOnly, options, secret }
}

/** The volume behind a claim in that namespace; undefined: it is not of a FlexVolume driver. Pure. */
export function persistentFlexVolume({ metadata, spec }: PersistentVolume, namespace: string, readOnly: boolean): FlexVolume | undefined {
  const { flexVolume } = spec ?? {}
  if (flexVolume === undefined) return undefined
  const { driver, fsType = '', options = {}, secretRef } = flexVolume
  const secret = secretRef?.name === undefined ? undefined : { namespace, ...secretRef }
  return { name: metadata.name ?? '', driver, fsType, readOnly: readOnly || flexVolume.readOnly === true, options, secret }
}

/** As the Node's status names an attached volume. */
export const flexVolumeName = ({ driver, name }: Pick<FlexVolume, 'driver' | 'name'>): string => `${driver}/${name}`

/** What the driver gets to know of a volume; what the pod says goes before what Kubernetes says. Pure. */
export const optionsOf = ({ name, fsType, readOnly, options }: FlexVolume, more: FlexOptions = {}): FlexOptions => ({
  'kubernetes.io/fsType': fsType,
  'kubernetes.io/readwrite': readOnly ? 'ro' : 'rw',
  'kubernetes.io/pvOrVolumeName': name,
  ...more,
  ...options,
})
