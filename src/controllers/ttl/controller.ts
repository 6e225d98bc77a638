import { exponentialBounds } from '../../base/exposition.ts'
import { ignoring } from '../../machinery/ignoring.ts'
import { JOBS } from '../../resources/refs.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import { defineController } from '../frame/define-controller.ts'
import { targetOf } from '../frame/objects.ts'
import { deletionMs, expiresAtMs } from './plan.ts'

/** Deletes finished Jobs when their `ttlSecondsAfterFinished` is over. */
export const createController = defineController({
  name: 'ttl-after-finished-controller',
  for: JOBS,
  /** `finishSeenMs`: when each Job, by key, was first seen finished. */
  deps: ({ client, clock, metrics }) => ({
    client,
    clock,
    finishSeenMs: new Map<string, number>(),
    delays: metrics.histogram({
      name: 'ttl_after_finished_controller_job_deletion_duration_seconds',
      help: 'From when a Job was due to be deleted until it was.',
      bounds: exponentialBounds(0.1, 2, 14),
    }),
  }),
  when: (job) => expiresAtMs(job) !== undefined,
  async reconcile({ client, clock, finishSeenMs, delays }, job) {
    const key = objectKey(job)
    const expiresMs = expiresAtMs(job)
    if (expiresMs === undefined) return void finishSeenMs.delete(key)
    const nowMs = clock.now()
    const seenMs = finishSeenMs.get(key) ?? nowMs
    finishSeenMs.set(key, seenMs)
    const dueMs = deletionMs(expiresMs, seenMs)
    if (dueMs > nowMs) return { requeueAfterMs: dueMs - nowMs }
    finishSeenMs.delete(key)
    const { uid, resourceVersion } = job.metadata
    const preconditions = { ...(uid !== undefined && { uid }), ...(resourceVersion !== undefined && { resourceVersion }) }
    await client.delete(targetOf(JOBS, job), { propagationPolicy: 'Foreground', preconditions }).catch(ignoring('NotFound'))
    delays.observe(Math.max(0, clock.now() - expiresMs) / 1000)
    return undefined
  },
  gone: ({ finishSeenMs }, key) => void finishSeenMs.delete(key),
})
