import type { KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, VOLUME_ATTRIBUTES_CLASSES } from '../../sdk/client/refs.ts'
import { WorkQueue } from '../../sdk/controller/work-queue.ts'
import type { Controller, ControllerDeps } from '../frame/controller.ts'
import { queueController } from '../frame/queue-controller.ts'
import { attributesClassesOf, CLASS_FINALIZER, planProtection } from './plan.ts'

/** Holds classes of volume attributes until no claim and no volume names them. */
export function createAttributesClassProtection({ client, clock, informers, log }: ControllerDeps): Controller {
  const queue = new WorkQueue({ clock })
  const classes = informers.of(VOLUME_ATTRIBUTES_CLASSES)
  const users = [informers.of(PERSISTENT_VOLUME_CLAIMS), informers.of(PERSISTENT_VOLUMES)]
  const enqueue = (o: KubeObject) => queue.add(o.metadata.name ?? '')
  classes.addHandler({ added: enqueue, updated: enqueue })
  const released = (object: KubeObject) => {
    for (const name of attributesClassesOf(object)) queue.add(name)
  }
  for (const copies of users) copies.addHandler({ updated: (_, old) => released(old), deleted: released })

  async function reconcile(name: string): Promise<void> {
    const object = classes.get(name)
    if (object === undefined) return
    const inUse = users.some((copies) => copies.list().some((o) => attributesClassesOf(o).includes(name)))
    const plan = planProtection(object, CLASS_FINALIZER, inUse)
    if (plan === 'keep') return
    const { finalizers = [], resourceVersion = '' } = object.metadata
    const next = plan === 'protect' ? [...finalizers, CLASS_FINALIZER] : finalizers.filter((f) => f !== CLASS_FINALIZER)
    await client
      .patch({ ...VOLUME_ATTRIBUTES_CLASSES, name }, 'merge', { metadata: { finalizers: next, resourceVersion } })
      .catch((error) => {
        if (!isStatus(error, 'NotFound')) throw error
      })
  }

  return queueController({ name: 'attributes-class-protection', queue, copies: [classes, ...users], reconcile, log })
}
