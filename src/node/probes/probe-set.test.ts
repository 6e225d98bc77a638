import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import type { Probe } from '../../resources/types/core.ts'
import type { ContainerRecord } from '../types/container-record.ts'
import type { Container } from '../types/pod.ts'
import { type ProbeKind, ProbeSet } from './probe-set.ts'

/** Probes with these outcomes: `+` success, `-` failure, `?` error; the last one repeats. */
function setUp(container: Partial<Container>, answers: Partial<Record<ProbeKind, string>>, readyBefore: string[] = []) {
  const clock = new VirtualClock()
  const startMs = clock.now()
  const requested: string[] = []
  const reported: string[] = []
  const turns: string[] = []
  const record: ContainerRecord = {
    container: { name: 'main', image: 'app', ...container },
    role: 'main',
    state: { kind: 'running', id: 'c1', startedAtMs: startMs },
    restartCount: 0,
    started: false,
    ready: false,
  }
  const set = new ProbeSet(
    {
      clock,
      async ask(kind) {
        requested.push(`${kind}@${(clock.now() - startMs) / 1000}`)
        const text = answers[kind] ?? '+'
        const nth = requested.filter((a) => a.startsWith(kind)).length - 1
        const answer = text[Math.min(nth, text.length - 1)]
        if (answer === '?') return { kind: 'error', output: 'who knows' }
        return answer === '+' ? { kind: 'success' } : { kind: 'failure', output: 'no' }
      },
      notify: (kind, outcome) => reported.push(`${kind} ${outcome.kind}`),
      changed: () => {
        turns.push(`${(clock.now() - startMs) / 1000}`)
        set.follow([record])
      },
    },
    readyBefore,
  )
  return { clock, set, record, requested, reported, turns }
}

const every = (more: Probe = {}): Probe => ({ periodSeconds: 10, ...more })

test('a probe runs right after the initial delay, then every period', async () => {
  const { clock, set, record, requested } = setUp({ readinessProbe: every({ initialDelaySeconds: 3 }) }, {})
  set.follow([record])
  assert.equal(set.ready(record, 'c1'), false)
  await clock.advance(25_000)
  assert.deepEqual(requested, ['readiness@3', 'readiness@13', 'readiness@23'])
  assert.equal(set.ready(record, 'c1'), true)
})

test('a result changes after as many equal outcomes as the thresholds say', async () => {
  const probe = every({ periodSeconds: 1, failureThreshold: 3, successThreshold: 2 })
  const { clock, set, record, turns, reported } = setUp({ readinessProbe: probe }, { readiness: '++--+---++' })
  set.follow([record])
  await clock.advance(20_000)
  // Ready at 1 (two successes), not ready at 7 (three failures in a row), ready at 9.
  assert.deepEqual(turns, ['1', '7', '9'])
  assert.equal(reported.filter((t) => t === 'readiness failure').length, 5)
})

test('an error counts neither way, and is reported', async () => {
  const { clock, set, record, reported } = setUp({ livenessProbe: every({ periodSeconds: 1, failureThreshold: 2 }) }, { liveness: '-?-' })
  set.follow([record])
  await clock.advance(5000)
  assert.equal(set.liveness('c1'), 'failure')
  assert.deepEqual(reported, ['liveness failure', 'liveness error', 'liveness failure'])
})

test('other probes start only after the startup probe has succeeded', async () => {
  const container = { startupProbe: every({ periodSeconds: 2, failureThreshold: 9 }), livenessProbe: every(), readinessProbe: every() }
  const { clock, set, record, requested } = setUp(container, { startup: '--+' })
  set.follow([record])
  await clock.advance(3999)
  assert.deepEqual(requested, ['startup@0', 'startup@2'])
  assert.equal(set.started(record, 'c1'), false)
  await clock.advance(2)
  assert.equal(set.started(record, 'c1'), true)
  assert.deepEqual(requested.slice(2).sort(), ['liveness@4', 'readiness@4', 'startup@4'])
})

test('a container that has failed for good is not probed any more', async () => {
  const { clock, set, record, requested } = setUp({ livenessProbe: every({ periodSeconds: 1, failureThreshold: 2 }) }, { liveness: '-' })
  set.follow([record])
  await clock.advance(10_000)
  assert.deepEqual(requested, ['liveness@0', 'liveness@1'])
  set.follow([record])
  await clock.advance(10_000)
  assert.equal(requested.length, 2)
})

test('while the pod is stopped no probe kills its containers, but readiness goes on', async () => {
  const { clock, set, record, requested } = setUp(
    { livenessProbe: every({ periodSeconds: 1 }), readinessProbe: every({ periodSeconds: 1 }) },
    {},
  )
  set.follow([record])
  await clock.advance(500)
  set.ending([record])
  await clock.advance(2000)
  assert.deepEqual(
    requested.filter((a) => a.startsWith('liveness')),
    ['liveness@0'],
  )
  assert.deepEqual(
    requested.filter((a) => a.startsWith('readiness')),
    ['readiness@0', 'readiness@1', 'readiness@2'],
  )
})

test('a container that was ready before this agent started stays so until it is probed', async () => {
  const { clock, set, record } = setUp({ readinessProbe: every({ initialDelaySeconds: 5, failureThreshold: 1 }) }, { readiness: '-' }, [
    'c1',
  ])
  set.follow([record])
  assert.equal(set.ready(record, 'c1'), true)
  await clock.advance(6000)
  assert.equal(set.ready(record, 'c1'), false)
})

test('what runs no more is forgotten', async () => {
  const { clock, set, record, requested } = setUp({ livenessProbe: every({ periodSeconds: 1 }) }, {})
  set.follow([record])
  await clock.advance(500)
  assert.equal(set.liveness('c1'), 'success')
  set.follow([])
  await clock.advance(5000)
  assert.equal(requested.length, 1)
  assert.equal(set.liveness('c1'), 'unknown')
})

test('a pod is synced when the probe of a container that has ended would have run next', async () => {
  const clock = new VirtualClock()
  const startMs = clock.now()
  const { record } = setUp({ livenessProbe: every() }, {})
  const syncs: number[] = []
  const set = new ProbeSet({
    clock,
    ask: async () => ({ kind: 'success' }),
    notify: () => {},
    changed: () => syncs.push((clock.now() - startMs) / 1000),
  })
  set.follow([{ ...record, state: { kind: 'running', id: 'c1', startedAtMs: startMs } }])
  await clock.advance(12_000)
  set.follow([{ ...record, state: { kind: 'terminated', id: 'c1', exitCode: 1, startedAtMs: startMs, finishedAtMs: clock.now() } }])
  await clock.advance(30_000)
  assert.deepEqual(syncs, [0, 20])
})

test('in a terminating pod liveness probes stop, readiness probes over the network go on', async () => {
  const http = { httpGet: { port: 80 }, periodSeconds: 1 }
  const { clock, set, record, requested } = setUp({ livenessProbe: http, readinessProbe: http }, {})
  set.follow([record])
  await clock.advance(1500)
  const before = requested.length
  set.ending([record])
  await clock.advance(3000)
  assert.deepEqual(
    requested.slice(before).map((a) => a.split('@')[0]),
    ['readiness', 'readiness', 'readiness'],
  )
  set.stop()
})

test('in a terminating pod commands of probes are cancelled: those that run, and readiness at each period', async () => {
  const command = { exec: { command: ['ready'] }, periodSeconds: 1 }
  const clock = new VirtualClock()
  const { record } = setUp({ livenessProbe: command, readinessProbe: command }, {})
  const events: string[] = []
  const set = new ProbeSet({
    clock,
    ask: (_kind, _probe, _record, signal) => clock.sleep(60_000, signal).then(() => ({ kind: 'success' })),
    notify: (kind, outcome) => events.push(`${kind}: ${'output' in outcome ? outcome.output : ''}`),
    changed: () => {},
  })
  set.follow([record])
  await clock.advance(500)
  set.ending([record])
  await clock.advance(3000)
  const cancelled = 'rpc error: code = Canceled desc = context canceled'
  assert.deepEqual(events, [`readiness: ${cancelled}`, `liveness: ${cancelled}`, ...Array(3).fill(`readiness: ${cancelled}`)])
  set.stop()
  await clock.advance(3000)
  assert.equal(events.length, 5)
})
