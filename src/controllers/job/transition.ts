import { timestamp } from '../../base/clock.ts'
import type { Job, JobCondition, JobStatus } from '../../resources/types/batch.ts'
import type { ObjectEvent } from '../frame/object-events.ts'
import { conditionsOf, isOver, standingVerdict, type Verdict } from './verdict.ts'

/** The part of a Job's status that changes when it is suspended, resumed or over, and the events that go with it. */
export interface Transition {
  readonly status: Pick<JobStatus, 'conditions' | 'startTime' | 'completionTime'>
  readonly events: readonly ObjectEvent[]
}

export interface TransitionFacts {
  readonly verdict: Verdict | undefined
  readonly startTime: string | undefined
  /** No pod of the job runs any more. */
  readonly over: boolean
  /** How many pods have succeeded. */
  readonly succeeded: number
  readonly nowMs: number
}

type Condition = Pick<JobCondition, 'type' | 'status' | 'reason' | 'message'>

interface Change {
  readonly conditions?: readonly Condition[]
  readonly startTime?: string | undefined
  readonly completionTime?: string | undefined
  readonly events?: readonly ObjectEvent[]
}

/** Pure. */
export function transition(job: Job, facts: TransitionFacts): Transition {
  const now = timestamp(facts.nowMs)
  const before: Change = { startTime: facts.startTime, completionTime: job.status?.completionTime }
  const change = facts.verdict === undefined ? suspension(job, now) : ending(job, facts.verdict, facts)
  const { startTime, completionTime, events = [] } = { ...before, ...change }
  const changed = (change.conditions ?? []).map((c) => ({ ...c, lastProbeTime: now, lastTransitionTime: now }))
  const kept = conditionsOf(job).filter((c) => changed.every(({ type }) => type !== c.type))
  const conditions = [...kept, ...changed]
  const status = {
    ...(conditions.length === 0 ? {} : { conditions }),
    ...(startTime === undefined ? {} : { startTime }),
    ...(completionTime === undefined ? {} : { completionTime }),
  }
  return { status, events }
}

/** The target is set first; the job is complete or failed once no pod runs any more. */
function ending(job: Job, verdict: Verdict, { over, succeeded, nowMs }: TransitionFacts): Change {
  const { target, reason, message } = verdict
  const targeted = standingVerdict(job) === undefined ? [{ type: target, status: 'True' as const, reason, message }] : []
  if (!over || isOver(job)) return { conditions: targeted }
  if (target === 'FailureTarget') {
    const failed = { type: 'Failed', status: 'True' as const, reason, message }
    return { conditions: [...targeted, failed], events: [{ type: 'Warning', reason, message }] }
  }
  const tooMany = succeeded > (job.spec.completions ?? Number.POSITIVE_INFINITY)
  return {
    conditions: [...targeted, { type: 'Complete', status: 'True', reason, message }],
    completionTime: timestamp(nowMs),
    events: [...(tooMany ? [TOO_MANY] : []), { type: 'Normal', reason: 'Completed', message: 'Job completed' }],
  }
}

const TOO_MANY: ObjectEvent = {
  type: 'Warning',
  reason: 'TooManySucceededPods',
  message: 'Too many succeeded pods running after completion count reached',
}

function suspension({ spec, status }: Job, now: string): Change {
  const suspended = status?.conditions?.find((c) => c.type === 'Suspended')?.status === 'True'
  if (spec.suspend && !suspended)
    return {
      conditions: [{ type: 'Suspended', status: 'True', reason: 'JobSuspended', message: 'Job suspended' }],
      startTime: undefined,
      events: [{ type: 'Normal', reason: 'Suspended', message: 'Job suspended' }],
    }
  if (!spec.suspend && suspended)
    return {
      conditions: [{ type: 'Suspended', status: 'False', reason: 'JobResumed', message: 'Job resumed' }],
      startTime: now,
      events: [{ type: 'Normal', reason: 'Resumed', message: 'Job resumed' }],
    }
  return {}
}
