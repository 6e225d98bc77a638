import { age } from '../../machinery/human-duration.ts'
import { type ColumnInit, NAME } from '../define.ts'
import { fieldNotes } from '../documentation.ts'
import type * as core from '../types/core.ts'
import type * as events from '../types/events.ts'
import type { UncheckedObject } from '../unchecked.ts'

/** An event of either group. */
type Event = UncheckedObject<core.Event> & UncheckedObject<events.Event>

/** The columns of both groups have the documentation of core's fields. */
const documented = (field: string) => () => fieldNotes('io.k8s.api.core.v1.Event', field)

/** The columns of events; `core`: field names of the core group, not of events.k8s.io. */
export function eventColumns(core: boolean): readonly ColumnInit<Event>[] {
  const about = (o: Event) => (core ? o.involvedObject : o.regarding) ?? {}
  const first = (o: Event) => (core ? o.firstTimestamp : o.deprecatedFirstTimestamp) || o.eventTime
  const last = (o: Event) => o.series?.lastObservedTime || (core ? o.lastTimestamp : o.deprecatedLastTimestamp) || first(o)
  return [
    { name: 'Last Seen', description: documented('lastTimestamp'), cell: (o, now) => age(last(o), now) },
    { name: 'Type', description: documented('type'), cell: (o) => o.type ?? '' },
    { name: 'Reason', description: documented('reason'), cell: (o) => o.reason ?? '' },
    { name: 'Object', description: 'What the event is about.', cell: (o) => target(about(o)) },
    {
      name: 'Subobject',
      priority: 1,
      description: 'The part of the object that the event is about.',
      cell: (o) => about(o).fieldPath ?? '',
    },
    { name: 'Source', priority: 1, description: 'Who reports the event.', cell: (o) => source(o, core) },
    { name: 'Message', description: documented('message'), cell: (o) => ((core ? o.message : o.note) ?? '').trim() },
    {
      name: 'First Seen',
      priority: 1,
      description: documented('firstTimestamp'),
      cell: (o, now) => age(first(o), now),
    },
    {
      name: 'Count',
      priority: 1,
      description: documented('count'),
      cell: (o) => o.series?.count ?? ((core ? o.count : o.deprecatedCount) || 1),
    },
    { ...NAME, priority: 1 },
  ]
}

function target(about: { kind?: string; name?: string }): string {
  const kind = (about.kind ?? '').toLowerCase()
  return about.name ? `${kind}/${about.name}` : kind
}

function source(o: Event, core: boolean): string {
  const from = (core ? o.source : o.deprecatedSource) ?? {}
  const component = from.component || (core ? o.reportingComponent : o.reportingController) || ''
  const instance = from.host || o.reportingInstance || ''
  return instance === '' ? component : `${component}, ${instance}`
}
