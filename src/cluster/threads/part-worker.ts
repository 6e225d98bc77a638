/** A thread with parts of a cluster. Entry point of its own: `part-thread.ts` starts it. */
import { parentPort, workerData } from 'node:worker_threads'
import { Link } from '../../threads/link.ts'
import { runParts } from './run-parts.ts'
import type { PartWorkerData } from './thread-protocol.ts'

if (parentPort === null) throw new Error('part-worker is to be started as a worker thread')
// What the thread was started with is ours.
runParts(workerData as PartWorkerData, new Link(parentPort))
