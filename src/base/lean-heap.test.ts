import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { VirtualClock } from './clock.ts'
import { collectGarbage, collectWhenIdle, growingPercent, type HeapOwner, keepHeapsLean, keepYoungSpaceSmall } from './lean-heap.ts'

const MB = 1 << 20

test('a huge process grows in the smallest steps, a large one in larger ones, a small one as V8 likes; one in between stays what it was; work goes first', () => {
  const steps = (busy: boolean, sizes: readonly number[]) => {
    const percents: number[] = []
    for (const mb of sizes) percents.push(growingPercent(mb * MB, busy, percents.at(-1) ?? 0))
    return percents
  }
  const sizes = [50, 599, 601, 450, 301, 299, 450, 599]
  assert.deepEqual(steps(false, sizes), [0, 0, 60, 60, 60, 0, 0, 0])
  assert.deepEqual(steps(true, sizes), [0, 0, 0, 0, 0, 0, 0, 0])
  assert.deepEqual(steps(false, [1399, 1401, 1000, 701, 699, 1399, 1401]), [60, 20, 20, 20, 60, 60, 20])
  assert.deepEqual(steps(true, [1799, 1801, 1000, 901, 899, 1799]), [0, 20, 20, 20, 0, 0])
})

/** A process whose load and sizes the test sets, and what was done to it. */
function measured() {
  const clock = new VirtualClock()
  const told: string[] = []
  const state = { residentBytes: 0, usedBytes: 0, cpuMs: 0, threadCpuMs: 0 }
  const owner: HeapOwner = {
    residentBytes: () => state.residentBytes,
    usedBytes: () => state.usedBytes,
    cpuMs: () => state.cpuMs,
    threadCpuMs: () => state.threadCpuMs,
    set: (flag) => told.push(flag),
    collect() {
      told.push('collect')
      state.usedBytes /= 2
    },
    nudge: () => told.push('nudge'),
  }
  const pass = async (looks: number, share: number, ofThread = share) => {
    for (let i = 0; i < looks; i++) {
      state.cpuMs += share * 5000
      state.threadCpuMs += ofThread * 5000
      await clock.advance(5000)
    }
    return told.splice(0)
  }
  return { clock, state, owner, pass }
}

test('the growth of all heaps follows the size and the load of the process', async () => {
  const { clock, state, owner, pass } = measured()
  const stop = keepHeapsLean(clock, owner)
  state.residentBytes = 900 * MB
  assert.deepEqual(await pass(5, 0.9), [])
  assert.deepEqual(await pass(5, 0.1), ['--heap-growing-percent=60'])
  assert.deepEqual(await pass(2, 1.5), ['--heap-growing-percent=0'])
  stop()
  assert.deepEqual(await pass(5, 0.1), [])
})

test('the space of young objects grows while the process is busy', async () => {
  const { clock, owner, pass } = measured()
  const stop = keepYoungSpaceSmall(clock, owner)
  assert.deepEqual(await pass(2, 0.9), [])
  assert.deepEqual(await pass(3, 0.1), ['--semi-space-growth-factor=1'])
  assert.deepEqual(await pass(2, 0.9), ['--semi-space-growth-factor=2'])
  stop()
  assert.deepEqual(await pass(2, 0.1), [])
})

test("V8's space of young objects stays small", () => {
  const work = 'let kept = []; for (let i = 0; i < 3e5; i++) { kept.push({ i, of: [i] }); if (kept.length > 4e4) kept = [] }'
  const size = "v8.getHeapSpaceStatistics().find((s) => s.space_name === 'new_space').physical_space_size"
  const grown = (factor: number) => {
    const program = `v8.setFlagsFromString('--semi-space-growth-factor=${factor}'); ${work}; ${size}`
    return Number(spawnSync(process.execPath, ['-p', program], { encoding: 'utf8' }).stdout)
  }
  assert.ok(grown(1) < 4 * MB)
  assert.ok(grown(2) > 8 * MB)
})

test('garbage is collected once when work is over: at once in a small heap, step by step in a large one', async () => {
  const { clock, state, owner, pass } = measured()
  const stop = collectWhenIdle(clock, {}, owner)
  state.usedBytes = 40 * MB
  assert.deepEqual(await pass(5, 0.1), ['collect'], 'after the start')
  state.usedBytes = 23 * MB
  assert.deepEqual([...(await pass(2, 0.9)), ...(await pass(2, 0.1))], [], 'not for three megabytes')
  state.usedBytes = 600 * MB
  assert.deepEqual(await pass(5, 0.9), [])
  assert.deepEqual(await pass(5, 0.1), ['nudge'])
  stop()
  await pass(1, 1)
  state.usedBytes = 900 * MB
  assert.deepEqual(await pass(5, 0.1), [])
})

test('a thread that serves others collects step by step, and the rest at once when nobody needs it', async () => {
  const { clock, state, owner, pass } = measured()
  const stop = collectWhenIdle(clock, { serving: true }, owner)
  state.usedBytes = 40 * MB
  assert.deepEqual(await pass(5, 0.1), ['nudge'])
  state.usedBytes = 30 * MB
  assert.deepEqual(await pass(5, 0.1, 0.01), ['collect'])
  assert.deepEqual(await pass(5, 0.1, 0.01), [])
  state.usedBytes = 60 * MB
  assert.deepEqual([...(await pass(1, 0.9)), ...(await pass(3, 0.1, 0.01))], ['collect'])
  stop()
})

test('all garbage is really collected', async () => {
  let garbage: object | undefined = { of: Array.from({ length: 1_000_000 }, (_, i) => ({ i })) }
  const gone = new WeakRef(garbage)
  garbage = undefined
  await setImmediate()
  collectGarbage()
  // A difference between values of this size would take all memory.
  assert.ok(gone.deref() === undefined)
})

test('V8 has the setting', () => {
  assert.equal(spawnSync(process.execPath, ['--heap-growing-percent=60', '-e', '']).status, 0)
  assert.notEqual(spawnSync(process.execPath, ['--heap-growing-per-cent=20', '-e', '']).status, 0)
})

test('threads may collect at the same time', async () => {
  const url = new URL('./lean-heap.ts', import.meta.url)
  const code = `const { collectGarbage } = await import('${url}'); for (let i = 0; i < 20; i++) collectGarbage()`
  const worker = new URL(`data:text/javascript,${encodeURIComponent(code)}`)
  await Promise.all(
    [1, 2].map(async () => {
      const [exitCode] = await once(new Worker(worker), 'exit')
      assert.equal(exitCode, 0)
    }),
  )
})
