import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { ignoring } from '../../machinery/ignoring.ts'
import { awaitsNode, grownStatus } from '../../resources/core/volumes/claim-growth.ts'
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES } from '../../resources/refs.ts'
import type { PersistentVolume, PersistentVolumeClaim } from '../../resources/types/core.ts'
import type { Client } from '../../sdk/client/client.ts'
import { type RecordedEvent, referenceTo } from '../../sdk/controller/event-recorder.ts'
import { runController } from '../../sdk/controller/run-controller.ts'
import { WorkQueue } from '../../sdk/controller/work-queue.ts'
import type { Informer } from '../../sdk/informer/informer.ts'
import type { InformerFactory } from '../../sdk/informer/informer-factory.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import type { Pod } from '../types/pod.ts'
import { growing, hasMounted, mountedClaims } from './claim-growth.ts'

/** A running, reachable node. */
export interface GrowingNode {
  /** Authenticates as `system:node:<name>`. */
  readonly client: Client
  record(event: RecordedEvent): void
}

export interface GrowClaimsDeps {
  /** May read all volumes. */
  readonly client: Client
  /** May read all claims. */
  readonly informers: InformerFactory
  readonly clock: Clock
  readonly log: Logger
  /** All pods that are bound to nodes. */
  readonly pods: Informer<Pod>
  readonly node: (name: string) => GrowingNode | undefined
  /** The file system of a volume now has the volume's size. */
  readonly grown: (volumeName: string) => void
}

/**
 * Expands file systems to the size of their volumes, if a node has them mounted: the kubelet's part of volume expansion. Works for all
 * nodes with a single watch of claims.
 */
export function createClaimGrowth(deps: GrowClaimsDeps): { run(signal: AbortSignal): Promise<void> } {
  const { client, informers, clock, log, pods } = deps
  const claims = informers.informer({ target: PERSISTENT_VOLUME_CLAIMS })
  const queue = new WorkQueue({ clock })
  /** Usually empty: then changes of pods cost nothing. */
  const waiting = new Set<string>()
  const look = (claim: PersistentVolumeClaim) => {
    const key = objectKey(claim)
    if (!awaitsNode(claim)) return void waiting.delete(key)
    waiting.add(key)
    queue.add(key)
  }
  const podChanged = (pod: Pod) => {
    if (waiting.size === 0) return
    for (const key of mountedClaims(pod)) if (waiting.has(key)) queue.add(key)
  }
  claims.addHandler({ added: look, updated: look, deleted: (claim) => void waiting.delete(objectKey(claim)) })
  pods.addHandler({ added: podChanged, updated: podChanged })

  async function reconcile(key: string): Promise<void> {
    const claim = claims.get(key)
    if (claim === undefined || !awaitsNode(claim)) return
    const user = pods
      .list(claim.metadata.namespace ?? '')
      .find((pod) => mountedClaims(pod).includes(key) && hasMounted(pod) && deps.node(pod.spec.nodeName ?? '') !== undefined)
    const node = deps.node(user?.spec.nodeName ?? '')
    if (user === undefined || node === undefined) return
    const volume = await client.get({ ...PERSISTENT_VOLUMES, name: claim.spec?.volumeName ?? '' }).catch(ignoring('NotFound'))
    if (volume !== undefined) await grow(claim, volume, { user, node })
  }

  async function grow(
    claim: PersistentVolumeClaim,
    volume: PersistentVolume,
    { user, node }: { user: Pod; node: GrowingNode },
  ): Promise<void> {
    const { namespace = '', name = '' } = claim.metadata
    const target = { ...PERSISTENT_VOLUME_CLAIMS, namespace, name, subresource: 'status' }
    const volumeName = volume.metadata.name ?? ''
    const begun = await node.client.update(target, { ...claim, status: growing(claim) })
    deps.grown(volumeName)
    const message = `MountVolume.NodeExpandVolume succeeded for volume "${volumeName}" ${user.spec.nodeName}`
    for (const about of [user, claim])
      node.record({ regarding: referenceTo(about), type: 'Normal', reason: 'FileSystemResizeSuccessful', message })
    await node.client.update(target, { ...begun, status: grownStatus(begun.status, volume.spec?.capacity?.storage) })
  }

  return {
    async run(signal) {
      const ready = [claims.synced, pods.synced]
      await Promise.all([claims.run(signal), runController({ name: 'claim-growth', queue, ready, reconcile, log }, signal)])
    },
  }
}
