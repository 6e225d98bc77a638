/** The process in which programs of containers run. Entry point of its own: `runner-process.ts` starts it. */
import { Socket } from 'node:net'
import path from 'node:path'
import { Worker } from 'node:worker_threads'
import { systemClock } from '../../../base/clock.ts'
import { streamPort } from '../../../threads/stream-port.ts'
import type { GuardData } from './programs-guard.ts'
import { runPrograms } from './run-programs.ts'
import { BEAT_MS, RUNNER_FILES, type RunnerData, SHARED } from './runner-data.ts'

// `runner-process.ts` has written it.
const data = JSON.parse(process.argv[2] ?? '') as RunnerData
process.title = 'bowsprit programs'
// A terminal sends them to all its processes: this one ends with the one that started it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})

const shared = new SharedArrayBuffer(SHARED.count * Int32Array.BYTES_PER_ELEMENT)
const state = new Int32Array(shared)
const here = new URL(import.meta.url)
const guard: GuardData = { shared, limits: data.limits, parent: data.parent }
new Worker(new URL(`./programs-guard${path.extname(here.pathname)}`, here), { workerData: guard, name: 'guard' }).unref()

function beat(): void {
  Atomics.add(state, SHARED.beats, 1)
  systemClock.after(BEAT_MS, beat)
}
beat()

const stream = new Socket({ fd: RUNNER_FILES.link, readable: true, writable: true })
stream.on('error', () => process.exit(1)).on('close', () => process.exit(0))
const entered = (container: number) => void Atomics.store(state, SHARED.entered, container)
const programs = await runPrograms(data, streamPort(stream), entered)
process.on('uncaughtException', (error) => programs.crashed(Atomics.load(state, SHARED.entered), error))
