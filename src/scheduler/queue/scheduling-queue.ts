import type { Cancel, Clock } from '../../base/clock.ts'
import { Heap } from '../../base/collections/heap.ts'
import { messageOf } from '../../base/message-of.ts'
import { Signal } from '../../base/signal.ts'
import type { Later } from '../../base/steps.ts'
import type { PodInfo } from '../cache/pod-info.ts'
import { type ClusterEvent, type EventKey, eventKey, eventLabel } from '../framework/cluster-event.ts'
import type { Queued } from '../framework/plugin.ts'
import type { Gate } from '../framework/pre-enqueue.ts'
import { EventLog } from './event-log.ts'

/** A pod that waits to be placed, and what happened to it so far. */
export interface QueuedPod extends Queued {
  info: PodInfo
  attempts: number
  /** Failures in a row, by which the wait grows: not placeable, and errors. */
  unschedulable: number
  errors: number
  /** When it last entered the queue or failed. */
  since: number
  /** When it could be tried for the first time, by the monotonic clock; undefined while a gate has kept it out. */
  triableSince: number | undefined
  /** It was last tried because nothing had woken it for long. */
  flushed: boolean
  /** The plugins that turned it down last; their hints may wake it. */
  plugins: ReadonlySet<string>
  /** PreEnqueue: the plugin that keeps it out of the active queue, and why. */
  gate: Gate | undefined
  /** `asking`: an external plugin is deciding whether it may enter. */
  place: 'active' | 'back-off' | 'unschedulable' | 'in-flight' | 'asking'
  /** The events that wake it. */
  wokenBy: readonly (EventKey | 'any')[]
  /** In flight, or in PreEnqueue: earlier events were known when that began. */
  begun: number
  /** Asleep: how many events there had been when its last attempt began. */
  knows: number
  /** In flight: the last change of the pod itself that came meanwhile. */
  changed: ClusterEvent | undefined
}

export interface SchedulingQueueOptions {
  readonly clock: Clock
  readonly initialBackoffMs: number
  readonly maxBackoffMs: number
  /** QueueSort: whether the first is tried before the second. */
  readonly before: (a: Queued, b: Queued) => boolean
  readonly gate: (pod: PodInfo) => Later<Gate | undefined>
  /** The events that may wake a pod, by the hints of the plugins that rejected it; `any` when a plugin has none. */
  readonly wokenBy: (pod: QueuedPod) => readonly EventKey[] | 'any'
  /** A pod came into a queue, and why, as `scheduler_queue_incoming_pods_total` names both. */
  readonly entered?: (queue: EnteredQueue, why: string) => void
  /** Whether an event may let this pod be placed, by those hints. */
  readonly worthTrying: (pod: QueuedPod, event: ClusterEvent) => Later<boolean>
}

/** Pods behind a gate are counted with the unschedulable ones. */
export type EnteredQueue = 'active' | 'backoff' | 'unschedulable'

/** Reasons to enter a queue that are no events of the cluster, in kube-scheduler's words. */
const NEW = 'UnschedulablePodAdd'
const FAILED = 'ScheduleAttemptFailure'
const WAITED = 'BackoffComplete'
const POPPED = 'PopFromBackoffQ'
const FLUSHED = 'UnschedulableTimeout'
const ACTIVATED = 'ForceActivate'

/** Pods that nothing woke are tried again after this long. */
const MAX_UNSCHEDULABLE_MS = 5 * 60_000
const FLUSH_EVERY_MS = 30_000

/**
 * Pods that wait: active ones by priority and age, those in back-off until their time is up (or nothing else is to be done), and those
 * that are known not to fit until an event may have changed that. An event costs the pods that it may wake, not the pods that wait.
 */
export class SchedulingQueue {
  readonly #options: SchedulingQueueOptions
  readonly #pods = new Map<string, QueuedPod>()
  readonly #active: Heap<QueuedPod>
  readonly #backoff: Heap<QueuedPod>
  readonly #unschedulable = new Set<QueuedPod>()
  /** Of these, those that the periodic flush retries, each in the order of `since` and of `knows`. */
  readonly #asleep = new Set<QueuedPod>()
  readonly #asleepToAny = new Set<QueuedPod>()
  readonly #gateFailed = new Set<QueuedPod>()
  /** How many events there were. */
  #events = 0
  #named: { readonly event: ClusterEvent; readonly name: string } | undefined
  /** Unschedulable pods by the events that may wake them. */
  readonly #wokenBy = new Map<EventKey | 'any', Set<QueuedPod>>()
  readonly #log = new EventLog()
  readonly #arrived = new Signal()
  #serial = 0
  #backoffTimer: { at: number; cancel: Cancel } | undefined
  #flushTimer: Cancel = () => {}

  constructor(options: SchedulingQueueOptions) {
    this.#options = options
    this.#active = new Heap<QueuedPod>(options.before)
    this.#backoff = new Heap<QueuedPod>(
      (a, b) => this.#window(a) - this.#window(b) < 0 || (this.#window(a) === this.#window(b) && options.before(a, b)),
    )
  }

  /** How many pods wait, by queue. */
  get sizes(): { active: number; backoff: number; unschedulable: number } {
    return { active: this.#active.size, backoff: this.#backoff.size, unschedulable: this.#unschedulable.size }
  }

  /** How many of the unschedulable ones are kept out by a gate. */
  get gated(): number {
    return this.#unschedulable.values().reduce((sum, pod) => (pod.gate === undefined ? sum : sum + 1), 0)
  }

  /** Waiting pods whose last attempt failed, with the plugins that turned them down. */
  *turnedDown(): Generator<QueuedPod> {
    for (const pod of this.#pods.values()) if (pod.place !== 'in-flight' && pod.plugins.size > 0) yield pod
  }

  get(key: string): QueuedPod | undefined {
    return this.#pods.get(key)
  }

  /** Pods that wait or are in flight, in the order of their arrival, at most so many; `report` gets when their wait after failures ends. */
  list<T>(most: number, report: (pod: QueuedPod, readyAt: number) => T): readonly T[] {
    return [
      ...this.#pods
        .values()
        .take(most)
        .map((pod) => report(pod, this.#readyAt(pod))),
    ]
  }

  /** A pod that was not known, or comes back as it is now. */
  add(info: PodInfo): void {
    this.remove(info.key)
    const fresh: QueuedPod = {
      info,
      serial: this.#serial++,
      attempts: 0,
      unschedulable: 0,
      errors: 0,
      since: this.#options.clock.now(),
      triableSince: undefined,
      flushed: false,
      plugins: new Set(),
      gate: undefined,
      place: 'unschedulable',
      wokenBy: NOWHERE,
      begun: 0,
      knows: 0,
      changed: undefined,
    }
    this.#pods.set(info.key, fresh)
    this.#enter(fresh, NEW)
  }

  /** The pod itself changed while it waits. */
  update(info: PodInfo, old: PodInfo): void {
    const known = this.#pods.get(info.key)
    if (known === undefined) {
      this.add(info)
      return
    }
    const event: ClusterEvent = { kind: 'pod-updated', pod: info.pod, oldPod: old.pod }
    if (known.place === 'active') {
      this.#active.delete(known)
      known.info = info
      this.#active.push(known)
      return
    }
    known.info = info
    if (known.place === 'in-flight') known.changed = event
    if (known.place !== 'unschedulable') return
    if (known.gate !== undefined) this.#requeue(known, this.#nameOf(event))
    else this.#wakeIf(known, event)
  }

  /** A change of the pod that concerns only plugins which read everything, for example its status. */
  refresh(info: PodInfo): void {
    const known = this.#pods.get(info.key)
    if (known === undefined || known.place === 'active') return
    const old = known.info
    known.info = info
    if (known.place === 'unschedulable' && this.#isWokenByAny(known)) {
      this.#wakeIf(known, { kind: 'pod-updated', pod: info.pod, oldPod: old.pod })
    }
  }

  /** Ends a pod's wait for an event. One in back-off, active or in flight is left alone. */
  activate(key: string): void {
    const known = this.#pods.get(key)
    if (known?.place === 'unschedulable') this.#requeue(known, ACTIVATED)
  }

  remove(key: string): void {
    const known = this.#pods.get(key)
    if (known === undefined) return
    this.#pods.delete(key)
    if (known.place === 'in-flight' || known.place === 'asking') this.#log.end(known.begun)
    this.#active.delete(known)
    this.#backoff.delete(known)
    this.#unpark(known)
  }

  /** The next pod to schedule; one in back-off if no other is active. Its state is then `in-flight`. */
  pop(): QueuedPod | undefined {
    const next = this.#active.pop() ?? this.#popBackoff()
    if (next === undefined) return undefined
    next.place = 'in-flight'
    next.begun = this.#log.begin()
    next.knows = this.#events
    next.changed = undefined
    next.attempts++
    return next
  }

  /** The attempt failed. An unschedulable pod waits for an event, a pod that met an error only for its time. */
  failed(pod: QueuedPod, why: { readonly plugins: ReadonlySet<string>; readonly error: boolean }): void {
    if (this.#pods.get(pod.info.key) !== pod || pod.place !== 'in-flight') return
    pod.since = this.#options.clock.now()
    pod.flushed = false
    pod.plugins = why.plugins
    const missed = this.#log.since(pod.begun)
    this.#log.end(pod.begun)
    if (why.error) {
      pod.errors++
      pod.unschedulable = 0
      this.#toBackoff(pod, FAILED)
      return
    }
    pod.unschedulable++
    pod.errors = 0
    this.#park(pod, FAILED)
    this.#catchUp(pod, missed === undefined || pod.changed === undefined ? missed : [...missed, pod.changed])
  }

  /** Events during its attempt, or during PreEnqueue, may already have made it schedulable. */
  #catchUp(pod: QueuedPod, missed: readonly ClusterEvent[] | undefined): void {
    if (missed === undefined) {
      this.#requeue(pod, FAILED)
      return
    }
    for (const event of missed) {
      if (pod.place !== 'unschedulable') return
      this.#wakeIf(pod, event)
    }
  }

  /** Wakes the pod if the event is worth a try; a hint that is late and fails counts as positive. */
  #wakeIf(pod: QueuedPod, event: ClusterEvent): void {
    const worth = this.#options.worthTrying(pod, event)
    if (worth === true) this.#requeue(pod, this.#nameOf(event))
    if (!(worth instanceof Promise)) return
    const wake = () => {
      if (this.#unschedulable.has(pod)) this.#requeue(pod, this.#nameOf(event))
    }
    worth.then((good) => {
      if (good) wake()
    }, wake)
  }

  /** The name of an event, which is found once for all pods that it wakes. */
  #nameOf(event: ClusterEvent): string {
    if (this.#named?.event !== event) this.#named = { event, name: eventLabel(event) }
    return this.#named.name
  }

  /** Wakes the pods for which the event may have made room. */
  event(event: ClusterEvent): void {
    this.#events++
    this.#log.add(event)
    for (const key of [eventKey(event), 'any'] as const) {
      const asleep = this.#wokenBy.get(key)
      if (asleep === undefined) continue
      for (const pod of [...asleep]) this.#wakeIf(pod, event)
    }
  }

  /** Resolves when there is something to pop, or the signal is aborted. */
  async ready(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.#active.size === 0 && !this.#poppable()) await this.#arrived.wait({ signal })
  }

  /** Starts the slow clock that tries forgotten pods again. */
  start(): Cancel {
    const tick = () => {
      for (const pod of [...this.#gateFailed, ...this.#forgotten()]) {
        pod.flushed = true
        this.#requeue(pod, FLUSHED)
      }
      // Pods that wait are tried again in their time.
      this.#flushTimer = this.#options.clock.after(FLUSH_EVERY_MS, tick, this.#unschedulable.size === 0 ? 'routine' : 'work')
    }
    this.#flushTimer = this.#options.clock.after(FLUSH_EVERY_MS, tick, 'work')
    return () => {
      this.#flushTimer()
      this.#backoffTimer?.cancel()
    }
  }

  /**
   * Pods that have waited long. A pod without any event since its attempt would be rejected again for the same reasons, unless extenders
   * took part. Costs the pods that are returned, not all that wait.
   */
  #forgotten(): readonly QueuedPod[] {
    const now = this.#options.clock.now()
    const found: QueuedPod[] = []
    for (const pod of this.#asleep) {
      if (now - pod.since <= MAX_UNSCHEDULABLE_MS || pod.knows === this.#events) break
      found.push(pod)
    }
    for (const pod of this.#asleepToAny) {
      if (now - pod.since <= MAX_UNSCHEDULABLE_MS) break
      found.push(pod)
    }
    return found
  }

  #activate(pod: QueuedPod, why: string): void {
    pod.place = 'active'
    pod.triableSince ??= this.#options.clock.monotonic()
    this.#options.entered?.('active', why)
    this.#active.push(pod)
    this.#arrived.raise()
  }

  /** Lays a pod down until something wakes it. */
  #park(pod: QueuedPod, why: string): void {
    pod.place = 'unschedulable'
    this.#options.entered?.('unschedulable', why)
    this.#unschedulable.add(pod)
    const keys = this.#options.wokenBy(pod)
    pod.wokenBy = keys === 'any' ? ANY : keys
    if (pod.gate === undefined) (keys === 'any' ? this.#asleepToAny : this.#asleep).add(pod)
    else if (pod.gate.failed === true) this.#gateFailed.add(pod)
    for (const key of pod.wokenBy) {
      const asleep = this.#wokenBy.get(key)
      if (asleep === undefined) this.#wokenBy.set(key, new Set([pod]))
      else asleep.add(pod)
    }
  }

  #unpark(pod: QueuedPod): void {
    if (!this.#unschedulable.delete(pod)) return
    for (const list of [this.#asleep, this.#asleepToAny, this.#gateFailed]) list.delete(pod)
    for (const key of pod.wokenBy) {
      const asleep = this.#wokenBy.get(key)
      if (asleep?.delete(pod) && asleep.size === 0) this.#wokenBy.delete(key)
    }
  }

  #isWokenByAny(pod: QueuedPod): boolean {
    return this.#wokenBy.get('any')?.has(pod) ?? false
  }

  /** Runs PreEnqueue; a gated pod is checked again at the events of its plugin. */
  #enter(pod: QueuedPod, why: string): void {
    const gate = this.#options.gate(pod.info)
    if (gate instanceof Promise) this.#enterLate(pod, gate, why)
    else this.#decide(pod, gate, why)
  }

  #enterLate(pod: QueuedPod, gate: Promise<Gate | undefined>, why: string): void {
    const { info } = pod
    pod.place = 'asking'
    pod.begun = this.#log.begin()
    const answered = (found: Gate | undefined) => {
      if (this.#pods.get(info.key) !== pod || pod.place !== 'asking') return
      const missed = this.#log.since(pod.begun)
      this.#log.end(pod.begun)
      // The pod has changed meanwhile: the result was for its old version.
      if (pod.info !== info) this.#enter(pod, why)
      else this.#decide(pod, found, why)
      if (this.#unschedulable.has(pod)) this.#catchUp(pod, missed)
    }
    gate.then(answered, (error) => answered({ plugin: '', message: messageOf(error), failed: true }))
  }

  #decide(pod: QueuedPod, gate: Gate | undefined, why: string): void {
    pod.gate = gate
    if (gate !== undefined) {
      pod.plugins = new Set([gate.plugin])
      this.#park(pod, why)
    } else if (this.#readyAt(pod) <= this.#options.clock.now()) this.#activate(pod, why)
    else this.#toBackoff(pod, why)
  }

  #requeue(pod: QueuedPod, why: string): void {
    this.#unpark(pod)
    this.#enter(pod, why)
  }

  #toBackoff(pod: QueuedPod, why: string): void {
    pod.place = 'back-off'
    this.#options.entered?.('backoff', why)
    this.#backoff.push(pod)
    this.#arm()
    this.#arrived.raise()
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
    this.#options.entered?.('active', POPPED)
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
    const cancel = this.#options.clock.after(Math.max(0, at - now), () => this.#activateDue(), 'work')
    this.#backoffTimer = { at, cancel }
  }

  #activateDue(): void {
    this.#backoffTimer = undefined
    const now = this.#options.clock.now()
    for (let due = this.#backoff.peek(); due !== undefined && this.#readyAt(due) <= now; due = this.#backoff.peek()) {
      this.#backoff.delete(due)
      this.#activate(due, WAITED)
    }
    this.#arm()
  }
}

const ANY: readonly 'any'[] = ['any']
const NOWHERE: readonly EventKey[] = []
