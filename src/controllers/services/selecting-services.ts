import type { Pod, Service } from '../../resources/types/core.ts'
import type { Informer, InformerHandler } from '../../sdk/informer/informer.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import type { Keys } from '../frame/define-controller.ts'
import { setSelectorOf } from '../pods/ownership.ts'

/** Enqueues the services that select a pod, or selected it before it changed. */
export function serviceHandler(services: Informer<Service>, keys: Pick<Keys, 'add'>): InformerHandler<Pod> {
  const enqueue = (pod: Pod) => {
    for (const service of services.list(pod.metadata.namespace ?? ''))
      if (service.spec?.selector && setSelectorOf(service).matches(pod.metadata.labels)) keys.add(objectKey(service))
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
