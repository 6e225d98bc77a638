import { semanticEqual } from '../../machinery/equal.ts'
import { CSI_DRIVERS, NODES, PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, PODS, VOLUME_ATTACHMENTS } from '../../resources/refs.ts'
import type { Pod } from '../../resources/types/core.ts'
import type { VolumeAttachment } from '../../resources/types/storage.ts'
import { defineController } from '../frame/define-controller.ts'
import { reconcileAttachments } from './reconcile.ts'

const NAME = 'attachdetach-controller'

/** Asks CSI drivers to attach the volumes that pods of a node mount, and to detach them when the pods are gone. */
export const createController = defineController({
  name: NAME,
  for: NODES,
  workers: 5,
  deps: ({ client, informers, events }) => ({
    client,
    events: events(NAME),
    pods: informers.of(PODS),
    claims: informers.of(PERSISTENT_VOLUME_CLAIMS),
    volumes: informers.of(PERSISTENT_VOLUMES),
    drivers: informers.of(CSI_DRIVERS),
    attachments: informers.of(VOLUME_ATTACHMENTS),
    errors: new Map<string, string>(),
    refusals: new Map<string, Set<string>>(),
  }),
  when: (node, _, old) => old === undefined || !semanticEqual(node.status?.volumesInUse, old.status?.volumesInUse),
  watch({ pods, claims, attachments, refusals }, keys) {
    const podChanged = ({ spec }: Pod) => {
      if (spec.nodeName && spec.volumes?.some((v) => v.persistentVolumeClaim ?? v.ephemeral)) keys.add(spec.nodeName)
    }
    pods.addHandler({ added: podChanged, updated: podChanged, deleted: podChanged })
    const attachmentChanged = ({ spec }: VolumeAttachment) => keys.add(spec.nodeName)
    attachments.addHandler({
      added: attachmentChanged,
      updated: attachmentChanged,
      deleted(attachment) {
        attachmentChanged(attachment)
        // Another node may wait for the volume.
        for (const [node, refused] of refusals) if (refused.size > 0) keys.add(node)
      },
    })
    claims.addHandler({
      updated(claim, old) {
        if (claim.status?.phase !== old.status?.phase) for (const pod of pods.list(claim.metadata.namespace ?? '')) podChanged(pod)
      },
    })
  },
  reconcile: reconcileAttachments,
  gone: ({ refusals }, node) => void refusals.delete(node),
})
