import { type AdmissionPlugin, type AdmissionRequest, refusal } from '../../../apiserver/admission/plugin.ts'
import { Pace, type Steps, soonOrInTurns } from '../../../base/steps.ts'
import { joinErrors } from '../../../machinery/join-errors.ts'
import type { Draft } from '../../../machinery/object.ts'
import { parseQuantity, type Quantity } from '../../../machinery/quantity.ts'
import { tooLargeForEtcd } from '../../../machinery/status-error.ts'
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
      if (request.object !== undefined && isSizedPod(request)) return soonOrInTurns(fillInAll(request.object, rangesOf(request)))
    },
    validate(request) {
      const { object } = request
      if (object === undefined || (request.operation === 'UPDATE' && object.metadata.deletionTimestamp !== undefined)) return
      return soonOrInTurns(check(request, rangesOf(request)))
    },
  }
}

function* fillInAll(pod: Draft<Pod>, ranges: readonly LimitRange[]): Steps<void> {
  const pace = new Pace()
  for (const range of ranges) yield* fillIn(pod, limitsOf(range), pace)
}

/** The faults of the first range that has any. */
function* check(request: AdmissionRequest, ranges: readonly LimitRange[]): Steps<void> {
  const pace = new Pace()
  for (const range of ranges) {
    const faults = yield* faultsOf(request, limitsOf(range), pace)
    if (faults.length > 0) throw refusal(request, joinErrors(faults))
  }
}

/** A pod whose resources are set: at its creation, and when it is resized. */
const isSizedPod = (r: AdmissionRequest): r is AdmissionRequest<Pod> =>
  isOf(r, PODS) && (r.operation === 'CREATE' ? r.subresource === '' : r.subresource === 'resize')

function* faultsOf(request: AdmissionRequest, limits: readonly LimitRangeItem[], pace: Pace): Steps<string[]> {
  if (isSizedPod(request)) return request.object === undefined ? [] : yield* podFaults(request.object, limits, pace)
  if (isAbout(request, PERSISTENT_VOLUME_CLAIMS)) return request.object === undefined ? [] : claimFaults(request.object, limits)
  return []
}

const limitsOf = (range: LimitRange): readonly LimitRangeItem[] => range.spec?.limits ?? []

/** What setting one default costs (see `Pace`). */
const DEFAULT_WORK = 4
/** What checking one bound costs. */
const BOUND_WORK = 4

type Defaults = Readonly<Record<string, string>>

/** Sets default requests and limits, and records that in an annotation. */
function* fillIn(pod: Draft<Pod>, limits: readonly LimitRangeItem[], pace: Pace): Steps<void> {
  const requests: Record<string, string> = {}
  const defaults: Record<string, string> = {}
  for (const limit of limits) {
    if (limit.type !== 'Container') continue
    Object.assign(requests, limit.defaultRequest)
    Object.assign(defaults, limit.default)
  }
  const notes: string[] = []
  let added = 0
  for (const [what, containers] of [
    ['container', pod.spec.containers],
    ['init container', pod.spec.initContainers],
  ] as const)
    for (const container of containers ?? [])
      for (const [part, amounts] of [
        ['requests', requests],
        ['limits', defaults],
      ] as const) {
        const missing = setMissing(container, part, amounts)
        if (missing.length > 0) notes.push(`${missing.join(', ')} ${part.slice(0, -1)} for ${what} ${container.name}`)
        added += missing.length
        if (added > MOST_ADDED) throw tooLargeForEtcd()
        if (pace.due(1 + missing.length * DEFAULT_WORK)) yield
      }
  if (notes.length > 0)
    pod.metadata.annotations = { ...pod.metadata.annotations, [ANNOTATION]: `LimitRanger plugin set: ${notes.join('; ')}` }
}

/** More defaults make a pod that is too large to be stored: each has ten characters and more. */
const MOST_ADDED = 200_000

/** The names that were set. */
function setMissing(container: Draft<Container>, part: 'requests' | 'limits', amounts: Defaults): readonly string[] {
  const present = container.resources?.[part] ?? {}
  const missing = Object.keys(amounts)
    .filter((name) => !Object.hasOwn(present, name))
    .sort()
  if (missing.length > 0)
    container.resources = {
      ...container.resources,
      [part]: { ...present, ...Object.fromEntries(missing.map((name) => [name, amounts[name]])) },
    }
  return missing
}

function* podFaults(pod: Pod, limits: readonly LimitRangeItem[], pace: Pace): Steps<string[]> {
  const faults: string[] = []
  const bounds = function* (limit: LimitRangeItem, requests: ResourceTotals, most: ResourceTotals): Steps<void> {
    for (const fault of boundsFaults(limit, requests, most)) {
      if (fault !== undefined) faults.push(fault)
      if (pace.due(BOUND_WORK)) yield
    }
  }
  for (const limit of limits) {
    if (limit.type === 'Container') {
      for (const container of [...(pod.spec.containers ?? []), ...(pod.spec.initContainers ?? [])]) {
        pace.spend(BOUND_WORK * sizeOf(container))
        yield* bounds(limit, totals(container.resources?.requests), totals(container.resources?.limits))
        if (faults.length > MOST_FAULTS) return faults
      }
    } else if (limit.type === 'Pod') yield* bounds(limit, podRequests(pod.spec), podLimits(pod.spec))
  }
  return faults
}

/** No more containers are looked at when a pod has so many faults. */
const MOST_FAULTS = 10_000

const sizeOf = ({ resources }: Container): number =>
  Object.keys(resources?.requests ?? {}).length + Object.keys(resources?.limits ?? {}).length

const totals = (amounts: ResourceList | undefined): ResourceTotals =>
  new Map(Object.entries(amounts ?? {}).map(([name, amount]) => [name, parseQuantity(amount)]))

const sorted = (amounts: ResourceList | undefined): [string, Quantity][] =>
  Object.keys(amounts ?? {})
    .sort()
    .map((name) => [name, parseQuantity(amounts?.[name] ?? '0')])

/** One fault, or none, for each bound. */
function* boundsFaults(limit: LimitRangeItem, requests: ResourceTotals, limits: ResourceTotals): Generator<string | undefined> {
  for (const [name, bound] of sorted(limit.min))
    yield minFault(`minimum ${name} usage per ${limit.type} is ${bound}`, bound, requests.get(name), limits.get(name))
  for (const [name, bound] of sorted(limit.max))
    yield maxFault(`maximum ${name} usage per ${limit.type} is ${bound}`, bound, requests.get(name), limits.get(name))
  for (const [name, bound] of sorted(limit.maxLimitRequestRatio))
    yield ratioFault(`${name} max limit to request ratio per ${limit.type} is ${bound}`, bound, requests.get(name), limits.get(name))
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
