import { parseQuantity } from '../../../machinery/quantity.ts'
import { podLimits } from '../../../resources/pod/pod-requests.ts'
import type { CSIVolumeSource } from '../../../resources/types/core.ts'
import { type FlexVolume, inlineFlexVolume } from '../../../sdk/flex-volume/flex-volume.ts'
import type { Pod } from '../../types/pod.ts'
import type { VolumeSource } from '../../volumes/volume-types.ts'

/** What a volume is on the disk of its node. */
export type VolumePlan =
  /** A folder of the node's that is there already. */
  | { readonly kind: 'host'; readonly path: string }
  /** A folder of the pod's own. */
  | { readonly kind: 'folder'; readonly plugin: string; readonly medium: Medium; readonly mode: number }
  /** The runtime mounts it from an image. */
  | { readonly kind: 'image' }
  /** A claim: what it is follows from its volume. */
  | { readonly kind: 'claim' }
  /** A driver mounts what the pod describes. */
  | { readonly kind: 'csi'; readonly source: CSIVolumeSource }
  /** A program mounts it. */
  | { readonly kind: 'flex'; readonly volume: FlexVolume }
  | { readonly kind: 'unknown' }

export type Medium =
  | { readonly kind: 'disk' }
  | { readonly kind: 'memory'; readonly sizeBytes: number }
  | { readonly kind: 'huge-pages'; readonly pageSize: string | undefined }

const DISK: Medium = { kind: 'disk' }
const OPEN = 0o777
/** As a new file system in memory has it. */
const STICKY = 0o1777

/** Pure. Secrets, tokens and what the API says of a pod are kept off the disk. `memoryBytes`: all memory that pods of the node may use. */
export function planVolume(
  pod: Pod,
  memoryBytes: number,
  { configMap, secret, downwardAPI, projected, emptyDir, hostPath, image, csi, ...other }: VolumeSource,
): VolumePlan {
  const memory = inMemory(pod, memoryBytes)
  if (hostPath !== undefined) return { kind: 'host', path: hostPath.path }
  if (configMap !== undefined) return { kind: 'folder', plugin: 'kubernetes.io/configmap', medium: DISK, mode: OPEN }
  if (secret !== undefined) return { kind: 'folder', plugin: 'kubernetes.io/secret', medium: memory, mode: STICKY }
  if (downwardAPI !== undefined) return { kind: 'folder', plugin: 'kubernetes.io/downward-api', medium: memory, mode: STICKY }
  if (projected !== undefined) return { kind: 'folder', plugin: 'kubernetes.io/projected', medium: memory, mode: STICKY }
  if (emptyDir !== undefined) {
    const medium = mediumOf(pod, memoryBytes, emptyDir)
    return { kind: 'folder', plugin: 'kubernetes.io/empty-dir', medium, mode: medium.kind === 'disk' ? OPEN : STICKY }
  }
  if (image !== undefined) return { kind: 'image' }
  if (csi !== undefined) return { kind: 'csi', source: csi }
  const flex = inlineFlexVolume(other, pod.metadata.namespace ?? '')
  if (flex !== undefined) return { kind: 'flex', volume: flex }
  return other.persistentVolumeClaim !== undefined || other.ephemeral !== undefined ? { kind: 'claim' } : { kind: 'unknown' }
}

/** As large as the pod could make it at most. */
function inMemory(pod: Pod, memoryBytes: number, sizeLimit: string | number = 0): Medium {
  const limits = [memoryBytes, podLimits(pod.spec).get('memory')?.value() ?? 0, parseQuantity(sizeLimit).value()]
  return { kind: 'memory', sizeBytes: Math.min(...limits.filter((bytes) => bytes > 0)) }
}

function mediumOf(pod: Pod, memoryBytes: number, { medium = '', sizeLimit }: NonNullable<VolumeSource['emptyDir']>): Medium {
  if (medium === 'Memory') return inMemory(pod, memoryBytes, sizeLimit)
  if (!medium.startsWith('HugePages')) return DISK
  const [, pageSize] = /^HugePages-(\d+[KMG])i$/.exec(medium) ?? []
  return { kind: 'huge-pages', pageSize }
}
