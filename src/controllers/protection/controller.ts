import type { KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { claimsOf } from '../../resources/pod/mounted-claims.ts'
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, PODS } from '../../sdk/client/refs.ts'
import { WorkQueue } from '../../sdk/controller/work-queue.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import type { Controller, ControllerDeps } from '../frame/controller.ts'
import { queueController } from '../frame/queue-controller.ts'
import { CLAIM_FINALIZER, planProtection, usesClaim, VOLUME_FINALIZER } from './plan.ts'

/** Holds claims until no pod uses them, and volumes until no claim is bound to them. */
export function createProtectionController({ client, clock, informers, log }: ControllerDeps): Controller {
  const queue = new WorkQueue({ clock })
  const claims = informers.of(PERSISTENT_VOLUME_CLAIMS)
  const volumes = informers.of(PERSISTENT_VOLUMES)
  const pods = informers.of(PODS)
  const enqueue = (o: KubeObject) => queue.add(objectKey(o))
  claims.addHandler({ added: enqueue, updated: enqueue })
  volumes.addHandler({ added: enqueue, updated: enqueue })
  const used = (pod: KubeObject) => {
    for (const claim of claimsOf(pod)) queue.add(`${pod.metadata.namespace}/${claim}`)
  }
  pods.addHandler({ updated: used, deleted: used })

  async function reconcile(key: string): Promise<void> {
    const claim = claims.get(key)
    const volume = claim === undefined ? volumes.get(key) : undefined
    const object = claim ?? volume
    if (object === undefined) return
    const finalizer = claim === undefined ? VOLUME_FINALIZER : CLAIM_FINALIZER
    const ref = claim === undefined ? PERSISTENT_VOLUMES : PERSISTENT_VOLUME_CLAIMS
    const { namespace, name = '', finalizers = [], resourceVersion = '' } = object.metadata
    const plan = planProtection(object, finalizer, claim === undefined ? object.status?.phase === 'Bound' : await isUsed(claim))
    if (plan === 'keep') return
    const next = plan === 'protect' ? [...finalizers, finalizer] : finalizers.filter((f) => f !== finalizer)
    const target = { ...ref, ...(namespace === undefined ? {} : { namespace }), name }
    await client.patch(target, 'merge', { metadata: { finalizers: next, resourceVersion } }).catch((error) => {
      if (!isStatus(error, 'NotFound')) throw error
    })
  }

  /** The copy is asked first; before a claim goes, the server has the last word. */
  async function isUsed(claim: KubeObject): Promise<boolean> {
    const { namespace = '', name = '' } = claim.metadata
    if (claim.metadata.deletionTimestamp === undefined) return false
    if (pods.list(namespace).some((p) => usesClaim(p, name))) return true
    return (await client.list({ ...PODS, namespace })).items.some((p) => usesClaim(p, name))
  }

  return queueController({ name: 'volume-protection', queue, copies: [claims, volumes, pods], reconcile, log })
}
