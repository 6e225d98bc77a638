import { hash } from 'node:crypto'
import { systemClock, timestamp } from '../../base/clock.ts'
import { quiet } from '../../base/quiet.ts'
import { TokenBucket } from '../../base/token-bucket.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { CORE_EVENTS } from '../../resources/refs.ts'
import type { Event } from '../../resources/types/core.ts'
import { type EventRecorder, type EventRecorderOptions, eventNamer, type RecordedEvent, recorderOver } from './event-recorder.ts'

/** After so many different messages of one kind within the interval, they are combined into one event. */
const MAX_SIMILAR = 10
const SIMILAR_INTERVAL_MS = 600_000
/** A source may write so many events of one type about one object at once, and one more every five minutes. */
const PER_OBJECT = { burst: 25, perSecond: 1 / 300 }
const MAX_KNOWN = 4096

interface Known {
  name: string
  count: number
  firstTimestamp: string
  /** While the event is being written its count cannot be raised. Undefined: it is written. */
  written: Promise<void> | undefined
}

/** How an event is counted: under its own text, or combined with similar ones. */
interface Aggregate {
  readonly key: string
  readonly message: string
  readonly combined: boolean
}

interface Similar {
  /** Nearly always the same one. */
  messages: string | Set<string>
  lastMs: number
}

/**
 * Records core/v1 events, as controllers and the kubelet do: repeated events are counted, similar ones combined, and a source with too many
 * events about one object is limited.
 *
 * ```ts
 * const recorder = createCoreRecorder({ client, component: 'gadgets' })
 * const running = recorder.run(signal)
 * recorder.record({ regarding: referenceTo(gadget), type: 'Normal', reason: 'Made', message: 'made three pods' })
 * ```
 */
export function createCoreRecorder(options: EventRecorderOptions): EventRecorder {
  const { client, clock = systemClock, component, host } = options
  const nameOf = eventNamer(options)
  const known = new Map<string, Known>()
  const similar = new Map<string, Similar>()
  const allowance = new Map<string, TokenBucket>()

  /** The key under which it is counted, and its text: combined when too many similar ones were seen. */
  const aggregate = (event: RecordedEvent, object: string): Aggregate => {
    const group = digest(JSON.stringify([object, event.type, event.reason]))
    const now = clock.now()
    let seen = similar.get(group)
    if (seen === undefined || now - seen.lastMs > SIMILAR_INTERVAL_MS) seen = { messages: event.message, lastMs: now }
    seen.lastMs = now
    const { messages } = seen
    if (typeof messages !== 'string') messages.add(event.message)
    else if (messages !== event.message) seen.messages = new Set([messages, event.message])
    remember(similar, group, seen)
    forget(similar, ({ lastMs }) => now - lastMs > SIMILAR_INTERVAL_MS)
    if (typeof seen.messages === 'string' || seen.messages.size < MAX_SIMILAR)
      return {
        key: digest(`${group}${JSON.stringify(event.regarding.fieldPath)}${event.message}`),
        message: event.message,
        combined: false,
      }
    const oldest = seen.messages.values().next().value
    if (oldest !== undefined) seen.messages.delete(oldest)
    return { key: group, message: `(combined from similar events): ${event.message}`, combined: true }
  }

  const allowed = (object: string, type: RecordedEvent['type']): boolean => {
    const key = `${type} ${object}`
    const bucket = allowance.get(key) ?? new TokenBucket(PER_OBJECT, clock)
    remember(allowance, key, bucket)
    if (!bucket.take()) return false
    forget(allowance, ({ isFull }) => isFull)
    return true
  }

  const create = async (event: RecordedEvent, entry: Known, { message, combined }: Aggregate, atMs: number) => {
    const namespace = event.regarding.namespace || 'default'
    const object: Event = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: entry.name, namespace, ...(event.annotations && !combined && { annotations: { ...event.annotations } }) },
      involvedObject: event.regarding,
      reason: event.reason,
      message,
      source: { component, ...(host === undefined ? {} : { host }) },
      firstTimestamp: entry.firstTimestamp,
      lastTimestamp: timestamp(atMs),
      count: entry.count,
      type: event.type,
      // As in Kubernetes, a combined event has no reporter.
      reportingComponent: combined ? '' : component,
      reportingInstance: combined ? '' : (host ?? ''),
    }
    await client.create({ ...CORE_EVENTS, namespace }, object)
  }

  const send = async (event: RecordedEvent, atMs: number) => {
    const object = objectKeyOf(event)
    const text = aggregate(event, object)
    const { key, message } = text
    const entry = known.get(key)
    if (!allowed(object, event.type)) return
    if (entry === undefined) {
      const firstTimestamp = timestamp(atMs)
      const fresh: Known = { name: nameOf(event.regarding.name ?? '', atMs), count: 1, firstTimestamp, written: undefined }
      remember(known, key, fresh)
      const writing = create(event, fresh, text, atMs)
      fresh.written = quiet(writing, 'the call that began it reports it')
      try {
        await writing
      } finally {
        fresh.written = undefined
      }
      return
    }
    entry.count++
    await entry.written
    const target = { ...CORE_EVENTS, namespace: event.regarding.namespace || 'default', name: entry.name }
    try {
      await client.patch(target, 'strategic', { count: entry.count, lastTimestamp: timestamp(atMs), message })
    } catch (error) {
      if (!isStatus(error, 'NotFound')) throw error
      await create(event, entry, text, atMs)
    }
  }
  return recorderOver(send, options)
}

const objectKeyOf = ({ regarding: r }: RecordedEvent) => digest(JSON.stringify([r.kind, r.namespace, r.name, r.uid, r.apiVersion]))

/** A short key in place of a long one: each event of each pod leaves three of them in memory. */
const digest = (text: string): string => hash('sha1', text, 'binary')

/** Keeps the youngest entries only. */
function remember<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key)
  map.set(key, value)
  if (map.size <= MAX_KNOWN) return
  const oldest = map.keys().next().value
  if (oldest !== undefined) map.delete(oldest)
}

/** Drops the oldest entries while they are expired. */
function forget<V>(map: Map<string, V>, over: (value: V) => boolean): void {
  for (const [key, value] of map) {
    if (!over(value)) return
    map.delete(key)
  }
}
