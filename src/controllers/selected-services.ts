import type { KubeObject } from '../machinery/object.ts'
import type { WorkQueue } from '../sdk/controller/work-queue.ts'
import type { Informer, InformerHandler } from '../sdk/informer/informer.ts'
import { objectKey } from '../sdk/informer/object-key.ts'
import { setSelectorOf } from './pods/ownership.ts'

/** Puts the services into the queue that select a pod, or did before it changed. */
export function serviceHandler(services: Informer<KubeObject>, queue: Pick<WorkQueue, 'add'>): InformerHandler<KubeObject> {
  const enqueue = (pod: KubeObject) => {
    for (const service of services.list(pod.metadata.namespace ?? ''))
      if (service.spec?.selector && setSelectorOf(service).matches(pod.metadata.labels)) queue.add(objectKey(service))
  }
  return {
    added: enqueue,
    updated(pod, old) {
      enqueue(pod)
      if (pod.metadata.labels !== old.metadata.labels) enqueue(old)
    },
    deleted: enqueue,
  }
}
