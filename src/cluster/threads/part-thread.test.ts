import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { systemClock } from '../../base/clock.ts'
import { runThread } from './part-thread.ts'
import type { ThreadLimits } from './thread-limits.ts'

const limits: ThreadLimits = { stuckMs: 500, stopMs: 5000, heapMb: 128 }
const module = new URL('./part-worker.double.ts', import.meta.url)

/** A thread that does what it is told. */
function thread(deed: 'serve' | 'throw' | 'exit' | 'hang' | 'fill' | 'deaf', own: Partial<ThreadLimits> = {}) {
  const workers: Worker[] = []
  const started = (worker: Worker) => workers.push(worker)
  const run = runThread('double', { deed }, { clock: systemClock, services: () => ({}), limits: { ...limits, ...own }, module, started })
  return { run, workers }
}

const never = new AbortController().signal

for (const [what, deed, message] of [
  ['throws', 'throw', /this is no reason/],
  ['exits', 'exit', /thread double has exited with code 7/],
  ['fills its heap', 'fill', /heap|memory/i],
  ['does not turn its event loop', 'hang', /thread double was stuck: its event loop has not turned for 0.5 s/],
] as const)
  test(`a thread that ${what} is ended, and says so`, async () => {
    const { run, workers } = thread(deed, deed === 'hang' ? {} : { stuckMs: 60_000 })
    await assert.rejects(run(never), message)
    assert.equal(workers[0]?.threadId, -1, 'it has ended')
  })

test('a thread that serves is left alone until it is told to stop', async () => {
  const stop = new AbortController()
  const { run, workers } = thread('serve')
  let ended = false
  const running = run(stop.signal).finally(() => {
    ended = true
  })
  await systemClock.sleep(3 * limits.stuckMs)
  assert.equal(ended, false)
  stop.abort()
  await running
  assert.equal(workers[0]?.threadId, -1)
})

test('a thread whose parts do not end in time is ended nevertheless', async () => {
  const stop = new AbortController()
  const { run, workers } = thread('deaf', { stopMs: 50 })
  const running = run(stop.signal)
  stop.abort()
  await running
  assert.equal(workers[0]?.threadId, -1)
})
