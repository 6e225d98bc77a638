import { semanticEqual } from '../../machinery/equal.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { claimsOf } from '../../resources/pod/mounted-claims.ts'
import { CSI_DRIVERS, NODES, PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, PODS, VOLUME_ATTACHMENTS } from '../../sdk/client/refs.ts'
import { referenceTo } from '../../sdk/controller/event-recorder.ts'
import { WorkQueue } from '../../sdk/controller/work-queue.ts'
import type { Controller, ControllerDeps } from '../frame/controller.ts'
import { podsOnNode } from '../frame/indexes.ts'
import { queueController } from '../frame/queue-controller.ts'
import { isFinished } from '../pods/pod-state.ts'
import { attachedElsewhere, attachmentOf, planAttachments, uniqueNameOf, type WantedVolume, wantedVolumes } from './plan.ts'

const NAME = 'attachdetach-controller'

/** Asks CSI drivers to attach the volumes that pods of a node mount, and to detach them when the pods are gone. */
export function createAttachDetachController(deps: ControllerDeps): Controller {
  const { client, clock, informers, log } = deps
  const queue = new WorkQueue({ clock })
  const pods = informers.of(PODS)
  const nodes = informers.of(NODES)
  const claims = informers.of(PERSISTENT_VOLUME_CLAIMS)
  const volumes = informers.of(PERSISTENT_VOLUMES)
  const drivers = informers.of(CSI_DRIVERS)
  const attachments = informers.of(VOLUME_ATTACHMENTS)
  const events = deps.recorder(NAME)
  const errors = new Map<string, string>()
  /** The volumes that each node cannot have yet, by the names of their attachments: that is told once. */
  const refusals = new Map<string, Set<string>>()

  const ofPod = (pod: KubeObject) => {
    if (
      pod.spec?.nodeName &&
      (pod.spec?.volumes ?? []).some((v: { persistentVolumeClaim?: object; ephemeral?: object }) => v.persistentVolumeClaim ?? v.ephemeral)
    )
      queue.add(pod.spec.nodeName)
  }
  pods.addHandler({ added: ofPod, updated: ofPod, deleted: ofPod })
  const ofAttachment = (attachment: KubeObject) => queue.add(attachment.spec?.nodeName ?? '')
  attachments.addHandler({
    added: ofAttachment,
    updated: ofAttachment,
    deleted(attachment) {
      ofAttachment(attachment)
      // Another node may have waited for it.
      for (const [name, refused] of refusals) if (refused.size > 0) queue.add(name)
    },
  })
  const ofClaim = (claim: KubeObject) => {
    for (const pod of pods.list(claim.metadata.namespace ?? '')) ofPod(pod)
  }
  claims.addHandler({
    updated(claim, old) {
      if (claim.status?.phase !== old.status?.phase) ofClaim(claim)
    },
  })
  nodes.addHandler({
    added: (node) => queue.add(node.metadata.name ?? ''),
    updated(node, old) {
      if (!semanticEqual(node.status?.volumesInUse, old.status?.volumesInUse)) queue.add(node.metadata.name ?? '')
    },
  })

  async function reconcile(name: string): Promise<void> {
    const node = nodes.get(name)
    if (node === undefined) {
      refusals.delete(name)
      return
    }
    const wanted = wantedVolumes({
      node,
      pods: podsOnNode(pods, name),
      claim: (namespace, claim) => claims.get(`${namespace}/${claim}`),
      volume: (volume) => volumes.get(volume),
      attaches: (driver) => drivers.get(driver)?.spec?.attachRequired !== false,
    })
    const standing = attachments.list().filter((a) => a.spec?.nodeName === name && a.metadata.name?.startsWith('csi-'))
    const volumeOf = (a: KubeObject) => volumes.get(a.spec?.source?.persistentVolumeName ?? '')
    const plan = planAttachments(node, wanted, standing, (a) => uniqueNameOf(a, volumeOf(a)))
    for (const attachment of standing) tellError(attachment, wanted.get(attachment.metadata.name ?? ''))
    if (!semanticEqual(plan.volumesAttached, node.status?.volumesAttached ?? [])) {
      const patch = { status: { volumesAttached: plan.volumesAttached.length === 0 ? null : plan.volumesAttached.map((v) => ({ ...v })) } }
      await client.patch({ ...NODES, name, subresource: 'status' }, 'merge', patch)
    }
    for (const volume of plan.fresh)
      say(volume, 'Normal', 'SuccessfulAttachVolume', `AttachVolume.Attach succeeded for volume "${volume.volume.metadata.name}" `)
    for (const key of plan.attach) {
      const volume = wanted.get(key)
      if (volume !== undefined && !isRefused(name, key, volume))
        await ignoring('AlreadyExists', client.create(VOLUME_ATTACHMENTS, attachmentOf(key, name, volume)))
    }
    for (const attachment of plan.detach)
      await ignoring('NotFound', client.delete({ ...VOLUME_ATTACHMENTS, name: attachment.metadata.name ?? '' }))
  }

  /** Whether the volume stays where it is; whoever wants it here is told. */
  function isRefused(node: string, key: string, volume: WantedVolume): boolean {
    const { namespace, name } = volume.volume.spec?.claimRef ?? {}
    const users = pods.list(namespace ?? '').filter((p) => uses(p, name) && p.spec?.nodeName && p.spec.nodeName !== node && !isFinished(p))
    const refused = attachedElsewhere(volume, node, { elsewhere: attachments.list(), users })
    const known = refusals.get(node) ?? new Set()
    if (refused.length > 0 && !known.has(key)) {
      for (const { pod, message } of refused)
        events.record({ regarding: referenceTo(pod), type: 'Warning', reason: 'FailedAttachVolume', message })
    }
    if (refused.length > 0) refusals.set(node, known.add(key))
    else known.delete(key)
    return refused.length > 0
  }

  /** Each error of a driver is told once. */
  function tellError(attachment: KubeObject, volume: WantedVolume | undefined): void {
    const { name = '' } = attachment.metadata
    const message: string | undefined = attachment.status?.attachError?.message
    if (message === undefined) errors.delete(name)
    else if (volume !== undefined && errors.get(name) !== message) {
      errors.set(name, message)
      say(volume, 'Warning', 'FailedAttachVolume', `AttachVolume.Attach failed for volume "${volume.volume.metadata.name}" : ${message}`)
    }
  }

  function say({ pods: users }: WantedVolume, type: 'Normal' | 'Warning', reason: string, message: string): void {
    for (const pod of users) events.record({ regarding: referenceTo(pod), type, reason, message })
  }

  return queueController({ name: NAME, queue, workers: 5, copies: [pods, nodes, claims, volumes, drivers, attachments], reconcile, log })
}

async function ignoring(reason: 'AlreadyExists' | 'NotFound', work: Promise<unknown>): Promise<void> {
  await work.catch((error) => {
    if (!isStatus(error, reason)) throw error
  })
}

const uses = (pod: KubeObject, claim: string) => claimsOf(pod).includes(claim)
