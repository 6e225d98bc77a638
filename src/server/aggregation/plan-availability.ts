import { goQuote } from '../../machinery/field-error.ts'
import type { Service } from '../../resources/types/core.ts'
import type { EndpointSlice } from '../../resources/types/discovery.ts'
import type { ApiService, ApiServiceSpec, Condition } from './api-service.ts'

/** The objects of an APIService's service. */
export interface ServiceObjects {
  /** Undefined: it does not exist. */
  readonly service: Service | undefined
  readonly slices: readonly EndpointSlice[]
  /** It is reached without the cluster's network and needs no endpoints. */
  readonly direct: boolean
}

/** `probe`: the objects show no fault, so that the delegate itself has to be probed. */
export type Availability = { readonly kind: 'known'; readonly condition: AvailabilityCondition } | { readonly kind: 'probe' }
export type AvailabilityCondition = Pick<Condition, 'status' | 'reason' | 'message'>

const unavailable = (reason: string, message: string): Availability => ({ kind: 'known', condition: { status: 'False', reason, message } })

export const PASSED: AvailabilityCondition = { status: 'True', reason: 'Passed', message: 'all checks passed' }
export const LOCAL: AvailabilityCondition = { status: 'True', reason: 'Local', message: 'Local APIServices are always available' }
export const failedCheck = (message: string): AvailabilityCondition => ({ status: 'False', reason: 'FailedDiscoveryCheck', message })

/** The availability of an APIService, as far as objects show it without a request to its server. */
export function planAvailability({ service: wanted }: ApiServiceSpec, { service, slices, direct }: ServiceObjects): Availability {
  if (!wanted) return { kind: 'known', condition: LOCAL }
  if (direct) return { kind: 'probe' }
  const { namespace, name, port = 443 } = wanted
  const subject = `service/${name} in ${goQuote(namespace)}`
  if (service === undefined) return unavailable('ServiceNotFound', `${subject} is not present`)
  if ((service.spec?.type ?? 'ClusterIP') !== 'ClusterIP') return { kind: 'probe' }
  const found = (service.spec?.ports ?? []).find((p) => p.port === port)
  if (found === undefined) return unavailable('ServicePortError', `${subject} is not listening on port ${port}`)
  if (slices.length === 0) return unavailable('EndpointsNotFound', `cannot find endpointslices for ${subject}`)
  const portName = found.name ?? ''
  if (!slices.some((slice) => isActive(slice, portName)))
    return unavailable('MissingEndpoints', `endpointslices for ${subject} have no addresses with port name ${goQuote(portName)}`)
  return { kind: 'probe' }
}

const isActive = (slice: EndpointSlice, portName: string): boolean =>
  (slice.ports ?? []).some((p) => (p.name ?? '') === portName) && (slice.endpoints ?? []).some((e) => e.conditions?.ready !== false)

/** The status with the verdict; undefined if it is unchanged. `now`: RFC 3339. */
export function withVerdict(service: ApiService, verdict: AvailabilityCondition, now: string): ApiService['status'] | undefined {
  const conditions = service.status?.conditions ?? []
  const old = conditions.find((c) => c.type === 'Available')
  if (old?.status === verdict.status && old.reason === verdict.reason && old.message === verdict.message) return undefined
  const since = old?.status === verdict.status ? (old.lastTransitionTime ?? now) : now
  const condition: Condition = { type: 'Available', status: verdict.status, lastTransitionTime: since, ...said(verdict) }
  return {
    ...service.status,
    conditions: old === undefined ? [...conditions, condition] : conditions.map((c) => (c === old ? condition : c)),
  }
}

const said = ({ reason, message }: AvailabilityCondition) => ({
  ...(reason !== undefined && { reason }),
  ...(message !== undefined && { message }),
})
