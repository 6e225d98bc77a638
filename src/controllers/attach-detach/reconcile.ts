import { semanticEqual } from '../../machinery/equal.ts'
import { ignoring } from '../../machinery/ignoring.ts'
import { claimsOf } from '../../resources/pod/mounted-claims.ts'
import { NODES, VOLUME_ATTACHMENTS } from '../../resources/refs.ts'
import type { Node, PersistentVolume, PersistentVolumeClaim, Pod } from '../../resources/types/core.ts'
import type { CSIDriver, VolumeAttachment } from '../../resources/types/storage.ts'
import type { Client } from '../../sdk/client/client.ts'
import type { Informer } from '../../sdk/informer/informer.ts'
import { podsOnNode } from '../frame/indexes.ts'
import type { ObjectEvents } from '../frame/object-events.ts'
import { createObject, targetOf } from '../frame/objects.ts'
import { isFinished } from '../pods/pod-state.ts'
import { attachedElsewhere, attachmentOf, planAttachments, uniqueNameOf, type WantedVolume, wantedVolumes } from './plan.ts'

/** What the attachments of a node are reconciled with. */
export interface AttachDeps {
  readonly client: Client
  readonly events: ObjectEvents
  readonly pods: Informer<Pod>
  readonly claims: Informer<PersistentVolumeClaim>
  readonly volumes: Informer<PersistentVolume>
  readonly drivers: Informer<CSIDriver>
  readonly attachments: Informer<VolumeAttachment>
  /** The reported error of each attachment. */
  readonly errors: Map<string, string>
  /** The attachments that each node cannot have yet: that is reported once. */
  readonly refusals: Map<string, Set<string>>
}

export async function reconcileAttachments(deps: AttachDeps, node: Node): Promise<void> {
  const { client, pods, claims, volumes, drivers, attachments } = deps
  const { name = '' } = node.metadata
  const wanted = wantedVolumes({
    node,
    pods: podsOnNode(pods, name),
    claim: (namespace, claim) => claims.get(`${namespace}/${claim}`),
    volume: (volume) => volumes.get(volume),
    attaches: (driver) => drivers.get(driver)?.spec?.attachRequired !== false,
  })
  const existing = attachments.list().filter((a) => a.spec.nodeName === name && a.metadata.name?.startsWith('csi-'))
  const volumeOf = ({ spec }: VolumeAttachment) => volumes.get(spec.source.persistentVolumeName ?? '')
  const plan = planAttachments(node, wanted, existing, (a) => uniqueNameOf(a, volumeOf(a)))
  for (const attachment of existing) reportError(deps, attachment, wanted.get(attachment.metadata.name ?? ''))
  if (!semanticEqual(plan.volumesAttached, node.status?.volumesAttached ?? [])) {
    const volumesAttached = plan.volumesAttached.length === 0 ? null : plan.volumesAttached.map((v) => ({ ...v }))
    await client.patch({ ...targetOf(NODES, node), subresource: 'status' }, 'merge', { status: { volumesAttached } })
  }
  for (const { volume, pods: users } of plan.fresh)
    for (const pod of users)
      deps.events.normal(pod, 'SuccessfulAttachVolume', `AttachVolume.Attach succeeded for volume "${volume.metadata.name}" `)
  for (const key of plan.attach) {
    const volume = wanted.get(key)
    if (volume !== undefined && !isRefused(deps, name, key, volume))
      await createObject(client, VOLUME_ATTACHMENTS, attachmentOf(key, name, volume)).catch(ignoring('AlreadyExists'))
  }
  for (const attachment of plan.detach) await client.delete(targetOf(VOLUME_ATTACHMENTS, attachment)).catch(ignoring('NotFound'))
}

/** Whether the volume stays attached to another node; the pods that wait for it here get an event. */
function isRefused({ events, pods, attachments, refusals }: AttachDeps, node: string, key: string, wanted: WantedVolume): boolean {
  const { namespace = '', name = '' } = wanted.volume.spec?.claimRef ?? {}
  const isUser = (pod: Pod) => claimsOf(pod).includes(name) && pod.spec.nodeName && pod.spec.nodeName !== node && !isFinished(pod)
  const refused = attachedElsewhere(wanted, node, { elsewhere: attachments.list(), users: pods.list(namespace).filter(isUser) })
  const reported = refusals.get(node) ?? new Set()
  if (refused.length === 0) {
    reported.delete(key)
    return false
  }
  if (!reported.has(key)) for (const { pod, message } of refused) events.warning(pod, 'FailedAttachVolume', message)
  refusals.set(node, reported.add(key))
  return true
}

/** Each error of a driver is reported once. */
function reportError({ events, errors }: AttachDeps, { metadata, status }: VolumeAttachment, wanted: WantedVolume | undefined): void {
  const { name = '' } = metadata
  const error = status?.attachError?.message
  if (error === undefined) return void errors.delete(name)
  if (wanted === undefined || errors.get(name) === error) return
  errors.set(name, error)
  const message = `AttachVolume.Attach failed for volume "${wanted.volume.metadata.name}" : ${error}`
  for (const pod of wanted.pods) events.warning(pod, 'FailedAttachVolume', message)
}
