import type { ResourceDefinition, ResourceRules } from '../../machinery/resource/definition.ts'
import { segmentName, subdomainName } from '../../machinery/validation/object-name.ts'
import { define } from '../define.ts'
import { eventColumns } from './columns.ts'
import { convertEvents } from './convert.ts'
import { type CoreEvent, validateEvent, validateEventUpdate } from './validation.ts'

const NAMES = { kind: 'Event', plural: 'events', singular: 'event', shortNames: ['ev'] }
const HOUR_MS = 3_600_000
const REFERENCE_FIELDS = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'] as const

const rules: ResourceRules<CoreEvent> = {
  allowCreateOnUpdate: true,
  defaultPropagation: 'Unsupported',
  validateCreate: (event, context) => validateEvent(event, context.apiVersion),
  validateUpdate: (event, old, context) => validateEventUpdate(event, old, context.apiVersion),
}

/** Field selectors on the object that the event is about: `involvedObject.name`. They read the stored form: the core group's. */
function referenceFields(label: string): Record<string, (event: CoreEvent) => string> {
  return Object.fromEntries(REFERENCE_FIELDS.map((f) => [`${label}.${f}`, (event: CoreEvent) => event.involvedObject?.[f] ?? '']))
}

/** Events of the core group, in which all events are stored. */
export const coreEvents = define<CoreEvent>({
  ...NAMES,
  group: '',
  ttlMs: HOUR_MS,
  metadataChecks: 'not',
  columns: eventColumns(true),
  selectableFields: {
    ...referenceFields('involvedObject'),
    reason: (e) => e.reason ?? '',
    reportingComponent: (e) => e.reportingComponent ?? '',
    source: (e) => e.source?.component || e.reportingComponent || '',
    type: (e) => e.type ?? '',
  },
  rules: { ...rules, validateName: segmentName, metadataLast: true },
})

/** The same events through `events.k8s.io/v1`. */
export const events = define<CoreEvent>({
  ...NAMES,
  group: 'events.k8s.io',
  ttlMs: HOUR_MS,
  metadataChecks: 'as-update',
  storedAs: { group: '', resource: 'events' },
  convert: convertEvents,
  columns: eventColumns(false),
  selectableFields: {
    ...referenceFields('regarding'),
    reason: (e) => e.reason ?? '',
    reportingController: (e) => e.reportingComponent ?? '',
    type: (e) => e.type ?? '',
  },
  rules: { ...rules, validateName: subdomainName },
})

export const eventsResources: readonly ResourceDefinition[] = [events]
