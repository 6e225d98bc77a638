import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import { ServerMetrics } from './server-metrics.ts'

/** The lines of a scrape that begin with the name of a metric. */
const scrape = async (metrics: ServerMetrics, name: string) =>
  (await metrics.text()).split('\n').filter((line) => line.startsWith(name) && !line.startsWith(`${name}_`))

const rows: readonly (readonly [what: string, count: (metrics: ServerMetrics) => void, name: string, lines: readonly string[]])[] = [
  ['no failed handshakes', () => {}, 'apiserver_tls_handshake_errors_total', ['apiserver_tls_handshake_errors_total 0']],
  [
    'failed handshakes',
    (m) => [m.handshakeFailed(), m.handshakeFailed()],
    'apiserver_tls_handshake_errors_total',
    ['apiserver_tls_handshake_errors_total 2'],
  ],
  [
    'requests that run, reads apart from writes',
    (m) => [m.enter('GET'), m.enter('HEAD'), m.enter('POST'), m.enter('DELETE')()],
    'apiserver_current_inflight_requests',
    ['apiserver_current_inflight_requests{request_kind="mutating"} 1', 'apiserver_current_inflight_requests{request_kind="readOnly"} 2'],
  ],
  [
    'authentications by their result',
    (m) => [m.authenticated('success', 0.003, 'ann'), m.authenticated('failure', 1), m.authenticated('failure', 1)],
    'authentication_attempts',
    ['authentication_attempts{result="success"} 1', 'authentication_attempts{result="failure"} 2'],
  ],
  [
    'authorizations by their result',
    (m) => [m.authorized('denied', 1), m.authorized('allowed', 1), m.authorized('denied', 1)],
    'authorization_attempts_total',
    ['authorization_attempts_total{result="denied"} 2', 'authorization_attempts_total{result="allowed"} 1'],
  ],
  [
    'events that an audit backend lost',
    (m) => [m.auditLost('webhook', 3), m.auditLost('webhook', 2)],
    'apiserver_audit_error_total',
    ['apiserver_audit_error_total{plugin="webhook"} 5'],
  ],
  [
    'metrics of other parts',
    (m) => m.add(() => [{ name: 'own_total', type: 'counter', help: 'Own.', samples: [['', 7]] }]),
    'own_total',
    ['own_total 7'],
  ],
]
for (const [what, count, name, lines] of rows)
  test(`metrics: ${what}`, async () => {
    const metrics = new ServerMetrics(new VirtualClock(0))
    count(metrics)
    assert.deepEqual(await scrape(metrics, name), lines)
  })
