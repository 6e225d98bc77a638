import { exponentialBounds, type Family, labels, type Sample } from '../base/exposition.ts'
import { gauge, MetricSet } from '../base/metrics.ts'
import type { ExtensionPoint, PointStatus } from './framework/extension-point-times.ts'
import type { EnteredQueue, QueuedPod } from './queue/scheduling-queue.ts'

/** How an attempt ended, in kube-scheduler's words. */
export type AttemptResult = 'scheduled' | 'unschedulable' | 'error'

/** What is read when the metrics are asked for. */
export interface SchedulerState {
  /** Pods by where they wait; `gated` ones are not among the `unschedulable`. */
  readonly pending: Readonly<Record<'active' | 'backoff' | 'unschedulable' | 'gated', number>>
  readonly cache: Readonly<Record<'assumed_pods' | 'nodes' | 'pods', number>>
  /** Waiting pods whose last attempt failed. */
  readonly turnedDown: Iterable<{ readonly profile: string; readonly plugins: QueuedPod['plugins'] }>
}

export interface EndedAttempt {
  readonly profile: string
  readonly result: AttemptResult
  readonly seconds: number
  /** How many attempts the pod has had, this one included. */
  readonly number: number
  /** For how long the pod could be tried. */
  readonly sinceTriable: number
  /** It was tried because nothing had woken it for long. */
  readonly flushed: boolean
}

const STABLE = { stability: 'STABLE' } as const
const BETA = { stability: 'BETA' } as const
/** From 1 ms to 16 s. */
const SECONDS = exponentialBounds(0.001, 2, 15)
/** More attempts than these share a label. */
const MOST_ATTEMPTS = 15

/** Counts what the scheduler does, for `scheduler_*`. */
export class SchedulerMetrics {
  readonly #metrics = new MetricSet()
  readonly #attempts = this.#metrics.counter({
    name: 'scheduler_schedule_attempts_total',
    help: 'Attempts by how they ended.',
    labels: ['profile', 'result'],
    ...STABLE,
  })
  readonly #attemptSeconds = this.#metrics.histogram({
    name: 'scheduler_scheduling_attempt_duration_seconds',
    help: 'How long attempts took, with binding.',
    labels: ['profile', 'result'],
    bounds: SECONDS,
    ...STABLE,
  })
  readonly #untilScheduled = this.#metrics.histogram({
    name: 'scheduler_pod_scheduling_attempts',
    help: 'Attempts until a pod had a node.',
    bounds: exponentialBounds(1, 2, 5),
    ...STABLE,
  })
  readonly #sliSeconds = this.#metrics.histogram({
    name: 'scheduler_pod_scheduling_sli_duration_seconds',
    help: 'From when a pod could be tried until it had a node, over all attempts.',
    labels: ['attempts'],
    bounds: exponentialBounds(0.01, 2, 20),
    ...BETA,
  })
  readonly #algorithmSeconds = this.#metrics.histogram({
    name: 'scheduler_scheduling_algorithm_duration_seconds',
    help: 'How long it took to find a node, or that there is none.',
    bounds: SECONDS,
  })
  readonly #pointSeconds = this.#metrics.histogram({
    name: 'scheduler_framework_extension_point_duration_seconds',
    help: 'How long all plugins of an extension point took. Filter contains what its plugins prepare for it (PreFilter).',
    labels: ['extension_point', 'profile', 'status'],
    bounds: exponentialBounds(0.0001, 2, 12),
    ...STABLE,
  })
  readonly #incoming = this.#metrics.counter({
    name: 'scheduler_queue_incoming_pods_total',
    help: 'Pods that came into a queue, by the queue and the reason.',
    labels: ['event', 'queue'],
    ...STABLE,
  })
  readonly #afterFlush = this.#metrics.counter({
    name: 'scheduler_pod_scheduled_after_flush_total',
    help: 'Pods that had a node when they were tried though nothing had woken them.',
  })
  readonly #preemptions = this.#metrics.counter({ name: 'scheduler_preemption_attempts_total', help: 'Searches for victims.', ...STABLE })
  readonly #victims = this.#metrics.histogram({
    name: 'scheduler_preemption_victims',
    help: 'Victims that were chosen at once.',
    bounds: exponentialBounds(1, 2, 7),
    ...STABLE,
  })

  attempted({ profile, result, seconds, number, sinceTriable, flushed }: EndedAttempt): void {
    const own = [profile, result]
    this.#attempts.add(own)
    this.#attemptSeconds.observe(seconds, own)
    if (result !== 'scheduled') return
    this.#untilScheduled.observe(number)
    this.#sliSeconds.observe(sinceTriable, [number > MOST_ATTEMPTS ? `${MOST_ATTEMPTS + 1}+` : String(number)])
    if (flushed) this.#afterFlush.add()
  }

  /** A node was searched for. */
  chosen(seconds: number): void {
    this.#algorithmSeconds.observe(seconds)
  }

  ran(point: ExtensionPoint, profile: string, status: PointStatus, seconds: number): void {
    this.#pointSeconds.observe(seconds, [point, profile, status])
  }

  entered(queue: EnteredQueue, why: string): void {
    this.#incoming.add([why, queue])
  }

  /** Victims were looked for; `found`: so many are to go. */
  preempted(found: number | undefined): void {
    this.#preemptions.add()
    if (found !== undefined) this.#victims.observe(found)
  }

  families({ pending, cache, turnedDown }: SchedulerState): Family[] {
    const by = (name: string, values: Readonly<Record<string, number>>) =>
      Object.entries(values).map(([value, n]): Sample => [labels({ [name]: value }), n])
    return [
      ...this.#metrics.families(),
      gauge({ name: 'scheduler_pending_pods', help: 'Pods that wait, by queue.', ...STABLE }, by('queue', pending)),
      gauge({ name: 'scheduler_cache_size', help: 'Nodes, pods and assumed pods that are known.' }, by('type', cache)),
      gauge({ name: 'scheduler_unschedulable_pods', help: 'Waiting pods by the plugins that turned them down.' }, countPlugins(turnedDown)),
    ]
  }
}

function countPlugins(pods: SchedulerState['turnedDown']): Sample[] {
  const counts = new Map<string, number>()
  for (const { profile, plugins } of pods)
    for (const plugin of plugins) {
      const key = labels({ plugin, profile })
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
  return [...counts]
}
