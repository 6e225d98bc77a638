import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { flowSchemas, priorityLevels } from '../../server/bootstrap/flow-control.ts'
import { watchCacheDouble } from '../cache/watch-cache.double.ts'
import { resourceAttributes } from '../identity/authorizer.ts'
import { deal, FairQueues } from './fair-queues.ts'
import { createFlowControl } from './flow-control.ts'

for (const hash of [0, 1, 77, 0xffffffff])
  test(`a hand is dealt of different queues, the same for the same flow: ${JSON.stringify(hash)}`, () => {
    const hand = deal(hash, 64, 8)
    assert.equal(new Set(hand).size, 8)
    assert.ok(hand.every((q) => q >= 0 && q < 64))
    assert.deepEqual(deal(hash, 64, 8), hand)
  })

test('a flow that floods does not keep the others waiting', async () => {
  const queues = new FairQueues({ seats: 1, queuing: { queues: 64, handSize: 4, queueLengthLimit: 50 } })
  const order: string[] = []
  const running: (() => void)[] = []
  const enter = (name: string, hash: number) => {
    const entry = queues.enter(hash)
    const run = (leave: () => void) => {
      order.push(name)
      running.push(leave)
    }
    if (entry.kind === 'run') run(entry.leave)
    if (entry.kind === 'wait') entry.ready.then(run)
  }
  for (let i = 0; i < 20; i++) enter(`flood${i}`, 5)
  enter('small', 999)
  for (let i = 0; i < 21; i++) {
    running.shift()?.()
    await Promise.resolve()
  }
  assert.ok(order.indexOf('small') <= 5, order.join(' '))
  assert.equal(order.length, 21)
})

function world(concurrency: number, ...more: KubeObject[]) {
  const watchCache = watchCacheDouble()
  const clock = new VirtualClock()
  watchCache.put('flowcontrol.apiserver.k8s.io', 'flowschemas', ...flowSchemas(), ...more)
  watchCache.put('flowcontrol.apiserver.k8s.io', 'prioritylevelconfigurations', ...priorityLevels())
  const flow = createFlowControl({ concurrency, patienceMs: 1000 }, { watchCache, clock })
  const requestOf = (name: string, ...groups: string[]) => ({
    user: { name, groups },
    attributes: resourceAttributes({ user: { name, groups }, verb: 'list', resource: 'pods', namespace: 'n' }),
    signal: new AbortController().signal,
  })
  const enter = (name: string, ...groups: string[]) => flow.enter(requestOf(name, ...groups))
  return { clock, flow, requestOf, enter }
}

test('system:masters are never queued; others wait, and get 429 when no seat is free in time', async () => {
  const { clock, enter } = world(1)
  const first = await enter('ann', 'system:authenticated')
  const second = Promise.resolve(enter('bob', 'system:authenticated'))
  for (let i = 0; i < 100; i++) assert.equal(typeof enter('root', 'system:masters'), 'function')
  first()
  const leave = await second
  const third = Promise.resolve(enter('eve', 'system:authenticated')).then(
    () => 'ran',
    (e) => (isStatus(e, 'TooManyRequests') ? `${e.code} ${e.status.details?.retryAfterSeconds}` : String(e)),
  )
  await clock.advance(1500)
  assert.equal(await third, '429 1')
  leave()
})

for (const [level, schema] of [
  ['workload-low', 'mine'],
  ['missing', 'global-default'],
] as const)
  test(`a schema of the level ${level}: the request's schema is ${schema}`, () => {
    const rule = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'] }
    const spec = {
      priorityLevelConfiguration: { name: level },
      matchingPrecedence: 50,
      rules: [{ subjects: [{ kind: 'User', user: { name: 'ann' } }], resourceRules: [rule] }],
    }
    const mine = { apiVersion: 'flowcontrol.apiserver.k8s.io/v1', kind: 'FlowSchema', metadata: { name: 'mine' }, spec }
    const { flow, requestOf } = world(1, mine)
    assert.equal(flow.classify(requestOf('ann', 'system:authenticated'))?.schema.metadata.name, schema)
  })
