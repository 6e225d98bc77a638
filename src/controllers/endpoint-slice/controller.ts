import { semanticEqual } from '../../machinery/equal.ts'
import { ENDPOINT_SLICES, NODES, PODS, SERVICES } from '../../resources/refs.ts'
import type { EndpointSlice } from '../../resources/types/discovery.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import { defineController } from '../frame/define-controller.ts'
import { serviceHandler } from '../services/selecting-services.ts'
import { MANAGED_BY, SERVICE_NAME } from '../services/slice-labels.ts'
import { TriggerTimes } from '../services/trigger-times.ts'
import { CONTROLLER } from './plan.ts'
import { forgetService, reconcileService } from './reconcile.ts'
import { partOf, wantsZoneHints } from './zone-hints.ts'

const NAME = 'endpoint-slice-controller'

/** Publishes the addresses of the pods of each service. */
export const createController = defineController({
  name: NAME,
  for: SERVICES,
  workers: 5,
  deps: ({ client, informers, events }) => ({
    client,
    events: events(NAME),
    pods: informers.of(PODS),
    nodes: informers.of(NODES),
    slices: informers.of(ENDPOINT_SLICES),
    triggers: new TriggerTimes(),
    hinted: new Set<string>(),
  }),
  watch({ pods, nodes, slices }, keys, services) {
    pods.addHandler(serviceHandler(services, keys))
    const sliceChanged = ({ metadata: { namespace, labels = {} } }: EndpointSlice) => {
      const service = labels[SERVICE_NAME]
      if (service !== undefined && labels[MANAGED_BY] === CONTROLLER) keys.add(`${namespace}/${service}`)
    }
    slices.addHandler({ updated: sliceChanged, deleted: sliceChanged })
    const nodesChanged = () => {
      if (services.size > 0) for (const service of services.list()) if (wantsZoneHints(service)) keys.add(objectKey(service))
    }
    nodes.addHandler({
      added: nodesChanged,
      updated: (node, old) => {
        if (!semanticEqual(partOf(node), partOf(old))) nodesChanged()
      },
      deleted: nodesChanged,
    })
  },
  reconcile: reconcileService,
  gone: forgetService,
})
