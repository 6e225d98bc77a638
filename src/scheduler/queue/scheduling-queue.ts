import type { Cancel, Clock } from '../../base/clock.ts'
import { Heap } from '../../base/heap.ts'
import type { PodInfo } from '../cache/pod-info.ts'
import type { ClusterEvent } from './cluster-event.ts'

/** A pod that waits to be placed, and what happened to it so far. */
export interface QueuedPod {
  info: PodInfo
  readonly serial: number
  attempts: number
  /** Failures in a row, by which the wait grows: not placeable, and errors. */
  unschedulable: number
  errors: number
  /** When it last entered the queue or failed. */
  since: number
  /** The plugins that turned it down last; their hints may wake it. */
  plugins: ReadonlySet<string>
  /** Why it may not enter the active queue. */
  gate: string | undefined
  place: 'active' | 'back-off' | 'unschedulable' | 'in-flight'
}

export interface SchedulingQueueOptions {
  readonly clock: Clock
  readonly initialBackoffMs: number
  readonly maxBackoffMs: number
  /** The message of the plugin that keeps the pod out of the active queue. */
  readonly gate: (pod: PodInfo) => string | undefined
  /** Whether an event may let this pod be placed, by the hints of the plugins that turned it down. */
  readonly worthTrying: (pod: QueuedPod, event: ClusterEvent) => boolean
}

/** Pods that nothing woke are tried again after this long. */
const MAX_UNSCHEDULABLE_MS = 5 * 60_000
const FLUSH_EVERY_MS = 30_000

/**
 * Pods that wait: active ones by priority and age, those in back-off until their time is up (or nothing else is to be done), and those
 * that are known not to fit until an event may have changed that.
 */
export class SchedulingQueue {
  readonly #options: SchedulingQueueOptions
  readonly #pods = new Map<string, QueuedPod>()
  readonly #active = new Heap<QueuedPod>(moreUrgent)
  readonly #backoff = new Heap<QueuedPod>(
    (a, b) => this.#window(a) - this.#window(b) < 0 || (this.#window(a) === this.#window(b) && moreUrgent(a, b)),
  )
  readonly #unschedulable = new Set<QueuedPod>()
  #serial = 0
  #wake = () => {}
  #backoffTimer: { at: number; cancel: Cancel } | undefined
  #flushTimer: Cancel = () => {}

  constructor(options: SchedulingQueueOptions) {
    this.#options = options
  }

  /** How many pods wait, by place. */
  get sizes(): { active: number; backoff: number; unschedulable: number } {
    return { active: this.#active.size, backoff: this.#backoff.size, unschedulable: this.#unschedulable.size }
  }

  get(key: string): QueuedPod | undefined {
    return this.#pods.get(key)
  }

  pods(): IterableIterator<QueuedPod> {
    return this.#pods.values()
  }

  /** A pod that was not known, or comes back as it is now. */
  add(info: PodInfo): void {
    this.remove(info.key)
    const now = this.#options.clock.now()
    const fresh: QueuedPod = {
      info,
      serial: this.#serial++,
      attempts: 0,
      unschedulable: 0,
      errors: 0,
      since: now,
      plugins: new Set(),
      gate: this.#options.gate(info),
      place: 'unschedulable',
    }
    this.#pods.set(info.key, fresh)
    if (fresh.gate === undefined) this.#activate(fresh)
    else this.#unschedulable.add(fresh)
  }

  /** The pod itself changed while it waits. */
  update(info: PodInfo, old: PodInfo): void {
    const known = this.#pods.get(info.key)
    if (known === undefined) {
      this.add(info)
      return
    }
    if (known.place === 'active') {
      this.#active.delete(known)
      known.info = info
      this.#active.push(known)
      return
    }
    known.info = info
    if (known.place !== 'unschedulable') return
    const gated = known.gate !== undefined
    known.gate = this.#options.gate(info)
    if (known.gate !== undefined) return
    if (gated || this.#options.worthTrying(known, { kind: 'pod-updated', pod: info.pod, oldPod: old.pod })) this.#requeue(known)
  }

  remove(key: string): void {
    const known = this.#pods.get(key)
    if (known === undefined) return
    this.#pods.delete(key)
    this.#active.delete(known)
    this.#backoff.delete(known)
    this.#unschedulable.delete(known)
  }

  /** The pod to place next; one in back-off when there is nothing else to do. Its place is then `in-flight`. */
  pop(): QueuedPod | undefined {
    const next = this.#active.pop() ?? this.#popBackoff()
    if (next === undefined) return undefined
    next.place = 'in-flight'
    next.attempts++
    return next
  }

  /** The attempt failed. An unschedulable pod waits for an event, a pod that met an error only for its time. */
  failed(pod: QueuedPod, why: { readonly plugins: ReadonlySet<string>; readonly error: boolean }): void {
    if (this.#pods.get(pod.info.key) !== pod) return
    pod.since = this.#options.clock.now()
    pod.plugins = why.plugins
    if (why.error) {
      pod.errors++
      pod.unschedulable = 0
      this.#toBackoff(pod)
      return
    }
    pod.unschedulable++
    pod.errors = 0
    pod.place = 'unschedulable'
    this.#unschedulable.add(pod)
  }

  /** Wakes the pods for which the event may have made room. */
  event(event: ClusterEvent): void {
    for (const pod of this.#unschedulable) {
      if (pod.gate === undefined && this.#options.worthTrying(pod, event)) this.#requeue(pod)
    }
  }

  /** Resolves when there is something to pop, or the queue is closed. */
  async ready(signal: AbortSignal): Promise<void> {
    if (this.#active.size > 0 || signal.aborted || this.#poppable()) return
    await new Promise<void>((resolve) => {
      const done = () => {
        signal.removeEventListener('abort', done)
        this.#wake = () => {}
        resolve()
      }
      this.#wake = done
      signal.addEventListener('abort', done, { once: true })
    })
  }

  /** Starts the slow clock that tries forgotten pods again. */
  start(): Cancel {
    const tick = () => {
      const now = this.#options.clock.now()
      for (const pod of this.#unschedulable) {
        if (pod.gate === undefined && now - pod.since > MAX_UNSCHEDULABLE_MS) this.#requeue(pod)
      }
      this.#flushTimer = this.#options.clock.after(FLUSH_EVERY_MS, tick)
    }
    this.#flushTimer = this.#options.clock.after(FLUSH_EVERY_MS, tick)
    return () => {
      this.#flushTimer()
      this.#backoffTimer?.cancel()
    }
  }

  #activate(pod: QueuedPod): void {
    pod.place = 'active'
    this.#active.push(pod)
    this.#wake()
  }

  #requeue(pod: QueuedPod): void {
    this.#unschedulable.delete(pod)
    if (this.#readyAt(pod) <= this.#options.clock.now()) this.#activate(pod)
    else this.#toBackoff(pod)
  }

  #toBackoff(pod: QueuedPod): void {
    pod.place = 'back-off'
    this.#backoff.push(pod)
    this.#arm()
    this.#wake()
  }

  #readyAt(pod: QueuedPod): number {
    const failures = pod.errors > 0 ? pod.errors : pod.unschedulable
    if (failures === 0) return pod.since
    return pod.since + Math.min(this.#options.maxBackoffMs, this.#options.initialBackoffMs * 2 ** Math.min(failures - 1, 30))
  }

  /** Pods whose time is up within the same second leave back-off by urgency. */
  #window(pod: QueuedPod): number {
    return Math.floor(this.#readyAt(pod) / 1000)
  }

  /** The first in back-off that did not meet an error, or whose time is up. */
  #popBackoff(): QueuedPod | undefined {
    const first = this.#backoff.peek()
    if (first === undefined || !this.#poppable()) return undefined
    this.#backoff.delete(first)
    return first
  }

  #poppable(): boolean {
    const first = this.#backoff.peek()
    return first !== undefined && (first.errors === 0 || this.#readyAt(first) <= this.#options.clock.now())
  }

  /** Moves pods whose time is up into the active queue when it comes. */
  #arm(): void {
    const first = this.#backoff.peek()
    if (first === undefined) return
    const at = this.#readyAt(first)
    if (this.#backoffTimer !== undefined && this.#backoffTimer.at <= at) return
    this.#backoffTimer?.cancel()
    const now = this.#options.clock.now()
    const cancel = this.#options.clock.after(Math.max(0, at - now), () => {
      this.#backoffTimer = undefined
      for (
        let due = this.#backoff.peek();
        due !== undefined && this.#readyAt(due) <= this.#options.clock.now();
        due = this.#backoff.peek()
      ) {
        this.#backoff.delete(due)
        this.#activate(due)
      }
      this.#arm()
    })
    this.#backoffTimer = { at, cancel }
  }
}

const moreUrgent = (a: QueuedPod, b: QueuedPod): boolean => {
  if (a.info.priority !== b.info.priority) return a.info.priority > b.info.priority
  return a.since !== b.since ? a.since < b.since : a.serial < b.serial
}
