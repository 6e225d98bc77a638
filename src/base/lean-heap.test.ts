import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { VirtualClock } from './clock.ts'
import { growingPercent, keepHeapLean } from './lean-heap.ts'

const MB = 1 << 20

test('a large heap grows in small steps, a small one as V8 likes; one in between stays what it was', () => {
  const steps: number[] = []
  for (const mb of [50, 399, 401, 300, 201, 199, 300, 399]) steps.push(growingPercent(mb * MB, steps.at(-1) ?? 0))
  assert.deepEqual(steps, [0, 0, 20, 20, 20, 0, 0, 0])
})

test('nothing is set while the heap is small, nor after it was stopped', async () => {
  const clock = new VirtualClock()
  const set: string[] = []
  const stop = keepHeapLean(clock, (flag) => set.push(flag))
  await clock.advance(60_000)
  assert.deepEqual(set, [])
  stop()
})

test('V8 has the setting', () => {
  assert.equal(spawnSync(process.execPath, ['--heap-growing-percent=20', '-e', '']).status, 0)
  assert.notEqual(spawnSync(process.execPath, ['--heap-growing-per-cent=20', '-e', '']).status, 0)
})
