import { ACCESS_MODE, VolumeCapability } from './volume.ts'

/** How a Kubernetes volume is used. */
export interface VolumeUse {
  readonly block: boolean
  readonly fsType: string
  readonly mountOptions: readonly string[]
  /** Kubernetes' names: `ReadWriteOnce`, … */
  readonly accessModes: readonly string[]
  /** The group that the driver itself makes the owner of files. Default: none. */
  readonly mountGroup?: string
}

/** `singleNodeMultiWriter`: the driver distinguishes the pods of one node from one pod. Pure. */
export function capabilityOf(use: VolumeUse, singleNodeMultiWriter: boolean): VolumeCapability {
  const { block, fsType, mountOptions: mountFlags, mountGroup: volumeMountGroup = '' } = use
  const accessMode = { mode: accessModeOf(use.accessModes, singleNodeMultiWriter) }
  return VolumeCapability.of({ accessMode, ...(block ? { block: {} } : { mount: { fsType, mountFlags, volumeMountGroup } }) })
}

function accessModeOf(modes: readonly string[], singleNodeMultiWriter: boolean): number {
  if (modes.includes('ReadWriteMany')) return ACCESS_MODE.multiNodeMultiWriter
  const [once, oncePod] = [modes.includes('ReadWriteOnce'), modes.includes('ReadWriteOncePod')]
  if (modes.includes('ReadOnlyMany')) return once ? ACCESS_MODE.multiNodeSingleWriter : ACCESS_MODE.multiNodeReaderOnly
  if (!singleNodeMultiWriter) return ACCESS_MODE.singleNodeWriter
  return oncePod ? ACCESS_MODE.singleNodeSingleWriter : ACCESS_MODE.singleNodeMultiWriter
}
