import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { VirtualClock } from './clock.ts'
import { growingPercent, keepHeapLean } from './lean-heap.ts'

const MB = 1 << 20

test('a large heap grows in small steps, a small one as V8 likes; one in between stays what it was; work goes first', () => {
  const sizes = [50, 399, 401, 300, 201, 199, 300, 399]
  const steps = (busy: boolean, factor: number) =>
    sizes.reduce<readonly number[]>((before, mb) => [...before, growingPercent(mb * factor * MB, busy, before.at(-1) ?? 0)], [])
  assert.deepEqual(steps(false, 1), [0, 0, 20, 20, 20, 0, 0, 0])
  assert.deepEqual(steps(true, 1), [0, 0, 0, 0, 0, 0, 0, 0])
  assert.deepEqual(steps(true, 3), [0, 0, 20, 20, 20, 0, 0, 0])
})

test('garbage of a large heap is looked for once when work is over, and never of a small one, nor after it was stopped', async () => {
  const clock = new VirtualClock()
  const told: string[] = []
  const state = { usedBytes: 600 * MB, cpuMs: 0 }
  const stop = keepHeapLean(clock, {
    usedBytes: () => state.usedBytes,
    cpuMs: () => state.cpuMs,
    set: (flag) => told.push(flag),
    nudge: () => told.push('nudge'),
  })
  const pass = async (looks: number, share: number) => {
    for (let i = 0; i < looks; i++) {
      state.cpuMs += share * 5000
      await clock.advance(5000)
    }
    return told.splice(0)
  }
  assert.deepEqual(await pass(5, 0.9), [])
  assert.deepEqual(await pass(5, 0.1), ['--heap-growing-percent=20', 'nudge'])
  assert.deepEqual(await pass(2, 1.5), ['--heap-growing-percent=0'])
  state.usedBytes = 100 * MB
  assert.deepEqual(await pass(5, 0.1), [])
  await pass(1, 1)
  state.usedBytes = 600 * MB
  stop()
  assert.deepEqual(await pass(5, 0.1), [])
})

test('V8 has the setting', () => {
  assert.equal(spawnSync(process.execPath, ['--heap-growing-percent=20', '-e', '']).status, 0)
  assert.notEqual(spawnSync(process.execPath, ['--heap-growing-per-cent=20', '-e', '']).status, 0)
})
