import { ignoring } from '../../machinery/ignoring.ts'
import { ENDPOINT_SLICES, ENDPOINTS, SERVICES } from '../../resources/refs.ts'
import type { Endpoints } from '../../resources/types/core.ts'
import type { EndpointSlice } from '../../resources/types/discovery.ts'
import type { Client } from '../../sdk/client/client.ts'
import type { Informer } from '../../sdk/informer/informer.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import { defineController } from '../frame/define-controller.ts'
import { slicesOf } from '../frame/indexes.ts'
import type { ObjectEvents } from '../frame/object-events.ts'
import { createObject, targetOf, updateObject } from '../frame/objects.ts'
import { controllerReference } from '../pods/ownership.ts'
import { MANAGED_BY, SERVICE_NAME, SLICE_RETRY, whenForeign } from '../services/slice-labels.ts'
import { isMirrored, MIRRORED_BY, type MirrorContent, type MirrorUpdate, planMirror } from './plan.ts'

const NAME = 'endpoint-slice-mirroring-controller'

interface MirrorDeps {
  readonly client: Client
  readonly events: ObjectEvents
  readonly endpoints: Informer<Endpoints>
  readonly slices: Informer<EndpointSlice>
}

const isOurs = (slice: EndpointSlice) => slice.metadata.labels?.[MANAGED_BY] === MIRRORED_BY

/** Mirrors Endpoints that users write for a service without a selector as slices, which is what clients read. */
export const createController = defineController({
  name: NAME,
  for: SERVICES,
  workers: 5,
  retry: { ...SLICE_RETRY, maxMs: 100_000 },
  deps: ({ client, informers, events }) => ({
    client,
    events: events(NAME),
    endpoints: informers.of(ENDPOINTS),
    slices: informers.of(ENDPOINT_SLICES),
  }),
  watch({ endpoints, slices }, keys) {
    const enqueue = (object: Endpoints) => keys.add(objectKey(object))
    endpoints.addHandler({ added: enqueue, updated: enqueue, deleted: enqueue })
    const sliceChanged = (slice: EndpointSlice) => {
      if (isOurs(slice)) keys.add(`${slice.metadata.namespace}/${slice.metadata.labels?.[SERVICE_NAME]}`)
    }
    slices.addHandler({ added: whenForeign(sliceChanged), updated: sliceChanged, deleted: sliceChanged })
  },
  reconcile(deps, service) {
    const found = deps.endpoints.get(objectKey(service))
    const wanted = !service.spec?.selector && found !== undefined && isMirrored(found) ? found : undefined
    return mirror(deps, wanted, slicesOf(deps.slices, service).filter(isOurs))
  },
  gone: (deps, key) => mirror(deps, undefined, deps.slices.byIndex('service', key).filter(isOurs)),
})

async function mirror(deps: MirrorDeps, wanted: Endpoints | undefined, existing: readonly EndpointSlice[]): Promise<void> {
  const { client, events } = deps
  const plan = planMirror(wanted, existing)
  if (wanted !== undefined && plan.skipped > 0) {
    const message = `A max of 1000 addresses can be mirrored to EndpointSlices per Endpoints subset. ${plan.skipped} addresses were skipped`
    events.warning(wanted, 'TooManyAddressesToMirror', message)
  }
  if (wanted !== undefined) {
    for (const content of plan.create) await createSlice(client, wanted, content)
    for (const update of plan.update) await updateSlice(client, wanted, update)
  }
  for (const slice of plan.remove) await client.delete(targetOf(ENDPOINT_SLICES, slice)).catch(ignoring('NotFound'))
}

async function createSlice(client: Client, owner: Endpoints, content: MirrorContent): Promise<void> {
  const { namespace = '', name = '' } = owner.metadata
  const { labels, annotations, addressType, endpoints, ports } = content
  const metadata = {
    generateName: `${name}-`,
    namespace,
    labels: { ...labels },
    ...(Object.keys(annotations).length === 0 ? {} : { annotations: { ...annotations } }),
    ownerReferences: [controllerReference(owner)],
  }
  const slice: EndpointSlice = { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', metadata, addressType, endpoints, ports }
  await createObject(client, ENDPOINT_SLICES, slice).catch(ignoring('NotFound', 'Forbidden'))
}

async function updateSlice(client: Client, owner: Endpoints, { slice, content, recycled }: MirrorUpdate): Promise<void> {
  const { labels, annotations, endpoints, ports } = content
  const { generateName: _, ...kept } = slice.metadata
  const metadata = {
    ...kept,
    // As upstream, a new slice is written under the old name: only one that would have been created has `generateName`.
    ...(recycled && { generateName: `${owner.metadata.name}-` }),
    labels: { ...labels },
    annotations: { ...annotations },
    ownerReferences: [controllerReference(owner)],
  }
  await updateObject(client, ENDPOINT_SLICES, { ...slice, metadata, endpoints, ports })
}
