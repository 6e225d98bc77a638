import type { Clock } from '../../base/clock.ts'
import { exponentialBounds, expositionInSteps, type Family, labels } from '../../base/exposition.ts'
import { MetricSet } from '../../base/metrics.ts'
import { inTurns, type Later } from '../../base/steps.ts'
import { monitorTurns, type TurnMonitor } from '../../base/turn-monitor.ts'
import type { AuditBackend } from '../audit/audit-backend.ts'
import { AdmissionTimes } from './admission-times.ts'
import { PolicyCounts } from './policy-counts.ts'
import { RequestCounts } from './request-counts.ts'
import { WebhookCounts } from './webhook-counts.ts'

/** From a millisecond to half a minute. */
const CHECK_SECONDS = exponentialBounds(0.001, 2, 15)

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
  readonly #metrics = new MetricSet()
  readonly #authentications = this.#metrics.counter({
    name: 'authentication_attempts',
    help: 'How recognising the sender ended.',
    labels: ['result'],
  })
  readonly #users = this.#metrics.counter({
    name: 'authenticated_user_requests',
    help: 'Requests by what kind of user sent them.',
    labels: ['username'],
  })
  readonly #authorizations = this.#metrics.counter({
    name: 'authorization_attempts_total',
    help: 'Whether senders were allowed what they asked for.',
    labels: ['result'],
  })
  readonly #authenticationSeconds = this.#metrics.histogram({
    name: 'authentication_duration_seconds',
    help: 'How long recognising the sender took.',
    labels: ['result'],
    bounds: CHECK_SECONDS,
  })
  readonly #authorizationSeconds = this.#metrics.histogram({
    name: 'authorization_duration_seconds',
    help: 'How long deciding whether the sender may took.',
    labels: ['result'],
    bounds: CHECK_SECONDS,
  })
  readonly #handshakeErrors = this.#metrics.counter({
    name: 'apiserver_tls_handshake_errors_total',
    help: 'Connections that ended before their TLS handshake had.',
  })
  readonly #auditEvents = this.#metrics.counter({ name: 'apiserver_audit_event_total', help: 'Events written to the audit log.' })
  readonly #auditLost = this.#metrics.counter({
    name: 'apiserver_audit_error_total',
    help: 'Events that a backend of the audit log lost.',
    labels: ['plugin'],
  })
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
    this.#handshakeErrors.add()
  }

  /** `name` is undefined if the user is unknown. */
  authenticated(result: 'success' | 'failure' | 'error', seconds: number, name?: string): void {
    this.#authentications.add([result])
    this.#authenticationSeconds.observe(seconds, [result])
    if (name !== undefined) this.#users.add([kindOfUser(name)])
  }

  authorized(result: 'allowed' | 'denied' | 'no-opinion' | 'error', seconds: number): void {
    this.#authorizations.add([result])
    this.#authorizationSeconds.observe(seconds, [result])
  }

  /** The same backend, with its events counted. */
  audited(backend: AuditBackend): AuditBackend {
    return {
      process: (events) => {
        this.#auditEvents.add([], events.length)
        return backend.process(events)
      },
      [Symbol.asyncDispose]: () => backend[Symbol.asyncDispose](),
    }
  }

  /** Counts events that an audit backend lost. */
  auditLost(backend: string, events: number): void {
    this.#auditLost.add([backend], events)
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
    return (await inTurns(expositionInSteps(own))) + (await processMetrics())
  }

  #families(): Family[] {
    const turns = this.#turns
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
      ...this.#metrics.families(),
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
    ]
  }
}

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
