import type { Review } from '../../apiserver/extension-points.ts'
import type { Clock } from '../../base/clock.ts'
import { StatusError } from '../../machinery/status-error.ts'
import type { ControllerReport } from '../../resources/bowsprit/controller-report.ts'

/** A report that does not come again is forgotten after this time, in milliseconds. */
const KEPT_MS = 15_000
/** Reports of operators, and bytes of each. */
const MOST_REPORTS = 200
const MOST_BYTES = 128 * 1024

/** A report need not have all counts. */
const NO_COUNTS = { workers: 1, working: 0, waiting: 0, delayed: 0, failing: 0, reconciled: 0, failed: 0 }

interface Published {
  readonly report: ControllerReport
  readonly untilMs: number
}

/** Reports that operators create about their controllers, for some seconds. */
export class PublishedReports {
  readonly #clock: Clock
  readonly #published = new Map<string, Published>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Takes a report: a create of `controllerreports`. The component is the user, whatever the report says. */
  readonly take: Review<ControllerReport> = ({ input, user, dryRun }) => {
    const { name = '' } = input.metadata
    if (name === '') throw new StatusError({ code: 422, reason: 'Invalid', message: 'a controller has a name: metadata.name is required' })
    const bytes = JSON.stringify(input).length
    if (bytes > MOST_BYTES) {
      const message = `a report has ${MOST_BYTES} characters at most, this one ${bytes}`
      throw new StatusError({ code: 413, reason: 'RequestEntityTooLarge', message })
    }
    if (!dryRun) this.#keep({ ...NO_COUNTS, ...input, metadata: { name }, component: user.name })
    return Promise.resolve(input)
  }

  /** Those that operators have created lately, but those of `own` controllers. */
  besides(own: readonly ControllerReport[]): readonly ControllerReport[] {
    const names = new Set(own.map(({ metadata }) => metadata.name))
    this.#forget()
    return Array.from(this.#published.values(), ({ report }) => report).filter(({ metadata }) => !names.has(metadata.name))
  }

  #keep(report: ControllerReport): void {
    const { name = '' } = report.metadata
    this.#forget()
    this.#published.delete(name)
    if (this.#published.size >= MOST_REPORTS) this.#published.delete(this.#published.keys().next().value ?? '')
    this.#published.set(name, { report, untilMs: this.#clock.monotonic() + KEPT_MS })
  }

  #forget(): void {
    const nowMs = this.#clock.monotonic()
    for (const [name, { untilMs }] of this.#published) if (untilMs <= nowMs) this.#published.delete(name)
  }
}
