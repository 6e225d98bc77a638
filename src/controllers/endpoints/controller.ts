import { ignoring } from '../../machinery/ignoring.ts'
import { ENDPOINTS, PODS, SERVICES } from '../../resources/refs.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import { defineController } from '../frame/define-controller.ts'
import { createObject, targetOf, updateObject } from '../frame/objects.ts'
import { setSelectorOf } from '../pods/ownership.ts'
import { serviceHandler } from '../services/selecting-services.ts'
import { TriggerTimes } from '../services/trigger-times.ts'
import { isManaged, planEndpoints } from './plan.ts'

/** Keeps the Endpoints objects, for clients that still read them. */
export const createController = defineController({
  name: 'endpoint-controller',
  for: SERVICES,
  workers: 5,
  deps: ({ client, informers }) => ({
    client,
    pods: informers.of(PODS),
    endpoints: informers.of(ENDPOINTS),
    triggers: new TriggerTimes(),
  }),
  watch({ pods, endpoints }, keys, services) {
    // What a user writes into an object stays until the service or its pods change. Those of an earlier run of this controller are looked
    // at.
    endpoints.addHandler({
      added: (object) => isManaged(object) && keys.add(objectKey(object)),
      deleted: (object) => keys.add(objectKey(object)),
    })
    pods.addHandler(serviceHandler(services, keys))
  },
  async reconcile({ client, pods, endpoints, triggers }, service) {
    if (!service.spec?.selector || service.spec.type === 'ExternalName' || service.metadata.deletionTimestamp !== undefined) return
    const key = objectKey(service)
    const selector = setSelectorOf(service)
    const selected = pods.list(service.metadata.namespace ?? '').filter((p) => selector.matches(p.metadata.labels))
    const current = endpoints.get(key)
    const wanted = planEndpoints({ service, pods: selected, current, trigger: triggers.next(key, service, selected) })
    if (wanted === undefined) return
    const write = current === undefined ? createObject : updateObject
    await write(client, ENDPOINTS, wanted).catch(ignoring('NotFound', 'Forbidden', 'AlreadyExists'))
  },
  // The Endpoints of a deleted service are deleted too, even if another client created them.
  async gone({ client, endpoints, triggers }, key) {
    triggers.forget(key)
    const left = endpoints.get(key)
    if (left !== undefined) await client.delete(targetOf(ENDPOINTS, left)).catch(ignoring('NotFound'))
  },
})
