import { type Family, Histogram, labels, type Sample } from '../../base/exposition.ts'

const SECONDS = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30]

/** Counts of the requests of one flow schema at one priority level. */
class SchemaCounts {
  dispatched = 0
  /** Requests that run now, and that wait now; each takes one seat. */
  executing = 0
  waiting = 0
  readonly rejected = new Map<string, number>()
  readonly waited = { true: new Histogram(SECONDS), false: new Histogram(SECONDS) }
  readonly executed = new Histogram(SECONDS)
}

/** Counts of the requests of flow control, by priority level and flow schema. */
export class FlowCounts {
  readonly #levels = new Map<string, Map<string, SchemaCounts>>()

  #of(level: string, schema: string): SchemaCounts {
    const schemas = this.#levels.get(level) ?? new Map<string, SchemaCounts>()
    const counts = schemas.get(schema) ?? new SchemaCounts()
    this.#levels.set(level, schemas.set(schema, counts))
    return counts
  }

  /** The request begins after a wait. Call the result with its duration. */
  dispatched(level: string, schema: string, waitedSeconds: number): (seconds: number) => void {
    const counts = this.#of(level, schema)
    counts.dispatched++
    counts.executing++
    counts.waited.true.observe(waitedSeconds)
    return (seconds) => {
      counts.executing--
      counts.executed.observe(seconds)
    }
  }

  /** The request has to wait. Call the result when it does not any more. */
  queued(level: string, schema: string): () => void {
    const counts = this.#of(level, schema)
    counts.waiting++
    return () => counts.waiting--
  }

  rejected(level: string, schema: string, reason: string, waitedSeconds: number): void {
    const { rejected, waited } = this.#of(level, schema)
    rejected.set(reason, (rejected.get(reason) ?? 0) + 1)
    waited.false.observe(waitedSeconds)
  }

  /** Drops the counts of levels that are gone. */
  retain(levels: ReadonlySet<string>): void {
    for (const level of this.#levels.keys()) if (!levels.has(level)) this.#levels.delete(level)
  }

  families(): Family[] {
    const every = (samples: (counts: SchemaCounts, own: Readonly<Record<string, string>>) => Sample[]): Sample[] =>
      [...this.#levels].flatMap(([priority_level, schemas]) =>
        [...schemas].flatMap(([flow_schema, counts]) => samples(counts, { flow_schema, priority_level })),
      )
    const gauge = (name: string, help: string, value: (counts: SchemaCounts) => number): Family => ({
      name: `apiserver_flowcontrol_${name}`,
      type: 'gauge',
      help,
      samples: every((counts, own) => [[labels(own), value(counts)]]),
    })
    return [
      gauge('current_executing_requests', 'Requests that run now.', ({ executing }) => executing),
      gauge('current_executing_seats', 'Seats that are taken now.', ({ executing }) => executing),
      gauge('request_concurrency_in_use', 'Seats that are taken now.', ({ executing }) => executing),
      gauge('current_inqueue_requests', 'Requests that wait now.', ({ waiting }) => waiting),
      gauge('current_inqueue_seats', 'Seats for which requests wait now.', ({ waiting }) => waiting),
      {
        name: 'apiserver_flowcontrol_dispatched_requests_total',
        type: 'counter',
        help: 'Requests that were let in.',
        samples: every(({ dispatched }, own) => [[labels(own), dispatched]]),
      },
      {
        name: 'apiserver_flowcontrol_rejected_requests_total',
        type: 'counter',
        help: 'Requests that were rejected with 429, or gave up waiting.',
        samples: every(({ rejected }, own) => [...rejected].map(([reason, n]): Sample => [labels({ ...own, reason }), n])),
      },
      {
        name: 'apiserver_flowcontrol_request_wait_duration_seconds',
        type: 'histogram',
        help: 'How long requests waited for a seat, and whether they got one.',
        samples: every(({ waited }, own) =>
          (['false', 'true'] as const)
            .filter((execute) => waited[execute].counts.some((n) => n > 0))
            .map((execute): Sample => [labels({ ...own, execute }), waited[execute]]),
        ),
      },
      {
        name: 'apiserver_flowcontrol_request_execution_seconds',
        type: 'histogram',
        help: 'How long requests held their seat.',
        samples: every(({ executed }, own) => [[labels({ ...own, type: 'regular' }), executed]]),
      },
    ]
  }
}
