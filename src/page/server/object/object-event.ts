import type { Event } from '../../../resources/types/core.ts'
import type { ObjectEvent } from '../../wire/object-page.ts'
import { shownText } from '../../wire/shown-text.ts'

/** An event as the page shows it, of either form (`lastTimestamp`, `series`). */
export function objectEvent(event: Event): ObjectEvent {
  const { type = '', reason = '', message = '', count, series, lastTimestamp, eventTime, firstTimestamp, metadata } = event
  const last = series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? firstTimestamp ?? metadata.creationTimestamp ?? ''
  return {
    type: shownText(type, 50),
    reason: shownText(reason, 200),
    message: shownText(message),
    source: shownText(event.reportingComponent || event.source?.component || '', 200),
    count: series?.count ?? count ?? 1,
    lastMs: Date.parse(last) || 0,
  }
}
