/** A thread with parts of a cluster that misbehaves after a message on the channel with its name. */
import { BroadcastChannel, workerData } from 'node:worker_threads'
import { MISDEEDS } from './misdeeds.double.ts'
import type { PartWorkerData } from './thread-protocol.ts'

// What the thread was started with is ours.
const { parts } = workerData as PartWorkerData
const channel = new BroadcastChannel(parts.join())
channel.onmessage = (event: unknown) => MISDEEDS[String((event as MessageEvent).data)]?.()
channel.unref()
await import('./part-worker.ts')
