import { timestamp } from '../../base/clock.ts'
import { ignoring } from '../../machinery/ignoring.ts'
import { PERSISTENT_VOLUMES, VOLUME_ATTACHMENTS } from '../../resources/refs.ts'
import type { PersistentVolume } from '../../resources/types/core.ts'
import type { CSINode, VolumeAttachment, VolumeAttachmentStatus } from '../../resources/types/storage.ts'
import type { Client } from '../../sdk/client/client.ts'
import { capabilityOf } from '../../sdk/csi/capability-of.ts'
import { CONTROLLER_CAPABILITY, ControllerPublishVolumeRequest, CSI_CONTROLLER } from '../../sdk/csi/controller-service.ts'
import { GrpcError } from '../../sdk/grpc/grpc-error.ts'
import type { Informer } from '../../sdk/informer/informer.ts'
import { targetOf } from '../frame/objects.ts'
import { type DriverClient, singleNodeMultiWriter } from './driver-client.ts'
import { withFinalizer, withoutFinalizer } from './finalizers.ts'
import { secretOf } from './provision.ts'

export interface AttachDeps {
  readonly client: Client
  readonly driver: DriverClient
  readonly nowMs: number
  readonly volumes: Informer<PersistentVolume>
  readonly csiNodes: Informer<CSINode>
}

const NODE_ID = 'csi.alpha.kubernetes.io/node-id'

/** On volumes and attachments that the driver has attached. */
export const attacherFinalizer = (driver: string): string => `external-attacher/${driver.replaceAll('.', '-')}`

/** Attaches or detaches, as the attachment says. What went wrong is shown in its status; then it rejects, and is called again. */
export async function reconcileAttachment(deps: AttachDeps, attachment: VolumeAttachment): Promise<void> {
  const { driver } = deps
  if (attachment.spec.attacher !== driver.name) return
  const leaving = attachment.metadata.deletionTimestamp !== undefined
  if (leaving && !attachment.metadata.finalizers?.includes(attacherFinalizer(driver.name))) return
  if (!leaving && attachment.status?.attached === true) return
  const attaches = driver.can.has(CONTROLLER_CAPABILITY.publishUnpublishVolume)
  try {
    if (leaving) await detach(deps, attachment, attaches)
    else await attach(deps, attachment, attaches)
  } catch (error) {
    if (error instanceof GrpcError)
      await report(deps, attachment, leaving ? { detachError: faultOf(error, deps) } : { attachError: faultOf(error, deps) })
    throw error
  }
}

async function attach(deps: AttachDeps, attachment: VolumeAttachment, attaches: boolean): Promise<void> {
  if (!attaches) return report(deps, attachment, { attached: true })
  const { client, driver } = deps
  const volume = volumeOf(deps, attachment)
  const { csi, accessModes = [], mountOptions = [], volumeMode } = volume.spec ?? {}
  const nodeId = nodeIdOf(deps, attachment)
  const finalizer = attacherFinalizer(driver.name)
  await client.patch(targetOf(PERSISTENT_VOLUMES, volume), 'merge', withFinalizer(volume, finalizer))
  const marked = withFinalizer(attachment, finalizer)
  const metadata = { ...marked.metadata, annotations: { [NODE_ID]: nodeId } }
  await client.patch(targetOf(VOLUME_ATTACHMENTS, attachment), 'merge', { metadata })
  const use = { block: volumeMode === 'Block', fsType: csi?.fsType ?? '', mountOptions, accessModes }
  const { publishContext } = await driver.call(
    CSI_CONTROLLER.publish,
    ControllerPublishVolumeRequest.of({
      volumeId: csi?.volumeHandle ?? '',
      nodeId,
      volumeCapability: capabilityOf(use, singleNodeMultiWriter(driver)),
      readonly: csi?.readOnly === true && driver.can.has(CONTROLLER_CAPABILITY.publishReadonly),
      secrets: await secretOf(client, csi?.controllerPublishSecretRef),
      volumeContext: new Map(Object.entries(csi?.volumeAttributes ?? {})),
    }),
  )
  await report(deps, attachment, { attached: true, attachmentMetadata: Object.fromEntries(publishContext) })
}

async function detach(deps: AttachDeps, attachment: VolumeAttachment, attaches: boolean): Promise<void> {
  const { client, driver } = deps
  const { csi } = volumeOf(deps, attachment).spec ?? {}
  if (attaches) {
    const nodeId = attachment.metadata.annotations?.[NODE_ID] ?? nodeIdOf(deps, attachment)
    const secrets = await secretOf(client, csi?.controllerPublishSecretRef)
    await driver.call(CSI_CONTROLLER.unpublish, { volumeId: csi?.volumeHandle ?? '', nodeId, secrets })
  }
  const patch = withoutFinalizer(attachment, attacherFinalizer(driver.name))
  await client.patch(targetOf(VOLUME_ATTACHMENTS, attachment), 'merge', patch).catch(ignoring('NotFound'))
}

function volumeOf({ volumes }: AttachDeps, { spec }: VolumeAttachment): PersistentVolume {
  const { persistentVolumeName: name = '' } = spec.source
  const volume = volumes.get(name)
  if (volume === undefined) throw new Error(`persistentvolume "${name}" not found`)
  return volume
}

function nodeIdOf({ csiNodes, driver }: AttachDeps, { spec: { nodeName } }: VolumeAttachment): string {
  const found = csiNodes.get(nodeName)?.spec.drivers?.find(({ name }) => name === driver.name)
  if (found === undefined) throw new Error(`CSINode ${nodeName} does not contain driver ${driver.name}`)
  return found.nodeID
}

const faultOf = (error: GrpcError, { nowMs }: AttachDeps) => ({ message: error.message, time: timestamp(nowMs), errorCode: error.number })

async function report({ client }: AttachDeps, attachment: VolumeAttachment, status: Partial<VolumeAttachmentStatus>): Promise<void> {
  const target = { ...targetOf(VOLUME_ATTACHMENTS, attachment), subresource: 'status' }
  const { attached = attachment.status?.attached ?? false, attachError = null, detachError = null, ...rest } = status
  await client.patch(target, 'merge', { status: { attached, attachError, detachError, ...rest } }).catch(ignoring('NotFound'))
}

/** A volume that is being deleted is let go when it is attached nowhere. */
export async function releaseVolume(
  { client, driver, attachments }: Pick<AttachDeps, 'client' | 'driver'> & { readonly attachments: Informer<VolumeAttachment> },
  volume: PersistentVolume,
): Promise<void> {
  const finalizer = attacherFinalizer(driver.name)
  const { name, deletionTimestamp, finalizers = [] } = volume.metadata
  if (deletionTimestamp === undefined || !finalizers.includes(finalizer)) return
  if (attachments.list().some(({ spec }) => spec.source.persistentVolumeName === name)) return
  await client.patch(targetOf(PERSISTENT_VOLUMES, volume), 'merge', withoutFinalizer(volume, finalizer)).catch(ignoring('NotFound'))
}
