import { createHash } from 'node:crypto'
import type { KubeObject } from '../../machinery/object.ts'
import { claimsOf } from '../../resources/pod/mounted-claims.ts'
import { isFinished } from '../pods/pod-state.ts'

/** A node whose volumes the control plane attaches, not its own agent. */
export const MANAGED_ANNOTATION = 'volumes.kubernetes.io/controller-managed-attach-detach'

/** A CSI volume that pods of a node mount. */
export interface WantedVolume {
  readonly volume: KubeObject
  readonly driver: string
  /** As the node's status names it. */
  readonly uniqueName: string
  readonly pods: readonly KubeObject[]
}

export interface AttachView {
  readonly node: KubeObject
  readonly pods: readonly KubeObject[]
  readonly claim: (namespace: string, name: string) => KubeObject | undefined
  readonly volume: (name: string) => KubeObject | undefined
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
      const driver: string | undefined = found?.spec?.csi?.driver
      if (found === undefined || driver === undefined || !attaches(driver)) continue
      const key = attachmentName(found, driver, node)
      const others = wanted.get(key)?.pods ?? []
      wanted.set(key, { volume: found, driver, uniqueName: uniqueName(driver, found), pods: [...others, pod] })
    }
  }
  return wanted
}

/** As kube-controller-manager names a VolumeAttachment, so that both know each other's. */
function attachmentName(volume: KubeObject, driver: string, node: KubeObject): string {
  const text = `${volume.spec?.csi?.volumeHandle ?? ''}${driver}${node.metadata.name ?? ''}`
  return `csi-${createHash('sha256').update(text).digest('hex')}`
}

const uniqueName = (driver: string, volume: KubeObject): string => `kubernetes.io/csi/${driver}^${volume.spec?.csi?.volumeHandle ?? ''}`

/** The object by which a driver is asked to attach a volume. */
export const attachmentOf = (name: string, node: string, { volume, driver }: WantedVolume): KubeObject => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'VolumeAttachment',
  metadata: { name },
  spec: { attacher: driver, nodeName: node, source: { persistentVolumeName: volume.metadata.name ?? '' } },
})

/** Whether a volume may be attached to one node at a time. */
const isExclusive = ({ spec }: KubeObject): boolean => {
  const modes: readonly string[] = spec?.accessModes ?? []
  return modes.length > 0 && !modes.includes('ReadWriteMany') && !modes.includes('ReadOnlyMany')
}

/**
 * Why a volume cannot be attached to this node yet: another node has it. `elsewhere`: the attachments of all nodes; `users`: the pods that use the volume on
 * others. Pure.
 */
export function attachedElsewhere(
  wanted: WantedVolume,
  node: string,
  { elsewhere, users }: { readonly elsewhere: readonly KubeObject[]; readonly users: readonly KubeObject[] },
): readonly { readonly pod: KubeObject; readonly message: string }[] {
  const { volume } = wanted
  const holds = (a: KubeObject) => a.spec?.source?.persistentVolumeName === volume.metadata.name && a.spec?.nodeName !== node
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
  /** Attachments that nobody needs, and that the node's agent has let go of. */
  readonly detach: readonly KubeObject[]
  /** What the node's status says is attached. */
  readonly volumesAttached: readonly { readonly name: string; readonly devicePath: string }[]
  /** Attached since the node's status was written. */
  readonly fresh: readonly WantedVolume[]
}

/** What is to be done for one node. Pure. */
export function planAttachments(
  node: KubeObject,
  wanted: ReadonlyMap<string, WantedVolume>,
  attachments: readonly KubeObject[],
  nameOf: (attachment: KubeObject) => string | undefined,
): AttachPlan {
  const inUse = new Set<string>(node.status?.volumesInUse ?? [])
  const told = new Map<string, { name: string; devicePath: string }>(
    (node.status?.volumesAttached ?? []).map((v: { name: string; devicePath?: string }) => [v.name, { devicePath: '', ...v }]),
  )
  const standing = new Map(attachments.map((a) => [a.metadata.name ?? '', a]))
  const idle = attachments.filter((a) => !wanted.has(a.metadata.name ?? ''))
  const detach = idle.filter((a) => a.metadata.deletionTimestamp === undefined && !inUse.has(nameOf(a) ?? ''))
  const fresh: WantedVolume[] = []
  for (const attachment of idle) if (!inUse.has(nameOf(attachment) ?? '')) told.delete(nameOf(attachment) ?? '')
  for (const [name, volume] of wanted) {
    if (standing.get(name)?.status?.attached !== true || told.has(volume.uniqueName)) continue
    told.set(volume.uniqueName, { name: volume.uniqueName, devicePath: '' })
    fresh.push(volume)
  }
  return { attach: [...wanted.keys()].filter((name) => !standing.has(name)), detach, volumesAttached: [...told.values()], fresh }
}

/** How a volume that an attachment is of is named in the node's status. */
export const uniqueNameOf = (attachment: KubeObject, volume: KubeObject | undefined): string | undefined =>
  volume?.spec?.csi === undefined ? undefined : uniqueName(attachment.spec?.attacher ?? '', volume)
