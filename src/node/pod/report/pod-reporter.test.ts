import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../../base/clock.ts'
import { silentLogger } from '../../../base/logger.ts'
import type { JsonObject, KubeObject } from '../../../machinery/object.ts'
import { notFound } from '../../../machinery/status-error.ts'
import type { Client } from '../../../sdk/client/client.ts'
import type { ContainerRecord } from '../../types/container-record.ts'
import type { Pod } from '../../types/pod.ts'
import { PodState } from '../pod-state.ts'
import { PodReporter } from './pod-reporter.ts'
import { StatusTraffic } from './status-traffic.ts'

const POD: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'default', uid: 'u', resourceVersion: '1' },
  spec: { containers: [{ name: 'main', image: 'app' }] },
  status: { phase: 'Pending' },
}

const record = (state: ContainerRecord['state'], ready: boolean): ContainerRecord[] => [
  { container: { name: 'main', image: 'app' }, role: 'main', restartCount: 0, started: ready, ready, state },
]

/** A pod on a node with many pending status updates, until `clear` is called; `told` are the states of its container that were written. */
function crowded(...refusals: Error[]) {
  const clock = new VirtualClock()
  const traffic = new StatusTraffic()
  const ends: (() => void)[] = []
  while (!traffic.crowded) void traffic.write(() => new Promise<void>((resolve) => ends.push(resolve)))
  const reported: string[] = []
  const warnings: string[] = []
  const client = {
    async patch(_target: unknown, _type: string, { status }: { readonly status: JsonObject }): Promise<KubeObject> {
      const refusal = refusals.shift()
      if (refusal !== undefined) throw refusal
      reported.push(/"state":\{"(\w+)"/.exec(JSON.stringify(status))?.[1] ?? '')
      return { ...POD, metadata: { ...POD.metadata, resourceVersion: String(1 + reported.length) }, status }
    },
    async get(): Promise<KubeObject> {
      throw notFound({ group: '', resource: 'pods' }, 'p')
    },
  } as unknown as Client
  const state = new PodState(POD, { hostIps: ['192.0.2.1'], clock })
  state.records = record({ kind: 'waiting', reason: 'ContainerCreating' }, false)
  const log = { ...silentLogger, warn: (message: string) => void warnings.push(message) }
  const reporter = new PodReporter(state, { client, clock, log, hostIps: ['192.0.2.1'], resourceHealth: () => [], traffic })
  const clear = async () => {
    for (const end of ends) end()
    await clock.settle()
  }
  const start = () => {
    state.records = record({ kind: 'running', id: 'x', startedAtMs: 1 }, true)
  }
  return { clock, state, reporter, reported, warnings, clear, start }
}

test('under load, the report that a pod waits is merged with that of its start', async () => {
  const { reporter, reported, clear, start, state } = crowded()
  await reporter.report()
  await reporter.report('sandbox')
  assert.deepEqual(reported, [])
  assert.equal(
    state.pod.status.conditions?.some((c) => c.type === 'Ready' && c.status === 'False'),
    true,
    'the agent knows what it has not told',
  )
  start()
  await reporter.report()
  assert.deepEqual(reported, ['running'])
  await clear()
  assert.deepEqual(reported, ['running'])
})

test('under load, a pod whose start takes long is reported as soon as there is a slot', async () => {
  const { reporter, reported, clear, start } = crowded()
  await reporter.report()
  await clear()
  assert.deepEqual(reported, ['waiting'])
  start()
  await reporter.report()
  assert.deepEqual(reported, ['waiting', 'running'])
})

test('a pending report is dropped when the worker is left', async () => {
  const { reporter, reported, clear } = crowded()
  await reporter.report()
  reporter.leave()
  await clear()
  assert.deepEqual(reported, [])
})

test('a pod that is deleted before its report is written is known to be gone', async () => {
  const { reporter, clear, state } = crowded(notFound({ group: '', resource: 'pods' }, 'p'))
  await reporter.report()
  assert.equal(state.gone, false)
  await clear()
  assert.equal(state.gone, true)
})

test('a failed report is retried after a second', async () => {
  const { reporter, reported, clear, state, clock } = crowded(new Error('no route to host'))
  await reporter.report()
  await clear()
  let looked = false
  void state.rest(clock).then(() => {
    looked = true
  })
  await clock.advance(500)
  assert.deepEqual([looked, reported], [false, []])
  await clock.advance(600)
  assert.equal(looked, true)
  await reporter.report()
  assert.deepEqual(reported, ['waiting'])
})

test('a warning says that reports fail; not at the first time: the pod may just have been deleted', async () => {
  const refusals = Array.from({ length: 3 }, () => new Error('no relationship found'))
  const { reporter, reported, warnings, start } = crowded(...refusals)
  start()
  await reporter.report()
  assert.deepEqual(warnings, [])
  await reporter.report()
  await reporter.report()
  assert.equal(warnings.length, 2)
  await reporter.report()
  assert.deepEqual([reported, warnings.length], [['running'], 2])
})
