/** A thread with parts of a cluster. Entry point of its own: `part-thread.ts` starts it. */
import { enableCompileCache } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'
import type { PartWorkerData } from './thread-protocol.ts'

if (parentPort === null) throw new Error('part-worker is to be started as a worker thread')
// What the thread was started with is ours.
const data = workerData as PartWorkerData
// The compile cache of the main thread is not on here. Everything else is imported when it is.
if (data.compileCache !== undefined) enableCompileCache(data.compileCache)
const { runParts } = await import('./run-parts.ts')
runParts(data, parentPort)
