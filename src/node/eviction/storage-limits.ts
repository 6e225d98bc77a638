import { parseQuantity, Quantity } from '../../machinery/quantity.ts'
import { podLimits } from '../../resources/pod/pod-requests.ts'
import type { Pod } from '../types/pod.ts'
import { isEphemeral, type PodUse, sumOf, volumesOf } from './usage.ts'

/** A limit of local storage that a pod exceeds, in the kubelet's words: in metrics and in messages. */
export interface StorageFault {
  readonly signal: 'emptydirfs.limit' | 'ephemeralpodfs.limit' | 'ephemeralcontainerfs.limit'
  readonly message: string
}

/** Undefined if the pod keeps to its limits. Pure. */
export function overStorageLimit(pod: Pod, use: PodUse, separateImages: boolean): StorageFault | undefined {
  return (
    fault('emptydirfs.limit', emptyDirFault(pod, use)) ??
    fault('ephemeralpodfs.limit', podFault(pod, use)) ??
    fault('ephemeralcontainerfs.limit', containerFault(pod, use, separateImages))
  )
}

const fault = (signal: StorageFault['signal'], message: string | undefined) => (message === undefined ? undefined : { signal, message })

const bytesOf = (bytes: number) => Quantity.of(bytes, 'BinarySI')

function emptyDirFault(pod: Pod, { volumes }: PodUse): string | undefined {
  for (const { name, emptyDir } of pod.spec.volumes ?? []) {
    const used = volumes.get(name)
    if (emptyDir?.sizeLimit === undefined || used === undefined) continue
    const limit = parseQuantity(emptyDir.sizeLimit)
    if (limit.sign() > 0 && bytesOf(used.bytes).compare(limit) > 0)
      return `Usage of EmptyDir volume "${name}" exceeds the limit "${limit}". `
  }
  return undefined
}

function podFault(pod: Pod, use: PodUse): string | undefined {
  const limit = podLimits(pod.spec).get('ephemeral-storage')
  if (limit === undefined) return undefined
  const files = use.containers.flatMap(({ layer, logs }) => [layer, logs])
  const { bytes } = sumOf([...files, volumesOf(pod, use, isEphemeral)])
  return bytesOf(bytes).compare(limit) > 0
    ? `Pod ephemeral local storage usage exceeds the total limit of containers ${limit}. `
    : undefined
}

/** If images are on another file system, a container's limit applies to its logs only. */
function containerFault(pod: Pod, use: PodUse, separateImages: boolean): string | undefined {
  for (const { name, layer, logs } of use.containers) {
    const written = pod.spec.containers.find((c) => c.name === name)?.resources?.limits?.['ephemeral-storage']
    const limit = parseQuantity(written ?? '0')
    if (limit.isZero()) continue
    const used = bytesOf(logs.bytes + (separateImages ? 0 : layer.bytes))
    if (limit.compare(used) < 0) return `Container ${name} exceeded its local ephemeral storage limit "${limit}". `
  }
  return undefined
}
