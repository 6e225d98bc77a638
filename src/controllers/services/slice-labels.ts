import type { Service } from '../../resources/types/core.ts'
import type { EndpointSlice } from '../../resources/types/discovery.ts'
import { controllerOf } from '../frame/indexes.ts'

export const SERVICE_NAME = 'kubernetes.io/service-name'
export const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by'
export const HEADLESS = 'service.kubernetes.io/headless'
export const TRIGGER_TIME = 'endpoints.kubernetes.io/last-change-trigger-time'

/** The label by which a service without a cluster IP shows that. */
export const headlessLabel = ({ spec }: Service): Record<string, string> => (spec?.clusterIP === 'None' ? { [HEADLESS]: '' } : {})

/** Of slices that appear: a controller knows those that it has made itself. */
export const whenForeign = (seen: (slice: EndpointSlice) => void) => (slice: EndpointSlice) => {
  if (controllerOf(slice) === undefined) seen(slice)
}

/** As upstream, slowly: an error is often that of a cache that has not seen the controller's own writes. */
export const SLICE_RETRY = { firstMs: 1000, maxMs: 1_000_000 } as const
