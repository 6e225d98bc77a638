import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '../../base/clock.ts'
import { podInfo } from '../cache/pod-info.ts'
import { pod } from '../plugins/plugin-table.double.ts'
import { WaitingPods } from './waiting-pods.ts'

const open = () => {
  const clock = new VirtualClock()
  const waiting = new WaitingPods(clock)
  const wait = (timeouts: Readonly<Record<string, number>>) => waiting.wait(podInfo(pod('p')), 'n', new Map(Object.entries(timeouts)))
  return { clock, waiting, wait, uid: 'uid-of-p' }
}

test('a pod goes on when every plugin has allowed it', async () => {
  const { waiting, wait, uid } = open()
  const verdict = wait({ A: 1000, B: 1000 })
  waiting.allow(uid, 'A')
  waiting.allow(uid, 'A')
  assert.deepEqual([...(waiting.get(uid)?.pending ?? [])], ['B'])
  waiting.allow(uid, 'B')
  assert.equal(await verdict, undefined)
  assert.equal(waiting.size, 0)
})

test('one rejection is enough, and names its plugin', async () => {
  const { waiting, wait, uid } = open()
  const verdict = wait({ A: 1000, B: 1000 })
  waiting.reject(uid, 'B', 'no')
  assert.deepEqual(await verdict, { code: 'unschedulable', plugin: 'B', reasons: ['no'] })
})

test('the shortest timeout rejects, and later calls change nothing', async () => {
  const { clock, waiting, wait, uid } = open()
  const verdict = wait({ A: 5000, B: 1000 })
  await clock.advance(999)
  assert.equal(waiting.size, 1)
  await clock.advance(1)
  assert.deepEqual((await verdict)?.reasons, ['rejected due to timeout after waiting 1s at plugin B'])
  waiting.allow(uid, 'A')
  waiting.reject(uid, 'A', 'late')
  await clock.advance(10_000)
  assert.equal(waiting.size, 0)
})
