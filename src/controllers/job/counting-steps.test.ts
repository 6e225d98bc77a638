import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Job, JobStatus } from '../../resources/types/batch.ts'
import type { Pod } from '../../resources/types/core.ts'
import { sketch } from '../frame/sketch.double.ts'
import { countingSteps } from './counting-steps.ts'
import { planJob } from './plan.ts'
import { TRACKING } from './tracking.ts'

const jobOf = (spec: object, status: JobStatus): Job =>
  sketch({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'j', namespace: 'n', uid: 'u' },
    spec: { parallelism: 0, completions: 100_000, backoffLimit: 100_000, ...spec },
    status,
  })

const ended = (phase: string, i: number): Pod =>
  sketch({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `p-${i}`, namespace: 'n', uid: `u-${i}`, finalizers: [TRACKING] },
    spec: { nodeName: 'x' },
    status: { phase },
  })

/** The world that the controller sees when it begins. */
interface World {
  status: JobStatus
  pods: readonly Pod[]
}

/**
 * Carries out the writes of one look at the job, but for those after the first `most`. A pod that is let go stays for a while or goes at
 * once.
 */
function carryOut(world: World, { most, stays, spec = {} }: { most: number; stays: boolean; spec?: object }): World {
  const { pods } = world
  let { status } = world
  let left = new Map(pods.map((p) => [p.metadata.uid, p]))
  let writes = 0
  for (const step of countingSteps(planJob(jobOf(spec, status), pods, 0))) {
    if (writes++ >= most) break
    status = step.status
    for (const pod of step.release) {
      if (writes++ >= most) break
      left = new Map(left)
      if (stays) left.set(pod.metadata.uid, { ...pod, metadata: { ...pod.metadata, finalizers: [] } })
      else left.delete(pod.metadata.uid)
    }
  }
  return { status, pods: [...left.values()] }
}

test('however often the controller is cut off between two writes, every pod is counted once', () => {
  const phases = fc.array(fc.constantFrom('Succeeded', 'Failed'), { maxLength: 12 })
  const cut = fc.record({ most: fc.nat(20), stays: fc.boolean(), more: phases })
  fc.assert(
    fc.property(phases, fc.array(cut, { maxLength: 6 }), (first, cuts) => {
      const all = [...first]
      let world: World = { status: {}, pods: first.map(ended) }
      for (const { more, ...how } of cuts) {
        world = carryOut(world, how)
        world = { ...world, pods: [...world.pods, ...more.map((phase, i) => ended(phase, all.length + i))] }
        all.push(...more)
      }
      world = carryOut(world, { most: Number.POSITIVE_INFINITY, stays: false })
      const { succeeded = 0, failed = 0, uncountedTerminatedPods } = world.status ?? {}
      assert.deepEqual(
        { succeeded, failed, uncountedTerminatedPods },
        {
          succeeded: all.filter((p) => p === 'Succeeded').length,
          failed: all.filter((p) => p === 'Failed').length,
          uncountedTerminatedPods: {},
        },
      )
    }),
  )
})

test('a status names the pods before they are numbers, five hundred at most, and the job ends with the last write', () => {
  const pods = Array.from({ length: 501 }, (_, i) => ended(i === 0 ? 'Failed' : 'Succeeded', i))
  const steps = countingSteps(planJob(jobOf({ completions: 500 }, {}), pods, 0))
  const reported = steps.map(({ status, release }) => ({
    succeeded: status?.succeeded,
    failed: status?.failed,
    named: [status?.uncountedTerminatedPods?.succeeded?.length, status?.uncountedTerminatedPods?.failed?.length],
    conditions: status?.conditions?.map((c) => c.type),
    released: release.length,
  }))
  assert.deepEqual(reported, [
    { succeeded: undefined, failed: undefined, named: [500, undefined], conditions: ['SuccessCriteriaMet'], released: 500 },
    { succeeded: 500, failed: undefined, named: [undefined, 1], conditions: ['SuccessCriteriaMet'], released: 1 },
    { succeeded: 500, failed: 1, named: [undefined, undefined], conditions: ['SuccessCriteriaMet', 'Complete'], released: 0 },
  ])
})
