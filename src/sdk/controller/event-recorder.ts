import { BoundedQueue, workOff } from '../../base/bounded-queue.ts'
import { type Clock, systemClock } from '../../base/clock.ts'
import { type Logger, silentLogger } from '../../base/logger.ts'
import { Signal } from '../../base/signal.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { Client } from '../client/client.ts'

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
  /** Puts the event into the queue (50,000 at most; more are dropped). */
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
  /** What programs may want to read of it; on its first occurrence only. */
  readonly annotations?: Readonly<Record<string, string>>
}

/** Who records, and through whom. */
export interface EventRecorderOptions {
  readonly client: Client
  /** Default: the machine's. */
  readonly clock?: Clock
  /** Who records: `kubelet`, `default-scheduler`. */
  readonly component: string
  /** Where it runs: the node or host name. */
  readonly host?: string
  /** Told of events that the server refused. Default: says nothing. */
  readonly log?: Logger
  /** Shared by several recorders; without it each has its own. */
  readonly gate?: EventGate
}

/** How many events may be on the way at once, of all recorders that share it. */
export interface EventGate {
  /** One more waits to be sent, here or in the queue of its recorder. */
  announce(): void
  /** Resolves when there is room; to be followed by `leave`. */
  enter(): Promise<void>
  /** Lets the next ones in. */
  leave(): void
}

/** How many are on their way while they give way to what is more urgent: one, so that they go on, and are asked again whether they still have to. */
const GIVING_WAY = 1
/** So many may wait before they give way no more: they must not grow without end. */
const MOST_HELD_BACK = 100_000

/** Makes a gate through which `limit` events may be on their way at once; one at a time while `givesWay` says that others have to be first. */
export function createEventGate(limit: number, givesWay: () => boolean = () => false): EventGate {
  let inside = 0
  let announced = 0
  // Thousands may wait.
  const waiting = new BoundedQueue<() => void>({ limit: Number.POSITIVE_INFINITY, policy: 'refuse' })
  const room = () => (announced <= MOST_HELD_BACK && givesWay() ? GIVING_WAY : limit)
  return {
    announce() {
      announced++
    },
    enter() {
      if (inside < room()) {
        inside++
        return Promise.resolve()
      }
      return new Promise((resolve) => void waiting.offer(resolve))
    },
    leave() {
      inside--
      announced--
      for (let free = room() - inside; free > 0; free--) {
        const next = waiting.poll()
        if (next?.kind !== 'item') return
        inside++
        next.item()
      }
    },
  }
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
 * Names events `<object>.<hex of nanoseconds>`, no name twice. The clock tells milliseconds: so that two recorders that speak of one object in the same one do not
 * choose the same name (the second event would be lost), each counts from a place of its own in it, which follows from who records.
 */
export function eventNamer({ clock = systemClock, component, host = '' }: Pick<EventRecorderOptions, 'clock' | 'component' | 'host'>) {
  let last = 0n
  const offset = BigInt(placeOf(`${component}/${host}`))
  return (object: string): string => {
    const now = BigInt(Math.floor(clock.now())) * 1_000_000n + offset
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

/** How many events may wait; more are dropped, and the log says how many. */
const QUEUE_LIMIT = 50_000
const IN_FLIGHT = 32

/** The way of every recorder: a bounded queue, worked off with a few requests in flight. `send` decides at the last moment what to write. */
export function recorderOver(
  send: (event: RecordedEvent) => Promise<void>,
  { log = silentLogger, gate = createEventGate(IN_FLIGHT) }: Pick<EventRecorderOptions, 'log' | 'gate'>,
): EventRecorder {
  const queue = new BoundedQueue<RecordedEvent>({ limit: QUEUE_LIMIT, policy: 'refuse' })
  const sent = new Signal()
  let unsent = 0
  let dropped = 0
  const work = async (event: RecordedEvent) => {
    await gate.enter()
    try {
      await send(event)
    } finally {
      gate.leave()
      if (--unsent === 0) sent.raise()
    }
  }
  const failed = (error: unknown, event: RecordedEvent) =>
    log.warn(`the server refused an event about ${event.regarding.name}`, { error, reason: event.reason })
  return {
    record(event) {
      const offered = queue.offer(event)
      if (offered === 'taken') {
        unsent++
        gate.announce()
      } else if (offered === 'refused' && dropped++ % 1000 === 0)
        log.warn('events are dropped: more are recorded than the server takes', { dropped })
    },
    async run(signal) {
      // What waits when the signal is aborted is still sent; then the closed queue ends the work.
      const close = () => queue.close()
      signal.addEventListener('abort', close, { once: true })
      if (signal.aborted) close()
      await workOff(queue, { workers: IN_FLIGHT, work, failed })
    },
    async flush() {
      while (unsent > 0) await sent.wait()
    },
  }
}
