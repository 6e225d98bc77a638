import { semanticEqual } from '../../machinery/equal.ts'
import { child, type FieldError, invalid, required } from '../../machinery/field-error.ts'
import { qualifiedName } from '../../machinery/names.ts'
import { invalidEach } from '../checks.ts'
import type * as core from '../types/core.ts'
import type { Unchecked, UncheckedObject } from '../unchecked.ts'

export type CoreEvent = UncheckedObject<core.Event>

/** Events of both groups are validated in core's form; these are the apiVersions of the requests. */
const CORE = 'v1'

/** A new event. The rules of `events.k8s.io` are stricter than those of core. */
export function validateEvent(event: CoreEvent, apiVersion: string): FieldError[] {
  const faults = validateAlways(event, apiVersion)
  if (apiVersion === CORE) return faults
  faults.push(...validateSeries(event))
  if (!event.eventTime) faults.push(required('eventTime'))
  if (event.type !== 'Normal' && event.type !== 'Warning') faults.push(invalid('type', '', `has invalid value: ${event.type ?? ''}`))
  const unset = 'needs to be unset'
  if (event.firstTimestamp) faults.push(invalid('firstTimestamp', '', unset))
  if (event.lastTimestamp) faults.push(invalid('lastTimestamp', '', unset))
  if (event.count) faults.push(invalid('count', '', unset))
  if (event.source?.component || event.source?.host) faults.push(invalid('source', '', unset))
  return faults
}

/** A changed event: through `events.k8s.io` only the series may change. */
export function validateEventUpdate(event: CoreEvent, old: CoreEvent, apiVersion: string): FieldError[] {
  const faults = validateAlways(event, apiVersion)
  if (apiVersion === CORE) return faults
  if (!semanticEqual(event.series, old.series)) faults.push(...validateSeries(event))
  const frozen = (path: string, now: unknown, before: unknown, shown: unknown) => {
    if (!semanticEqual(now, before)) faults.push(invalid(path, shown, 'field is immutable'))
  }
  for (const name of ['reason', 'reason', 'message', 'type', 'action', 'reportingInstance'] as const)
    frozen(name, event[name] ?? '', old[name] ?? '', event[name] ?? '')
  frozen('reportingController', event.reportingComponent ?? '', old.reportingComponent ?? '', event.reportingComponent ?? '')
  frozen('count', event.count ?? 0, old.count ?? 0, event.count ?? 0)
  for (const name of ['firstTimestamp', 'lastTimestamp', 'eventTime'] as const) frozen(name, event[name], old[name], event[name] ?? null)
  frozen(
    'involvedObject',
    reference(event.involvedObject ?? {}),
    reference(old.involvedObject ?? {}),
    reference(event.involvedObject ?? {}),
  )
  const related = (o: CoreEvent) => (o.related ? reference(o.related) : null)
  frozen('related', related(event), related(old), related(event))
  const source = (o: CoreEvent) => ({ Component: o.source?.component ?? '', Host: o.source?.host ?? '' })
  frozen('source', source(event), source(old), source(event))
  return faults
}

/** An object reference in the form of field errors. */
const reference = (r: Unchecked<core.ObjectReference>) => ({
  Kind: r.kind ?? '',
  Namespace: r.namespace ?? '',
  Name: r.name ?? '',
  UID: r.uid ?? '',
  APIVersion: r.apiVersion ?? '',
  ResourceVersion: r.resourceVersion ?? '',
  FieldPath: r.fieldPath ?? '',
})

function validateAlways(event: CoreEvent, apiVersion: string): FieldError[] {
  const faults: FieldError[] = []
  const about = event.involvedObject?.namespace ?? ''
  const namespace = event.metadata.namespace ?? ''
  const mismatch = invalid(child('involvedObject', 'namespace'), about, 'does not match event.namespace')
  if (!event.eventTime) {
    const wrong = about === '' ? namespace !== '' && namespace !== 'default' : namespace !== about
    return wrong ? [mismatch] : []
  }
  if (about === '' && namespace !== 'default' && namespace !== 'kube-system') faults.push(mismatch)
  const controller = apiVersion === CORE ? 'reportingComponent' : 'reportingController'
  if (!event.reportingComponent) faults.push(required(controller))
  faults.push(...invalidEach(controller, event.reportingComponent ?? '', qualifiedName(event.reportingComponent ?? '')))
  for (const name of ['reportingInstance', 'action', 'reason'] as const) {
    if (!event[name]) faults.push(required(name))
    if (Buffer.byteLength(event[name] ?? '') > 128) faults.push(invalid(name, '', 'can have at most 128 characters'))
  }
  if (Buffer.byteLength(event.message ?? '') > 1024) faults.push(invalid('message', '', 'can have at most 1024 characters'))
  return faults
}

function validateSeries(event: CoreEvent): FieldError[] {
  if (!event.series) return []
  const faults: FieldError[] = []
  if ((event.series.count ?? 0) < 2) faults.push(invalid('series.count', '', 'should be at least 2'))
  if (!event.series.lastObservedTime) faults.push(required('series.lastObservedTime'))
  return faults
}
