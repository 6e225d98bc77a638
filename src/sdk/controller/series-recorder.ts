import { microTimestamp } from '../../base/clock.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { EVENTS } from '../../resources/refs.ts'
import type { Event } from '../../resources/types/events.ts'
import { type EventRecorder, type EventRecorderOptions, eventNamer, type RecordedEvent, recorderOver } from './event-recorder.ts'

/** An event that has not occurred for this long starts a new series. */
const SERIES_END_MS = 6 * 60_000
const MAX_NOTE_LENGTH = 1024
const MAX_SERIES = 16_384

interface Series {
  readonly name: string
  readonly namespace: string
  count: number
  lastMs: number
  stored: boolean
}

/**
 * Records `events.k8s.io/v1` events, as the scheduler does: what repeats becomes one event with a series. Used like `createCoreRecorder`.
 */
export function createSeriesRecorder(options: EventRecorderOptions): EventRecorder {
  const { client, component, host = '' } = options
  const nameOf = eventNamer(options)
  const series = new Map<string, Series>()

  const create = async (event: RecordedEvent, known: Series, seriesField: Pick<Event, 'series'>) => {
    const instance = host === '' ? component : `${component}-${host}`
    const object: Event = {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: known.name, namespace: known.namespace },
      eventTime: microTimestamp(known.lastMs),
      reportingController: component,
      reportingInstance: instance,
      action: event.action ?? event.reason,
      reason: event.reason,
      regarding: event.regarding,
      ...(event.related === undefined ? {} : { related: event.related }),
      note: event.message.slice(0, MAX_NOTE_LENGTH),
      type: event.type,
      ...seriesField,
    }
    await client.create({ ...EVENTS, namespace: known.namespace }, object)
    known.stored = true
  }

  const send = async (event: RecordedEvent, now: number) => {
    const key = JSON.stringify([event.type, event.action, event.reason, event.regarding, event.related])
    const old = series.get(key)
    if (old !== undefined && now - old.lastMs < SERIES_END_MS) {
      old.count++
      old.lastMs = now
      const field = { series: { count: old.count, lastObservedTime: microTimestamp(now) } }
      if (!old.stored) return
      // As upstream: the second sighting is written at once; later ones are counted and written when the count has doubled.
      if ((old.count & (old.count - 1)) !== 0) return
      try {
        await client.patch({ ...EVENTS, namespace: old.namespace, name: old.name }, 'strategic', field)
      } catch (error) {
        if (!isStatus(error, 'NotFound')) throw error
        await create(event, old, field)
      }
      return
    }
    series.delete(key)
    const { namespace = '', name = '' } = event.regarding
    const fresh: Series = {
      name: nameOf(name, now),
      namespace: namespace === '' ? 'default' : namespace,
      count: 1,
      lastMs: now,
      stored: false,
    }
    series.set(key, fresh)
    if (series.size > MAX_SERIES) for (const oldest of series.keys()) if (series.delete(oldest)) break
    await create(event, fresh, {})
  }
  return recorderOver(send, options)
}
