import { semanticEqual } from '../../machinery/equal.ts'
import type { EndpointAddress, EndpointPort, EndpointSubset, Endpoints, Pod, Service } from '../../resources/types/core.ts'
import { isFinished, isReady, isTerminating, withoutZeros } from '../pods/pod-state.ts'
import { findPort } from '../services/find-port.ts'
import { type OfferedAddress, repackSubsets } from '../services/repack-subsets.ts'
import { HEADLESS, headlessLabel, TRIGGER_TIME } from '../services/slice-labels.ts'

const MANAGED_BY = 'endpoints.kubernetes.io/managed-by'
const CONTROLLER = 'endpoint-controller'
/** On an object that does not have all addresses. */
const OVER_CAPACITY = 'endpoints.kubernetes.io/over-capacity'

/** Whether this controller wrote the object. */
export const isManaged = ({ metadata }: Endpoints): boolean => metadata.labels?.[MANAGED_BY] === CONTROLLER

export interface EndpointsView {
  readonly service: Service
  /** Those that the service selects. */
  readonly pods: readonly Pod[]
  readonly current: Endpoints | undefined
  /** When the change happened that leads to this one. */
  readonly trigger: string | undefined
}

/** The Endpoints object of a service; undefined if the current one is right. Pure. */
export function planEndpoints({ service, pods, current, trigger }: EndpointsView): Endpoints | undefined {
  const { namespace = '', name = '' } = service.metadata
  const { subsets, truncated } = truncateSubsets(planSubsets(service, pods))
  const { [HEADLESS]: _, ...own } = service.metadata.labels ?? {}
  const labels = { ...own, [MANAGED_BY]: CONTROLLER, ...headlessLabel(service) }
  const { annotations: before = {}, ...metadata } = current?.metadata ?? {}
  const marked = (before[OVER_CAPACITY] === 'truncated') === truncated
  const same = semanticEqual(current?.subsets, subsets) && semanticEqual(metadata.labels, labels)
  if (current !== undefined && marked && same) return undefined
  const { [TRIGGER_TIME]: __, [OVER_CAPACITY]: ___, ...others } = before
  const annotations = {
    ...others,
    ...(trigger !== undefined && { [TRIGGER_TIME]: trigger }),
    ...(truncated && { [OVER_CAPACITY]: 'truncated' }),
  }
  return {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: { ...metadata, name, namespace, labels, ...(Object.keys(annotations).length > 0 && { annotations }) },
    ...(subsets.length === 0 ? {} : { subsets }),
  }
}

/** The addresses of a service's pods. Pure. */
export function planSubsets(service: Service, pods: readonly Pod[]): readonly EndpointSubset[] {
  const anyway = service.spec?.publishNotReadyAddresses === true
  const offered = pods.flatMap((pod): readonly OfferedAddress[] => {
    if (isFinished(pod) || !pod.status?.podIP || (isTerminating(pod) && !anyway)) return []
    const ports = (service.spec?.ports ?? []).flatMap((p): EndpointPort[] => {
      const port = findPort(pod, p)
      if (port === undefined) return []
      return [{ ...withoutZeros({ name: p.name, appProtocol: p.appProtocol }), port, protocol: p.protocol ?? 'TCP' }]
    })
    if (ports.length === 0 && (service.spec?.ports ?? []).length > 0) return []
    return [{ address: addressOf(service, pod), ready: isReady(pod) || anyway, ports }]
  })
  return repackSubsets(offered)
}

/** An object has at most so many addresses, as upstream: it is sent whole to every watcher. */
const MOST = 1000

/** The subsets cut to the limit: ready addresses are kept before others, and each subset keeps its share. Pure. */
export function truncateSubsets(subsets: readonly EndpointSubset[]): {
  readonly subsets: readonly EndpointSubset[]
  readonly truncated: boolean
} {
  const total = (of: 'addresses' | 'notReadyAddresses') => subsets.reduce((sum, s) => sum + (s[of]?.length ?? 0), 0)
  const ready = total('addresses')
  const notReady = total('notReadyAddresses')
  if (ready + notReady <= MOST) return { subsets, truncated: false }
  const which = ready > MOST ? 'addresses' : 'notReadyAddresses'
  const [room, all] = ready > MOST ? [MOST, ready] : [MOST - ready, notReady]
  let left = room
  const cut = subsets.map(({ notReadyAddresses, ...subset }) => {
    const list = (which === 'addresses' ? subset.addresses : notReadyAddresses) ?? []
    const kept = list.slice(0, Math.min(left, Math.ceil((list.length / all) * room)))
    left -= kept.length
    return withoutZeros({ ...subset, [which]: kept })
  })
  return { subsets: cut, truncated: true }
}

function addressOf(service: Service, pod: Pod): EndpointAddress {
  const { namespace = '', name = '', uid = '' } = pod.metadata
  const named = pod.spec.subdomain === service.metadata.name ? pod.spec.hostname : undefined
  return {
    ip: pod.status?.podIP ?? '',
    ...(named ? { hostname: named } : {}),
    ...(pod.spec.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    targetRef: { kind: 'Pod', namespace, name, uid },
  }
}
