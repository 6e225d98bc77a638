import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { type Clock, systemClock } from '../../base/clock.ts'
import type { Link } from '../../threads/link.ts'
import { runThread } from './part-thread.ts'
import type { ThreadLimits } from './thread-limits.ts'
import { PART_SERVICES } from './thread-protocol.ts'

const limits: ThreadLimits = { stuckMs: 500, stopMs: 5000, heapMb: 128 }
const module = new URL('./part-worker.double.ts', import.meta.url)

/** A thread that the test controls. */
function thread(deed: 'serve' | 'throw' | 'exit' | 'hang' | 'fill' | 'deaf', own: Own = {}) {
  const workers: Worker[] = []
  const run = runThread(
    'double',
    { deed },
    {
      clock: own.clock ?? systemClock,
      services(link) {
        own.linked?.(link)
        return {}
      },
      limits: { ...limits, ...own.limits },
      module,
      started: (worker) => workers.push(worker),
    },
  )
  return { run, workers }
}

interface Own {
  readonly clock?: Clock
  readonly linked?: (link: Link) => void
  readonly limits?: Partial<ThreadLimits>
}

const never = new AbortController().signal

for (const [what, deed, message] of [
  ['throws', 'throw', /this is no reason/],
  ['exits', 'exit', /thread double has exited with code 7/],
  ['fills its heap', 'fill', /heap|memory/i],
  ['does not turn its event loop', 'hang', /thread double was stuck: its event loop has not turned for 0.5 s/],
] as const)
  test(`a thread that ${what} is ended, with a message`, async () => {
    const { run, workers } = thread(deed, deed === 'hang' ? {} : { limits: { stuckMs: 60_000 } })
    await assert.rejects(run(never), message)
    assert.equal(workers[0]?.threadId, -1, 'it has ended')
  })

/** A clock on which a beat of the watch lasts until the thread has answered what it was asked before. */
function clockOfBeats(beatMs: number) {
  const asking = Promise.withResolvers<Link>()
  const enough = Promise.withResolvers<void>()
  let beats = 0
  const clock: Clock = {
    ...systemClock,
    async sleep(delayMs, signal) {
      if (delayMs !== beatMs) return systemClock.sleep(delayMs, signal)
      if (++beats > 30) enough.resolve()
      await (await asking.promise).ask(PART_SERVICES.alive, {})
      signal?.throwIfAborted()
    },
  }
  return { clock, linked: asking.resolve, manyBeats: enough.promise }
}

test('a healthy thread runs until it is stopped', async () => {
  const stop = new AbortController()
  const { clock, linked, manyBeats } = clockOfBeats(limits.stuckMs / 10)
  const { run, workers } = thread('serve', { clock, linked })
  const running = run(stop.signal)
  assert.equal(await Promise.race([manyBeats.then(() => 'runs'), running.then(() => 'has ended')]), 'runs')
  stop.abort()
  await running
  assert.equal(workers[0]?.threadId, -1)
})

test('a thread whose parts do not end in time is ended nevertheless', async () => {
  const stop = new AbortController()
  const { run, workers } = thread('deaf', { limits: { stopMs: 50 } })
  const running = run(stop.signal)
  const exited = once(workers[0] as Worker, 'exit')
  stop.abort()
  await running
  // On a busy machine V8 ends it later than `stopMs`.
  await exited
})
