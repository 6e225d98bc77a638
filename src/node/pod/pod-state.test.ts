import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import type { ProbeChange } from '../probes/probe-set.ts'
import { PodState } from './pod-state.ts'

const MAIN = { name: 'main', image: 'app', imageID: 'app', restartCount: 0, state: { running: { startedAt: '2026-01-01T00:00:00Z' } } }

/** A pod whose container `c1` runs, and is neither started nor ready. */
const state = () =>
  new PodState(
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {},
      spec: { containers: [{ name: 'main', image: 'app' }] },
      status: { phase: 'Running', containerStatuses: [{ ...MAIN, containerID: 'c1', started: false, ready: false }] },
    },
    { hostIps: [], clock: new VirtualClock() },
  )

test('the result of a startup probe shows a container as started, but not what follows from that', () => {
  const pod = state()
  assert.equal(pod.takeProbe({ kind: 'startup', id: 'c1', result: 'success' }), true)
  const [record] = pod.records
  assert.deepEqual([record?.started, record?.justStarted, record?.ready], [true, true, false])
})

test('a result that the status has already, of liveness, or of another container changes nothing', () => {
  const pod = state()
  const results: ProbeChange[] = [
    { kind: 'readiness', id: 'c1', result: 'failure' },
    { kind: 'liveness', id: 'c1', result: 'failure' },
    { kind: 'readiness', id: 'c0', result: 'success' },
  ]
  for (const change of results) assert.equal(pod.takeProbe(change), false)
  assert.equal(pod.takeProbe({ kind: 'readiness', id: 'c1', result: 'success' }), true)
  assert.equal(pod.records[0]?.ready, true)
})
