import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import type { Probe } from '../../resources/types/core.ts'
import type { ContainerRecord } from '../types/container-record.ts'
import type { Container } from '../types/pod.ts'
import { ProbeSet, type ProbeSetDeps } from './probe-set.ts'
import type { ProbeKind } from './probe-worker.ts'

interface Setting {
  readonly container: Partial<Container>
  readonly role?: ContainerRecord['role']
  /** Outcomes of a kind of probe: `+` success, `-` failure, `?` error; the last one repeats. */
  readonly answers?: Partial<Record<ProbeKind, string>>
  readonly readyBefore?: readonly string[]
  readonly ask?: ProbeSetDeps['ask']
}

/** The probes of a pod that is taken up at second 0, and whose container `c1` starts right then. */
function setUp({ container, role = 'main', answers = {}, readyBefore = [], ask }: Setting) {
  const clock = new VirtualClock()
  const startMs = clock.now()
  const seconds = () => (clock.now() - startMs) / 1000
  const requested: string[] = []
  const events: string[] = []
  const changes: string[] = []
  const fresh: ContainerRecord = {
    container: { name: 'main', image: 'app', ...container },
    role,
    state: { kind: 'waiting', reason: 'ContainerCreating' },
    restartCount: 0,
    started: false,
    ready: false,
  }
  let shown = fresh
  const answerOf = async (kind: ProbeKind) => {
    requested.push(`${kind}@${seconds()}`)
    const text = answers[kind] ?? '+'
    const nth = requested.filter((a) => a.startsWith(kind)).length - 1
    const answer = text[Math.min(nth, text.length - 1)]
    if (answer === '?') return { kind: 'error', output: 'who knows' } as const
    return answer === '+' ? ({ kind: 'success' } as const) : ({ kind: 'failure', output: 'no' } as const)
  }
  const set = new ProbeSet(
    {
      clock,
      records: () => [shown],
      ask: ask ?? answerOf,
      notify: (kind, outcome) => events.push(`${kind} ${outcome.kind}: ${'output' in outcome ? outcome.output : ''}`),
      changed: ({ kind, id, result }) => {
        changes.push(`${id} ${kind} ${result}@${seconds()}`)
        if (kind === 'startup') shown = { ...shown, started: result === 'success' }
      },
    },
    readyBefore,
  )
  const show = (state: ContainerRecord['state']) => {
    shown = { ...fresh, state, started: container.startupProbe === undefined && state.kind === 'running' }
  }
  const run = (id = 'c1') => show({ kind: 'running', id, startedAtMs: clock.now() })
  const exit = (id = 'c1') => show({ kind: 'terminated', id, exitCode: 1, startedAtMs: startMs, finishedAtMs: clock.now() })
  set.follow()
  run()
  return { clock, set, record: fresh, requested, events, changes, run, exit }
}

const every = (periodSeconds: number, more: Probe = {}): Probe => ({ periodSeconds, ...more })

test('a probe runs at the first period of its pod after the initial delay, then every period', async () => {
  const { clock, set, record, requested } = setUp({ container: { readinessProbe: every(10, { initialDelaySeconds: 13 }) } })
  await clock.advance(19_000)
  assert.equal(set.ready(record, 'c1'), false)
  await clock.advance(12_000)
  assert.deepEqual(requested, ['readiness@20', 'readiness@30'])
  assert.equal(set.ready(record, 'c1'), true)
})

test('a running container that is not ready is asked whenever its status is made, which begins a new period', async () => {
  const { clock, set, requested } = setUp({ container: { readinessProbe: every(10) }, answers: { readiness: '-+' } })
  set.follow()
  await clock.advance(3000)
  set.follow()
  await clock.advance(4000)
  set.follow()
  await clock.advance(7000)
  assert.deepEqual(requested, ['readiness@0', 'readiness@3', 'readiness@13'])
})

test('a result changes after as many equal outcomes as the thresholds say', async () => {
  const readinessProbe = every(1, { failureThreshold: 3, successThreshold: 2 })
  const { clock, changes, events } = setUp({ container: { readinessProbe }, answers: { readiness: '++--+---++' } })
  await clock.advance(20_000)
  const results = ['failure@1', 'success@2', 'failure@8', 'success@10']
  assert.deepEqual(
    changes,
    results.map((result) => `c1 readiness ${result}`),
  )
  assert.equal(events.filter((e) => e.startsWith('readiness failure')).length, 5)
})

test('an error counts neither way, and is reported', async () => {
  const { clock, set, events } = setUp({
    container: { livenessProbe: every(1, { failureThreshold: 2 }) },
    answers: { liveness: '-?-' },
  })
  await clock.advance(5000)
  assert.equal(set.liveness('c1'), 'failure')
  assert.deepEqual(events, ['liveness failure: no', 'liveness error: who knows', 'liveness failure: no'])
})

test('a success of liveness needs no sync', async () => {
  const { clock, changes } = setUp({ container: { livenessProbe: every(1) } })
  await clock.advance(5000)
  assert.deepEqual(changes, [])
})

test('other probes run only after the startup probe has succeeded', async () => {
  const container = { startupProbe: every(2, { failureThreshold: 9 }), livenessProbe: every(3), readinessProbe: every(3) }
  const { clock, set, record, requested } = setUp({ container, answers: { startup: '--+' } })
  await clock.advance(5999)
  assert.deepEqual(requested, ['startup@2', 'startup@4'])
  assert.equal(set.started(record, 'c1'), false)
  await clock.advance(3002)
  assert.equal(set.started(record, 'c1'), true)
  assert.deepEqual(requested.slice(2), ['startup@6', 'readiness@9', 'liveness@9'])
})

test('a container that has failed is not probed any more, the next one is, and successes or failures before count on', async () => {
  const readinessProbe = every(1, { failureThreshold: 3 })
  const { clock, changes, requested, run } = setUp({
    container: { livenessProbe: every(1, { failureThreshold: 2 }), readinessProbe },
    answers: { liveness: '--+', readiness: '-' },
  })
  await clock.advance(2500)
  run('c2')
  await clock.advance(2000)
  assert.deepEqual(
    requested.filter((a) => a.startsWith('liveness')),
    ['liveness@1', 'liveness@2', 'liveness@3', 'liveness@4'],
  )
  assert.deepEqual(changes, ['c1 readiness failure@1', 'c1 liveness failure@2', 'c2 readiness failure@3'])
})

test('a container that has ended fails when it would have been probed next', async () => {
  const { clock, set, changes, exit } = setUp({ container: { livenessProbe: every(10) } })
  await clock.advance(12_000)
  assert.equal(set.liveness('c1'), 'success')
  exit()
  await clock.advance(30_000)
  assert.deepEqual(changes, ['c1 liveness failure@20'])
})

test('a container that was ready before this agent started stays so until a probe has failed', async () => {
  const { clock, set, record } = setUp({
    container: { readinessProbe: every(5, { failureThreshold: 1 }) },
    answers: { readiness: '-' },
    readyBefore: ['c1'],
  })
  await clock.advance(4000)
  assert.equal(set.ready(record, 'c1'), true)
  await clock.advance(2000)
  assert.equal(set.ready(record, 'c1'), false)
})

test('a probe that takes longer than its period is followed by the next one at once, then in time again', async () => {
  const requested: number[] = []
  const { clock } = setUp({
    container: { livenessProbe: every(1) },
    ask: async (_kind, _probe, _record, signal) => {
      requested.push(clock.now())
      if (requested.length === 1) await clock.sleep(1500, signal)
      return { kind: 'success' }
    },
  })
  const startMs = clock.now()
  await clock.advance(4100)
  assert.deepEqual(
    requested.map((ms) => ms - startMs),
    [1000, 2500, 3000, 4000],
  )
})

test('in a terminating pod liveness probes stop, readiness probes over the network go on', async () => {
  const http = every(1, { httpGet: { port: 80 } })
  const { clock, set, requested } = setUp({ container: { livenessProbe: http, readinessProbe: http } })
  await clock.advance(1500)
  set.ending()
  await clock.advance(3000)
  assert.deepEqual(requested, ['readiness@1', 'liveness@1', 'readiness@2', 'readiness@3', 'readiness@4'])
  set.stop()
})

test('in a terminating pod all probes of a sidecar go on', async () => {
  const { clock, set, requested } = setUp({ container: { livenessProbe: every(1, { tcpSocket: { port: 80 } }) }, role: 'sidecar' })
  await clock.advance(1500)
  set.ending()
  await clock.advance(2000)
  assert.deepEqual(requested, ['liveness@1', 'liveness@2', 'liveness@3'])
  set.stop()
})

test('in a terminating pod commands of probes are cancelled: those that run, and readiness at each period', async () => {
  const command = every(1, { exec: { command: ['ready'] } })
  const { clock, set, events } = setUp({
    container: { livenessProbe: command, readinessProbe: command },
    ask: (_kind, _probe, _record, signal) => clock.sleep(60_000, signal).then(() => ({ kind: 'success' })),
  })
  await clock.advance(1500)
  set.ending()
  await clock.advance(2000)
  const cancelled = 'rpc error: code = Canceled desc = context canceled'
  assert.ok(events.includes(`liveness error: ${cancelled}`))
  assert.ok(events.filter((e) => e === `readiness error: ${cancelled}`).length >= 3)
  set.stop()
  const { length } = events
  await clock.advance(3000)
  assert.equal(events.length, length)
})
