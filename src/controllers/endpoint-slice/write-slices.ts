import { messageOf } from '../../base/message-of.ts'
import type { CounterMetric } from '../../base/metrics.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { isStatus, isTerminatingNamespace } from '../../machinery/status-error.ts'
import { ENDPOINT_SLICES } from '../../resources/refs.ts'
import type { Service } from '../../resources/types/core.ts'
import type { EndpointSlice } from '../../resources/types/discovery.ts'
import type { Client } from '../../sdk/client/client.ts'
import type { Informer } from '../../sdk/informer/informer.ts'
import { createObject, targetOf } from '../frame/objects.ts'
import { controllerReference } from '../pods/ownership.ts'
import { TRIGGER_TIME } from '../services/slice-labels.ts'
import type { IpFamily, SliceContent } from './plan.ts'

export interface SliceDeps {
  readonly client: Client
  readonly slices: Informer<EndpointSlice>
  /** Slices that were written, by what was done. */
  readonly changes: CounterMetric
}

interface Wanted {
  readonly content: SliceContent
  /** When the change happened that leads to this one. */
  readonly trigger: string | undefined
}

export async function createSlice(
  { client, changes }: SliceDeps,
  service: Service,
  addressType: IpFamily,
  { content, trigger }: Wanted,
): Promise<void> {
  const { namespace = '', name = '' } = service.metadata
  const metadata = {
    generateName: `${name}-`,
    namespace,
    labels: { ...content.labels },
    ...(trigger === undefined ? {} : { annotations: { [TRIGGER_TIME]: trigger } }),
    ownerReferences: [controllerReference(service)],
  }
  const slice = { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', metadata, addressType, ...listsOf(content) }
  await createObject<KubeObject>(client, ENDPOINT_SLICES, slice).catch((error) => {
    if (isStatus(error, 'NotFound') || isTerminatingNamespace(error)) return
    throw failed('create EndpointSlice', service, error)
  })
  changes.add(['create'])
}

export async function updateSlice(
  { client, changes }: SliceDeps,
  service: Service,
  slice: EndpointSlice,
  { content, trigger }: Wanted,
): Promise<void> {
  const { [TRIGGER_TIME]: _, ...others } = slice.metadata.annotations ?? {}
  const annotations = trigger === undefined ? others : { ...others, [TRIGGER_TIME]: trigger }
  const metadata = { ...slice.metadata, labels: { ...content.labels }, annotations }
  await client.update<KubeObject>(targetOf(ENDPOINT_SLICES, slice), { ...slice, metadata, ...listsOf(content) }).catch((error) => {
    throw failed(`update ${slice.metadata.name} EndpointSlice`, service, error)
  })
  changes.add(['update'])
}

export async function removeSlice({ client, changes }: SliceDeps, service: Service, slice: EndpointSlice): Promise<void> {
  await client.delete(targetOf(ENDPOINT_SLICES, slice)).catch((error) => {
    if (!isStatus(error, 'NotFound')) throw failed(`delete ${slice.metadata.name} EndpointSlice`, service, error)
  })
  changes.add(['delete'])
}

/** An empty list is `null`, as Go writes it. */
const listsOf = ({ endpoints, ports }: SliceContent) => ({
  endpoints: endpoints.length === 0 ? null : endpoints,
  ports: ports.length === 0 ? null : ports,
})

/** A conflict stays one: it leads to another round, and to no event. */
const failed = (what: string, { metadata: { namespace, name } }: Service, error: unknown): unknown =>
  isStatus(error, 'Conflict')
    ? error
    : new Error(`failed to ${what} for Service ${namespace}/${name}: ${messageOf(error)}`, { cause: error })
