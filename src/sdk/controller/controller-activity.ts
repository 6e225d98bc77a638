import type { Clock } from '../../base/clock.ts'
import { messageOf } from '../../base/message-of.ts'
import type { PlannedStep } from '../../resources/bowsprit/controller-report.ts'
import type { NotedWrite } from '../client/create-client.ts'
import { QueueMetrics } from './queue-metrics.ts'
import type { WorkQueue } from './work-queue.ts'

/** The last reconciliations that are kept of each controller, and the writes and the steps of the plan of each. */
const MOST_RECENT = 20
const MOST_WRITES = 10
/** Keys whose last error is kept. */
const MOST_FAILING = 1000

/** One call of a reconciler. */
export interface Reconciliation {
  readonly key: string
  /** The resourceVersion of the event for which the key was put in; undefined: it came by time, or after a failure. */
  readonly revision: string | undefined
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number
  /** Undefined while it runs. */
  tookMs: number | undefined
  error: string | undefined
  readonly plan: PlannedStep[]
  readonly writes: NotedWrite[]
  /** Steps and writes beyond the bound. */
  unlisted: number
}

/** A reconciliation that runs. */
export interface BegunReconciliation {
  readonly note: (write: NotedWrite) => void
  /** A step of what is to be done. */
  readonly planned: (step: PlannedStep) => void
  /** `error`: why the key is tried again. */
  end(error: unknown): void
}

/** What is known of a controller from its start. */
export interface OpenedController {
  readonly name: string
  readonly queue: WorkQueue
  readonly workers: number
}

/** What one controller has done lately, and what fails. */
export class ControllerActivity implements OpenedController {
  readonly name: string
  readonly queue: WorkQueue
  readonly workers: number
  reconciled = 0
  failed = 0
  readonly metrics: QueueMetrics
  /** The last errors, by key. */
  readonly errors = new Map<string, string>()
  /** The latest last. */
  readonly recent: Reconciliation[] = []
  readonly #clock: Clock
  readonly #close: () => void

  constructor({ name, queue, workers }: OpenedController, clock: Clock, close: () => void) {
    this.name = name
    this.queue = queue
    this.workers = workers
    this.#clock = clock
    this.#close = close
    this.metrics = new QueueMetrics(clock)
    queue.observe(this.metrics)
  }

  begin(key: string, revision: string | undefined): BegunReconciliation {
    const startedMs = this.#clock.monotonic()
    const one: Reconciliation = {
      key,
      revision,
      startedAt: this.#clock.now(),
      tookMs: undefined,
      error: undefined,
      plan: [],
      writes: [],
      unlisted: 0,
    }
    this.recent.push(one)
    if (this.recent.length > MOST_RECENT) this.recent.shift()
    this.metrics.begin(key)
    const put = <T>(list: T[], item: T) => {
      if (list.length < MOST_WRITES) list.push(item)
      else one.unlisted++
    }
    return {
      note: (write) => put(one.writes, write),
      planned: (step) => put(one.plan, step),
      end: (error) => this.#end(one, error, this.#clock.monotonic() - startedMs),
    }
  }

  #end(one: Reconciliation, error: unknown, tookMs: number): void {
    one.tookMs = tookMs
    this.metrics.end(one.key)
    this.reconciled++
    this.errors.delete(one.key)
    if (error === undefined) return
    this.failed++
    one.error = messageOf(error)
    this.errors.set(one.key, one.error)
    if (this.errors.size > MOST_FAILING) this.errors.delete(this.errors.keys().next().value ?? '')
  }

  [Symbol.dispose](): void {
    this.#close()
  }
}

/** The controllers that run in this process, by name. */
export class ControllerActivities {
  readonly #clock: Clock
  readonly #open = new Map<string, ControllerActivity>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The controller is listed until the result is disposed of; one whose name is taken gets a number. */
  open(controller: OpenedController): ControllerActivity {
    let { name } = controller
    for (let i = 2; this.#open.has(name); i++) name = `${controller.name}-${i}`
    const activity = new ControllerActivity({ ...controller, name }, this.#clock, () => this.#open.delete(name))
    this.#open.set(name, activity)
    return activity
  }

  list(): readonly ControllerActivity[] {
    return [...this.#open.values()]
  }
}
