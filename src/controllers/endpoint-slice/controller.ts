import type { Family } from '../../base/exposition.ts'
import { gauge } from '../../base/metrics.ts'
import { semanticEqual } from '../../machinery/equal.ts'
import { ENDPOINT_SLICES, NODES, PODS, SERVICES } from '../../resources/refs.ts'
import type { EndpointSlice } from '../../resources/types/discovery.ts'
import type { Informer } from '../../sdk/informer/informer.ts'
import { defineController } from '../frame/define-controller.ts'
import { serviceHandler } from '../services/selecting-services.ts'
import { MANAGED_BY, SERVICE_NAME, SLICE_RETRY, whenForeign } from '../services/slice-labels.ts'
import { TriggerTimes } from '../services/trigger-times.ts'
import { CONTROLLER } from './plan.ts'
import { forgetService, reconcileService, serviceOfMark } from './reconcile.ts'
import { isOverloaded, type ZoneCounts, zoneAndReadiness, zoneShares } from './zone-hints.ts'

const NAME = 'endpoint-slice-controller'

/** How many slices there are, and how many endpoints they have. */
function sliceFamilies(slices: Informer<EndpointSlice>): readonly Family[] {
  const own = slices.list().filter(({ metadata: { labels = {} } }) => labels[MANAGED_BY] === CONTROLLER)
  const endpoints = own.reduce((sum, slice) => sum + (slice.endpoints?.length ?? 0), 0)
  const one = (name: string, help: string, value: number) =>
    gauge({ name: `endpoint_slice_controller_${name}`, help, stability: 'BETA' }, [['', value]])
  return [one('num_endpoint_slices', 'Slices of services.', own.length), one('endpoints_desired', 'Endpoints in them.', endpoints)]
}

/** Publishes the addresses of the pods of each service. */
export const createController = defineController({
  name: NAME,
  for: SERVICES,
  workers: 5,
  retry: SLICE_RETRY,
  deps({ client, informers, events, metrics }) {
    const slices = informers.of(ENDPOINT_SLICES)
    metrics.read(NAME, () => sliceFamilies(slices))
    const name = 'endpoint_slice_controller'
    return {
      client,
      slices,
      events: events(NAME),
      pods: informers.of(PODS),
      nodes: informers.of(NODES),
      triggers: new TriggerTimes(),
      hinted: new Map<string, ZoneCounts>(),
      changes: metrics.counter({ name: `${name}_changes`, help: 'Slices that were written.', labels: ['operation'] }),
      syncs: metrics.counter({ name: `${name}_syncs`, help: 'Rounds of services, by their result.', labels: ['result'] }),
    }
  },
  watch({ pods, nodes, slices, hinted }, keys, services) {
    pods.addHandler(serviceHandler(services, keys))
    const sliceChanged = ({ metadata: { namespace, labels = {} } }: EndpointSlice) => {
      const service = labels[SERVICE_NAME]
      if (service !== undefined && labels[MANAGED_BY] === CONTROLLER) keys.add(`${namespace}/${service}`)
    }
    slices.addHandler({ added: whenForeign(sliceChanged), updated: sliceChanged, deleted: sliceChanged })
    const nodesChanged = () => {
      if (hinted.size === 0) return
      const shares = zoneShares(nodes.list())
      for (const [mark, counts] of hinted) if (isOverloaded(counts, shares)) keys.add(serviceOfMark(mark))
    }
    nodes.addHandler({
      added: nodesChanged,
      updated: (node, old) => {
        if (!semanticEqual(zoneAndReadiness(node), zoneAndReadiness(old))) nodesChanged()
      },
      deleted: nodesChanged,
    })
  },
  reconcile: reconcileService,
  gone: forgetService,
})
