import type { Clock } from '../../base/clock.ts'
import { exponentialBounds, type Family, Histogram, label, type Sample } from '../../base/exposition.ts'
import type { QueueObserver } from './work-queue.ts'

/** From 10 ns to 10 s, as client-go counts. */
const SECONDS = exponentialBounds(1e-8, 10, 10)

/** What happened to the keys of one queue, for `workqueue_*`. */
export class QueueMetrics implements QueueObserver {
  depthNow = 0
  adds = 0
  retries = 0
  readonly waits = new Histogram(SECONDS)
  readonly works = new Histogram(SECONDS)
  readonly #clock: Pick<Clock, 'monotonic'>
  /** Since when keys are worked on, by their key. */
  readonly #working = new Map<string, number>()

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock
  }

  depth(keys: number): void {
    this.depthNow = keys
  }

  added(): void {
    this.adds++
  }

  retried(): void {
    this.retries++
  }

  taken(waitedMs: number): void {
    this.waits.observe(waitedMs / 1000)
  }

  worked(workedMs: number): void {
    this.works.observe(workedMs / 1000)
  }

  /** A key is worked on from now. */
  begin(key: string): void {
    this.#working.set(key, this.#clock.monotonic())
  }

  end(key: string): void {
    this.#working.delete(key)
  }

  /** How long the keys that are worked on have been. */
  workingSeconds(): number[] {
    const now = this.#clock.monotonic()
    return [...this.#working.values()].map((since) => (now - since) / 1000)
  }
}

/** The metrics of queues by name, under client-go's names. */
export function workQueueFamilies(queues: readonly { readonly name: string; readonly metrics: QueueMetrics }[]): Family[] {
  const family = (name: string, type: Family['type'], help: string, value: (metrics: QueueMetrics) => Sample[1]): Family => ({
    name: `workqueue_${name}`,
    type,
    help,
    samples: queues.map((queue): Sample => [label('name', queue.name), value(queue.metrics)]),
  })
  return [
    family('depth', 'gauge', 'Keys that wait.', (m) => m.depthNow),
    family('adds_total', 'counter', 'Keys that were put in.', (m) => m.adds),
    family('retries_total', 'counter', 'Keys that failed and came again.', (m) => m.retries),
    family('queue_duration_seconds', 'histogram', 'How long keys waited.', (m) => m.waits),
    family('work_duration_seconds', 'histogram', 'How long keys were worked on.', (m) => m.works),
    family('unfinished_work_seconds', 'gauge', 'How long the present keys have been worked on, together.', (m) =>
      m.workingSeconds().reduce((sum, seconds) => sum + seconds, 0),
    ),
    family('longest_running_processor_seconds', 'gauge', 'How long the oldest of them has been worked on.', (m) =>
      Math.max(0, ...m.workingSeconds()),
    ),
  ]
}
