import type { Clock } from '../../base/clock.ts'
import { exposition, type Family, Histogram, labels, type Sample } from '../../base/exposition.ts'
import type { Later } from '../../base/steps.ts'
import { monitorTurns, type TurnMonitor } from '../../base/turn-monitor.ts'
import type { AuditBackend } from '../audit/audit-backend.ts'
import { AdmissionTimes } from './admission-times.ts'
import { PolicyCounts } from './policy-counts.ts'
import { RequestCounts } from './request-counts.ts'
import { WebhookCounts } from './webhook-counts.ts'

/** Metrics of another part, read at each scrape. */
export type MetricsSource = () => Later<readonly Family[]>

/**
 * The server's own metrics, under the names that Kubernetes' dashboards use. Counting is a few additions in memory; everything else is
 * computed at a scrape.
 */
export class ServerMetrics {
  readonly requests = new RequestCounts()
  readonly webhooks = new WebhookCounts()
  readonly policies = new PolicyCounts()
  readonly admission: AdmissionTimes
  /** Running requests, without long-running ones. */
  readonly inflight = { mutating: 0, readOnly: 0 }
  readonly #readOver = () => {
    this.inflight.readOnly--
  }
  readonly #writeOver = () => {
    this.inflight.mutating--
  }
  readonly #authentications = new Map<string, number>()
  readonly #users = new Map<string, number>()
  readonly #authorizations = new Map<string, number>()
  readonly #authenticationSeconds = new Map<string, Histogram>()
  readonly #authorizationSeconds = new Map<string, Histogram>()
  #handshakeErrors = 0
  #auditEvents = 0
  readonly #auditLost = new Map<string, number>()
  readonly #sources: MetricsSource[] = []
  #turns: TurnMonitor | undefined

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.admission = new AdmissionTimes(() => clock.monotonic())
  }

  /** Measures turns of the event loop until the result is disposed of: `bowsprit_event_loop_*`. */
  watchTurns(): Disposable {
    const turns = monitorTurns()
    this.#turns = turns
    return turns
  }

  add(source: MetricsSource): void {
    this.#sources.push(source)
  }

  /** Counts a running request until the result is called. */
  enter(method: string): () => void {
    const kind = method === 'GET' || method === 'HEAD' ? 'readOnly' : 'mutating'
    this.inflight[kind]++
    return kind === 'readOnly' ? this.#readOver : this.#writeOver
  }

  /** A connection ended before its TLS handshake had. */
  handshakeFailed(): void {
    this.#handshakeErrors++
  }

  /** `name` is undefined if the user is unknown. */
  authenticated(result: 'success' | 'failure' | 'error', seconds: number, name?: string): void {
    bump(this.#authentications, result)
    observe(this.#authenticationSeconds, result, seconds)
    if (name !== undefined) bump(this.#users, kindOfUser(name))
  }

  authorized(result: 'allowed' | 'denied' | 'no-opinion' | 'error', seconds: number): void {
    bump(this.#authorizations, result)
    observe(this.#authorizationSeconds, result, seconds)
  }

  /** The same backend, with its events counted. */
  audited(backend: AuditBackend): AuditBackend {
    return {
      process: (events) => {
        this.#auditEvents += events.length
        return backend.process(events)
      },
      [Symbol.asyncDispose]: () => backend[Symbol.asyncDispose](),
    }
  }

  /** Counts events that an audit backend lost. */
  auditLost(backend: string, events: number): void {
    this.#auditLost.set(backend, (this.#auditLost.get(backend) ?? 0) + events)
  }

  /** All metrics in Prometheus' text format. */
  async text(): Promise<string> {
    const own = [
      ...this.requests.families(),
      ...this.webhooks.families(),
      ...this.policies.families(),
      ...this.admission.families(),
      ...this.#families(),
      ...(await Promise.all(this.#sources.map((source) => source()))).flat(),
    ]
    return exposition(own) + (await processMetrics())
  }

  #families(): Family[] {
    const turns = this.#turns
    const simple = (values: ReadonlyMap<string, number>, name: string) =>
      [...values].map(([value, n]): Sample => [labels({ [name]: value }), n])
    return [
      {
        name: 'apiserver_current_inflight_requests',
        type: 'gauge',
        help: 'Requests that run now, streams aside.',
        samples: [
          [labels({ request_kind: 'mutating' }), this.inflight.mutating],
          [labels({ request_kind: 'readOnly' }), this.inflight.readOnly],
        ],
      },
      {
        name: 'apiserver_tls_handshake_errors_total',
        type: 'counter',
        help: 'Connections that ended before their TLS handshake had.',
        samples: [['', this.#handshakeErrors]],
      },
      {
        name: 'authentication_attempts',
        type: 'counter',
        help: 'How recognising the sender ended.',
        samples: simple(this.#authentications, 'result'),
      },
      {
        name: 'authenticated_user_requests',
        type: 'counter',
        help: 'Requests by what kind of user sent them.',
        samples: simple(this.#users, 'username'),
      },
      {
        name: 'authorization_attempts_total',
        type: 'counter',
        help: 'Whether senders were allowed what they asked for.',
        samples: simple(this.#authorizations, 'result'),
      },
      {
        name: 'authentication_duration_seconds',
        type: 'histogram',
        help: 'How long recognising the sender took.',
        samples: timings(this.#authenticationSeconds),
      },
      {
        name: 'authorization_duration_seconds',
        type: 'histogram',
        help: 'How long deciding whether the sender may took.',
        samples: timings(this.#authorizationSeconds),
      },
      {
        name: 'bowsprit_event_loop_longest_turn_seconds',
        type: 'gauge',
        help: 'The longest time since the start for which the event loop did not turn.',
        samples: turns === undefined ? [] : [['', turns.longestMs / 1000]],
      },
      {
        name: 'bowsprit_event_loop_longest_turn_cpu_seconds',
        type: 'gauge',
        help: 'The same in processor time: what the server itself worked in one turn.',
        samples: turns === undefined ? [] : [['', turns.longestCpuMs / 1000]],
      },
      {
        name: 'bowsprit_event_loop_long_turns_total',
        type: 'counter',
        help: 'Turns of the event loop that were longer than 100 ms.',
        samples: turns === undefined ? [] : [['', turns.long]],
      },
      {
        name: 'apiserver_audit_event_total',
        type: 'counter',
        help: 'Events written to the audit log.',
        samples: [['', this.#auditEvents]],
      },
      {
        name: 'apiserver_audit_error_total',
        type: 'counter',
        help: 'Events that a backend of the audit log lost.',
        samples: [...this.#auditLost].map(([plugin, count]) => [labels({ plugin }), count]),
      },
    ]
  }
}

/** From a millisecond to half a minute, each twice the one before. */
const CHECK_SECONDS = Array.from({ length: 15 }, (_, i) => 0.001 * 2 ** i)

function observe(timed: Map<string, Histogram>, result: string, seconds: number): void {
  let histogram = timed.get(result)
  if (histogram === undefined) {
    histogram = new Histogram(CHECK_SECONDS)
    timed.set(result, histogram)
  }
  histogram.observe(seconds)
}

const timings = (timed: ReadonlyMap<string, Histogram>) => [...timed].map(([result, histogram]): Sample => [labels({ result }), histogram])

const bump = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1)

const KNOWN_USERS = new Set(['admin', 'client', 'kube_proxy', 'kubelet', 'system:serviceaccount:kube-system:default'])

/** User names are unbounded, so they are counted by kind. */
const kindOfUser = (name: string): string => (KNOWN_USERS.has(name) ? name : name.includes('@') ? 'email_id' : 'other')

let loading: Promise<() => Promise<string>> | undefined

/** Process metrics (`process_*`, `nodejs_*`); their code is loaded by the first scrape. */
async function processMetrics(): Promise<string> {
  // The package is CommonJS: in the bundle it has a default export alone.
  loading ??= import('prom-client').then(({ default: { collectDefaultMetrics, Registry } }) => {
    const register = new Registry()
    collectDefaultMetrics({ register })
    return () => register.metrics()
  })
  return (await loading)()
}
