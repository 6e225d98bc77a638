/**
 * Watches over a runner from a thread of its own: ends its process when the event loop does not turn any more, when it takes too much
 * memory, or when the process that started it has gone. Entry point of its own: `programs-runner.ts` starts it.
 */
import { writeSync } from 'node:fs'
import { workerData } from 'node:worker_threads'
import { keepAlive, systemClock } from '../../../base/clock.ts'
import type { RunnerLimits } from '../../threads/runner-limits.ts'
import { MemoryGrowth } from './memory-growth.ts'
import { BEAT_MS, type GuardReport, RUNNER_FILES, SHARED } from './runner-data.ts'

/** What the guard is started with. */
export interface GuardData {
  readonly shared: SharedArrayBuffer
  readonly limits: RunnerLimits
  /** The process that started the runner. */
  readonly parent: number
}

// The runner has written it.
const { shared, limits, parent } = workerData as GuardData
const state = new Int32Array(shared)
const growth = new MemoryGrowth(process.memoryUsage.rss())
let reported: GuardReport = { is: 'alive', entered: 0, grown: 0 }
let beats = 0
let missed = 0

function report(is: GuardReport['is'], entered: number): void {
  const next: GuardReport = { is, entered, grown: growth.most() ?? entered }
  if (is === 'alive' && entered === reported.entered && next.grown === reported.grown) return
  reported = next
  // At once: the process may end in the next moment.
  writeSync(RUNNER_FILES.guard, `${JSON.stringify(next)}\n`)
}

function look(): void {
  systemClock.after(BEAT_MS, look)
  const [bytes, entered, now] = [process.memoryUsage.rss(), Atomics.load(state, SHARED.entered), Atomics.load(state, SHARED.beats)]
  growth.sample(entered, bytes)
  // Counted, not timed: a machine that was suspended is not stuck.
  missed = now === beats ? missed + 1 : 0
  beats = now
  const is = bytes > limits.memoryMb << 20 ? 'full' : missed * BEAT_MS >= limits.stuckMs ? 'stuck' : 'alive'
  report(is, entered)
  if (is !== 'alive' || process.ppid !== parent) process.kill(process.pid, 'SIGKILL')
}

keepAlive()
look()
