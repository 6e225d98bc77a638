import { createHash } from 'node:crypto'
import { claimsOf } from '../../resources/pod/mounted-claims.ts'
import type { Node, PersistentVolume, PersistentVolumeClaim, Pod } from '../../resources/types/core.ts'
import type { VolumeAttachment } from '../../resources/types/storage.ts'
import { isFinished } from '../pods/pod-state.ts'

/** On a node whose volumes are attached by this controller, not by its kubelet. */
export const MANAGED_ANNOTATION = 'volumes.kubernetes.io/controller-managed-attach-detach'

/** A CSI volume that pods of a node mount. */
export interface WantedVolume {
  readonly volume: PersistentVolume
  readonly driver: string
  /** As the node's status names it. */
  readonly uniqueName: string
  readonly pods: readonly Pod[]
}

export interface AttachView {
  readonly node: Node
  readonly pods: readonly Pod[]
  readonly claim: (namespace: string, name: string) => PersistentVolumeClaim | undefined
  readonly volume: (name: string) => PersistentVolume | undefined
  /** Whether volumes of a driver are attached before they are mounted. */
  readonly attaches: (driver: string) => boolean
}

/** The volumes that have to be attached to a node: those of bound claims of pods that have not ended. Pure. */
export function wantedVolumes({ node, pods, claim, volume, attaches }: AttachView): ReadonlyMap<string, WantedVolume> {
  const wanted = new Map<string, WantedVolume>()
  if (node.metadata.annotations?.[MANAGED_ANNOTATION] !== 'true') return wanted
  for (const pod of pods) {
    if (isFinished(pod)) continue
    for (const name of claimsOf(pod)) {
      const bound = claim(pod.metadata.namespace ?? '', name)
      const found = bound?.status?.phase === 'Bound' ? volume(bound.spec?.volumeName ?? '') : undefined
      const driver = found?.spec?.csi?.driver
      if (found === undefined || driver === undefined || !attaches(driver)) continue
      const key = attachmentName(found, driver, node)
      const others = wanted.get(key)?.pods ?? []
      wanted.set(key, { volume: found, driver, uniqueName: uniqueName(driver, found), pods: [...others, pod] })
    }
  }
  return wanted
}

/** As kube-controller-manager names a VolumeAttachment, so that either takes over from the other. */
function attachmentName(volume: PersistentVolume, driver: string, node: Node): string {
  const text = `${volume.spec?.csi?.volumeHandle ?? ''}${driver}${node.metadata.name ?? ''}`
  return `csi-${createHash('sha256').update(text).digest('hex')}`
}

const uniqueName = (driver: string, volume: PersistentVolume): string =>
  `kubernetes.io/csi/${driver}^${volume.spec?.csi?.volumeHandle ?? ''}`

/** The object that asks a driver to attach a volume. */
export const attachmentOf = (name: string, node: string, { volume, driver }: WantedVolume): VolumeAttachment => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'VolumeAttachment',
  metadata: { name },
  spec: { attacher: driver, nodeName: node, source: { persistentVolumeName: volume.metadata.name ?? '' } },
})

/** Whether a volume may be attached to one node at a time. */
const isExclusive = ({ spec }: PersistentVolume): boolean => {
  const modes = spec?.accessModes ?? []
  return modes.length > 0 && !modes.includes('ReadWriteMany') && !modes.includes('ReadOnlyMany')
}

/**
 * Why a volume cannot be attached to this node yet: another node has it. `elsewhere`: the attachments of all nodes; `users`: the pods that
 * use the volume on others. Pure.
 */
export function attachedElsewhere(
  wanted: WantedVolume,
  node: string,
  { elsewhere, users }: { readonly elsewhere: readonly VolumeAttachment[]; readonly users: readonly Pod[] },
): readonly { readonly pod: Pod; readonly message: string }[] {
  const { volume } = wanted
  const holds = ({ spec }: VolumeAttachment) => spec.source.persistentVolumeName === volume.metadata.name && spec.nodeName !== node
  if (!isExclusive(volume) || !elsewhere.some(holds)) return []
  return wanted.pods.map((pod) => {
    const near = users.filter((u) => u.metadata.namespace === pod.metadata.namespace).map((u) => u.metadata.name)
    const far = users.length - near.length
    const others = `${far} pod(s) in different namespaces`
    const why =
      users.length === 0
        ? "Volume is already exclusively attached to one node and can't be attached to another"
        : near.length === 0
          ? `Volume is already used by ${others}`
          : `Volume is already used by pod(s) ${near.join(', ')}${far > 0 ? ` and ${others}` : ''}`
    return { pod, message: `Multi-Attach error for volume "${volume.metadata.name}" ${why}` }
  })
}

export interface AttachPlan {
  readonly attach: readonly string[]
  /** Attachments that no pod needs, and that the kubelet has unmounted. */
  readonly detach: readonly VolumeAttachment[]
  /** For the node's status. */
  readonly volumesAttached: readonly { readonly name: string; readonly devicePath: string }[]
  /** Attached since the node's status was written. */
  readonly fresh: readonly WantedVolume[]
}

/** Pure. */
export function planAttachments(
  node: Node,
  wanted: ReadonlyMap<string, WantedVolume>,
  attachments: readonly VolumeAttachment[],
  nameOf: (attachment: VolumeAttachment) => string | undefined,
): AttachPlan {
  const inUse = new Set(node.status?.volumesInUse ?? [])
  const attached = new Map(node.status?.volumesAttached?.map((v) => [v.name, v]))
  const existing = new Map(attachments.map((a) => [a.metadata.name ?? '', a]))
  const idle = attachments.filter((a) => !wanted.has(a.metadata.name ?? ''))
  const detach = idle.filter((a) => a.metadata.deletionTimestamp === undefined && !inUse.has(nameOf(a) ?? ''))
  const fresh: WantedVolume[] = []
  for (const attachment of idle) if (!inUse.has(nameOf(attachment) ?? '')) attached.delete(nameOf(attachment) ?? '')
  for (const [name, volume] of wanted) {
    if (existing.get(name)?.status?.attached !== true || attached.has(volume.uniqueName)) continue
    attached.set(volume.uniqueName, { name: volume.uniqueName, devicePath: '' })
    fresh.push(volume)
  }
  return { attach: [...wanted.keys()].filter((name) => !existing.has(name)), detach, volumesAttached: [...attached.values()], fresh }
}

/** The name of the attachment's volume in the node's status. */
export const uniqueNameOf = (attachment: VolumeAttachment, volume: PersistentVolume | undefined): string | undefined =>
  volume?.spec?.csi === undefined ? undefined : uniqueName(attachment.spec.attacher, volume)
