import { type AdmissionPlugin, type AdmissionRequest, refusal } from '../../../apiserver/admission/plugin.ts'
import { joinErrors } from '../../../machinery/join-errors.ts'
import type { Draft } from '../../../machinery/object.ts'
import { parseQuantity, type Quantity } from '../../../machinery/quantity.ts'
import { podLimits, podRequests, type ResourceTotals } from '../../../resources/pod/pod-requests.ts'
import { listObjects } from '../../../resources/read-objects.ts'
import { LIMIT_RANGES, PERSISTENT_VOLUME_CLAIMS, PODS } from '../../../resources/refs.ts'
import type { Container, LimitRange, LimitRangeItem, PersistentVolumeClaim, Pod, ResourceList } from '../../../resources/types/core.ts'
import type { AdmissionDeps } from '../admission-deps.ts'
import { isAbout, isOf, isWrite } from '../requests-about.ts'

const ANNOTATION = 'kubernetes.io/limit-ranger'

/** Applies the defaults of limit ranges, and refuses requests below the minimum, above the maximum, or beyond the ratio. */
export function limitRanger({ reader }: AdmissionDeps): AdmissionPlugin {
  const rangesOf = (request: AdmissionRequest) => listObjects(reader, LIMIT_RANGES, request.namespace)
  return {
    name: 'LimitRanger',
    handles(r) {
      return r.namespace !== '' && isWrite(r) && (isSizedPod(r) || isAbout(r, PERSISTENT_VOLUME_CLAIMS))
    },
    mutate(request) {
      if (request.object === undefined || !isSizedPod(request)) return
      for (const range of rangesOf(request)) fillIn(request.object, limitsOf(range))
    },
    validate(request) {
      const { object } = request
      if (object === undefined || (request.operation === 'UPDATE' && object.metadata.deletionTimestamp !== undefined)) return
      for (const range of rangesOf(request)) {
        const faults = faultsOf(request, limitsOf(range))
        if (faults.length > 0) throw refusal(request, joinErrors(faults))
      }
    },
  }
}

/** A pod whose resources are set: at its creation, and when it is resized. */
const isSizedPod = (r: AdmissionRequest): r is AdmissionRequest<Pod> =>
  isOf(r, PODS) && (r.operation === 'CREATE' ? r.subresource === '' : r.subresource === 'resize')

function faultsOf(request: AdmissionRequest, limits: readonly LimitRangeItem[]): string[] {
  if (isSizedPod(request)) return request.object === undefined ? [] : podFaults(request.object, limits)
  if (isAbout(request, PERSISTENT_VOLUME_CLAIMS)) return request.object === undefined ? [] : claimFaults(request.object, limits)
  return []
}

const limitsOf = (range: LimitRange): readonly LimitRangeItem[] => range.spec?.limits ?? []

/** Sets default requests and limits, and records that in an annotation. */
function fillIn(pod: Draft<Pod>, limits: readonly LimitRangeItem[]): void {
  const requestDefaults: Record<string, string> = {}
  const limitDefaults: Record<string, string> = {}
  for (const limit of limits) {
    if (limit.type !== 'Container') continue
    Object.assign(requestDefaults, limit.defaultRequest)
    Object.assign(limitDefaults, limit.default)
  }
  const notes: string[] = []
  const fill = (containers: readonly Draft<Container>[] | undefined, what: string) => {
    for (const container of containers ?? []) {
      for (const [part, defaults] of [
        ['requests', requestDefaults],
        ['limits', limitDefaults],
      ] as const) {
        const present = container.resources?.[part] ?? {}
        const missing = Object.keys(defaults)
          .filter((name) => !Object.hasOwn(present, name))
          .sort()
        if (missing.length === 0) continue
        container.resources = {
          ...container.resources,
          [part]: { ...present, ...Object.fromEntries(missing.map((name) => [name, defaults[name]])) },
        }
        notes.push(`${missing.join(', ')} ${part.slice(0, -1)} for ${what} ${container.name}`)
      }
    }
  }
  fill(pod.spec.containers, 'container')
  fill(pod.spec.initContainers, 'init container')
  if (notes.length > 0)
    pod.metadata.annotations = { ...pod.metadata.annotations, [ANNOTATION]: `LimitRanger plugin set: ${notes.join('; ')}` }
}

function podFaults(pod: Pod, limits: readonly LimitRangeItem[]): string[] {
  const faults: string[] = []
  for (const limit of limits) {
    if (limit.type === 'Container') {
      for (const container of [...(pod.spec.containers ?? []), ...(pod.spec.initContainers ?? [])]) {
        faults.push(...boundsFaults(limit, totals(container.resources?.requests), totals(container.resources?.limits)))
      }
    } else if (limit.type === 'Pod') faults.push(...boundsFaults(limit, podRequests(pod.spec), podLimits(pod.spec)))
  }
  return faults
}

const totals = (amounts: ResourceList | undefined): ResourceTotals =>
  new Map(Object.entries(amounts ?? {}).map(([name, amount]) => [name, parseQuantity(amount)]))

const sorted = (amounts: ResourceList | undefined): [string, Quantity][] =>
  Object.keys(amounts ?? {})
    .sort()
    .map((name) => [name, parseQuantity(amounts?.[name] ?? '0')])

function boundsFaults(limit: LimitRangeItem, requests: ResourceTotals, limits: ResourceTotals): string[] {
  const faults: string[] = []
  const add = (fault: string | undefined) => {
    if (fault !== undefined) faults.push(fault)
  }
  for (const [name, bound] of sorted(limit.min))
    add(minFault(`minimum ${name} usage per ${limit.type} is ${bound}`, bound, requests.get(name), limits.get(name)))
  for (const [name, bound] of sorted(limit.max))
    add(maxFault(`maximum ${name} usage per ${limit.type} is ${bound}`, bound, requests.get(name), limits.get(name)))
  for (const [name, bound] of sorted(limit.maxLimitRequestRatio)) {
    add(ratioFault(`${name} max limit to request ratio per ${limit.type} is ${bound}`, bound, requests.get(name), limits.get(name)))
  }
  return faults
}

function minFault(text: string, bound: Quantity, request: Quantity | undefined, limit: Quantity | undefined): string | undefined {
  if (request === undefined) return `${text}.  No request is specified`
  if (request.compare(bound) < 0) return `${text}, but request is ${request}`
  return limit !== undefined && limit.compare(bound) < 0 ? `${text}, but limit is ${limit}` : undefined
}

function maxFault(text: string, bound: Quantity, request: Quantity | undefined, limit: Quantity | undefined): string | undefined {
  if (limit === undefined) return `${text}.  No limit is specified`
  if (limit.compare(bound) > 0) return `${text}, but limit is ${limit}`
  return request !== undefined && request.compare(bound) > 0 ? `${text}, but request is ${request}` : undefined
}

function ratioFault(text: string, bound: Quantity, request: Quantity | undefined, limit: Quantity | undefined): string | undefined {
  if (request === undefined || request.isZero()) return `${text}, but no request is specified or request is 0`
  if (limit === undefined || limit.isZero()) return `${text}, but no limit is specified or limit is 0`
  const ratio = limit.toNumber() / request.toNumber()
  return ratio > bound.toNumber() ? `${text}, but provided ratio is ${ratio.toFixed(6)}` : undefined
}

function claimFaults(claim: PersistentVolumeClaim, limits: readonly LimitRangeItem[]): string[] {
  const requests = totals(claim.spec?.resources?.requests)
  const faults: string[] = []
  for (const limit of limits) {
    if (limit.type !== 'PersistentVolumeClaim') continue
    for (const [name, bound] of sorted(limit.min)) {
      const fault = minFault(`minimum ${name} usage per ${limit.type} is ${bound}`, bound, requests.get(name), undefined)
      if (fault !== undefined) faults.push(fault)
    }
    for (const [name, bound] of sorted(limit.max)) {
      const text = `maximum ${name} usage per ${limit.type} is ${bound}`
      const request = requests.get(name)
      if (request === undefined) faults.push(`${text}.  No request is specified`)
      else if (request.compare(bound) > 0) faults.push(`${text}, but request is ${request}`)
    }
  }
  return faults
}
