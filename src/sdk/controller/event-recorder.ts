import { type Clock, systemClock } from '../../base/clock.ts'
import { FifoQueue } from '../../base/collections/fifo-queue.ts'
import { type Logger, silentLogger } from '../../base/logger.ts'
import { untilAborted } from '../../base/on-abort.ts'
import { Signal } from '../../base/signal.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import type { Client } from '../client/client.ts'
import { createEventGate, type EventGate, type EventLane } from './event-gate.ts'
import { isOrdinaryRace } from './ordinary-race.ts'

/** `v1.ObjectReference`: which object. */
export interface ObjectReference {
  apiVersion?: string
  kind?: string
  namespace?: string
  name?: string
  uid?: string
  resourceVersion?: string
  fieldPath?: string
}

/** Whether something went as it should. */
export type EventType = 'Normal' | 'Warning'

/** What happened to an object. Recording never fails and never waits; events that the server refuses are logged. */
export interface EventRecorder {
  /** Queues the event (256 MiB at most with all recorders of the gate: some 800,000; more are dropped, and the log has their number). */
  record(event: RecordedEvent): void
  /** Sends what is recorded until the signal is aborted; then what is left, once. */
  run(signal: AbortSignal): Promise<void>
  /** Resolves when everything recorded so far was sent or refused. Needs `run`. */
  flush(): Promise<void>
}

/** What is to be recorded. */
export interface RecordedEvent {
  /** The object that it happened to: `referenceTo(object)`. */
  readonly regarding: ObjectReference
  /** A second object that has to do with it. */
  readonly related?: ObjectReference
  readonly type: EventType
  /** Why, in one word for machines: `FailedMount`. */
  readonly reason: string
  /** What was done or failed to be done (events.k8s.io only). */
  readonly action?: string
  /** For people. */
  readonly message: string
  /** Annotations for programs; on its first occurrence only. */
  readonly annotations?: Readonly<Record<string, string>>
}

/** The source of the events, and the client. */
export interface EventRecorderOptions {
  readonly client: Client
  /** Default: the machine's. */
  readonly clock?: Clock
  /** The reporting component: `kubelet`, `default-scheduler`. */
  readonly component: string
  /** Where it runs: the node or host name. */
  readonly host?: string
  /** Logs events that the server refused. Default: no log. */
  readonly log?: Logger
  /** Shared by several recorders; without it each has its own. */
  readonly gate?: EventGate
}

/** The reference to an object, as events carry it. */
export function referenceTo(object: Readonly<KubeObject>, fieldPath?: string): ObjectReference {
  const { namespace, name, uid, resourceVersion } = object.metadata
  return {
    kind: object.kind,
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
    ...(uid === undefined ? {} : { uid }),
    apiVersion: object.apiVersion,
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(fieldPath === undefined ? {} : { fieldPath }),
  }
}

/**
 * Names events `<object>.<hex of nanoseconds>`, no name twice. The clock has a resolution of milliseconds. Each recorder therefore counts
 * from an offset of its own within the millisecond, which is derived from its component and host: two recorders with events about one
 * object in the same millisecond would else choose the same name, and the second event would be lost.
 */
export function eventNamer({ component, host = '' }: Pick<EventRecorderOptions, 'component' | 'host'>) {
  let last = 0n
  const offset = BigInt(placeOf(`${component}/${host}`))
  return (object: string, atMs: number): string => {
    const now = BigInt(Math.floor(atMs)) * 1_000_000n + offset
    last = now > last ? now : last + 1n
    return `${object}.${last.toString(16)}`
  }
}

/** A number below a million that differs from name to name (FNV-1a). */
function placeOf(name: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193)
  return (hash >>> 0) % 1_000_000
}

const IN_FLIGHT = 32
/** Bytes of a waiting event without its texts: the record, its reference to an object whose own texts it shares, its entry in the queue. */
const RECORD_BYTES = 256

/**
 * Writes an event. Called when its turn has come, and decides then what to write; `atMs` is when it was recorded, and that is when it
 * happened, however long it has waited.
 */
export type SendEvent = (event: RecordedEvent, atMs: number) => Promise<void>

interface Waiting {
  readonly event: RecordedEvent
  readonly atMs: number
}

/** The way of every recorder: a queue, worked off with a few requests in flight. */
export function recorderOver(
  send: SendEvent,
  { log = silentLogger, gate = createEventGate(IN_FLIGHT), clock = systemClock }: Pick<EventRecorderOptions, 'log' | 'gate' | 'clock'>,
): EventRecorder {
  // Its bound is the gate's.
  const queue = new FifoQueue<Waiting>()
  const sent = new Signal()
  let state: 'before' | 'running' | 'closed' = 'before'
  let unsent = 0
  let dropped = 0
  const sendOne = async ({ event, atMs }: Waiting) => {
    try {
      await send(event, atMs)
    } catch (error) {
      // A namespace that is being deleted, or that is gone, takes no more events.
      const level = isOrdinaryRace(error) || isStatus(error, 'NotFound') ? 'debug' : 'warn'
      log[level](`the server refused an event about ${event.regarding.name}`, { error, reason: event.reason })
    }
    gate.free(sizeBytes(event))
    if (--unsent === 0) sent.raise()
  }
  const lane: EventLane = {
    next() {
      const waiting = queue.take()
      return waiting && sendOne(waiting)
    },
  }
  const flush = async () => {
    while (unsent > 0) await sent.wait()
  }
  return {
    record(event) {
      if (state === 'closed') return
      if (!gate.take(sizeBytes(event))) {
        if (dropped++ % 1000 === 0) log.warn('events are dropped: more are recorded than the server takes', { dropped })
        return
      }
      queue.add({ event, atMs: clock.now() })
      unsent++
      if (state === 'running') gate.ready(lane)
    },
    async run(signal) {
      state = 'running'
      if (queue.size > 0) gate.ready(lane)
      await untilAborted(signal)
      // What waits now is still sent.
      state = 'closed'
      await flush()
    },
    flush,
  }
}

function sizeBytes({ message, annotations }: RecordedEvent): number {
  let bytes = RECORD_BYTES + message.length
  for (const name in annotations) bytes += name.length + (annotations[name]?.length ?? 0)
  return bytes
}
