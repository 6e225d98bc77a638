import {
  child,
  duplicateNamed,
  type FieldError,
  index,
  invalid,
  invalidNamed,
  invalidUnshown,
  required,
} from '../../machinery/field-error.ts'
import { validateNonNegative } from '../checks.ts'
import { firstCommon, parseIndexes } from './job-indexes.ts'
import type { Job, JobStatus } from './job-types.ts'

const PATH = 'status'
const CONDITIONS = child(PATH, 'conditions')
const COMPLETION = child(PATH, 'completionTime')
const START = child(PATH, 'startTime')
const UNCOUNTED = child(PATH, 'uncountedTerminatedPods')
const COUNTS = ['active', 'succeeded', 'failed', 'ready', 'terminating'] as const

/** Validates a status, by whichever controller it was written, so that clients can rely on it; in the order in which Kubernetes does. */
export function validateJobStatus(job: Job, old: Job): FieldError[] {
  const { status = {} } = job
  const before = old.status ?? {}
  return [
    ...COUNTS.flatMap((field) => validateNonNegative(status[field], child(PATH, field))),
    ...validateUncounted(status),
    ...validateCompletion(status, before),
    ...validateFinished(status),
    ...validateIndexes(job, before),
    ...(finished(status) && (status.terminating ?? 0) > 0
      ? [invalid(child(PATH, 'terminating'), status.terminating, 'terminating>0 is invalid for finished job')]
      : []),
    ...(status.ready !== undefined && status.ready > (status.active ?? 0)
      ? [invalid(child(PATH, 'ready'), status.ready, 'cannot set more ready pods than active')]
      : []),
    ...exclude(status, 'SuccessCriteriaMet', ['Failed', 'FailureTarget']),
    ...validateProgress(job, before),
  ]
}

const holds = ({ conditions }: JobStatus, type: string) => conditions?.some((c) => c?.type === type && c.status === 'True') === true
const finished = (status: JobStatus) => holds(status, 'Complete') || holds(status, 'Failed')
const badConditions = (why: string) => invalidUnshown(CONDITIONS, why)

const exclude = (status: JobStatus, type: string, others: readonly string[]): FieldError[] =>
  others
    .filter((other) => holds(status, type) && holds(status, other))
    .map((other) => badConditions(`cannot set ${type}=True and ${other}=true conditions`))

function validateUncounted({ uncountedTerminatedPods: pods }: JobStatus): FieldError[] {
  const seen = new Set<string>()
  return (['succeeded', 'failed'] as const).flatMap((field) =>
    (pods?.[field] ?? []).flatMap((uid, i) => {
      const at = index(child(UNCOUNTED, field), i)
      if (uid === '') return [invalidNamed(at, uid, 'must not be empty')]
      if (seen.has(uid)) return [duplicateNamed(at, uid)]
      seen.add(uid)
      return []
    }),
  )
}

function validateCompletion(status: JobStatus, before: JobStatus): FieldError[] {
  const { startTime: start, completionTime: end } = status
  const faults = exclude(status, 'Complete', ['Failed', 'FailureTarget'])
  const complete = holds(status, 'Complete')
  if (end && !complete) faults.push(invalid(COMPLETION, end, 'cannot set completionTime when there is no Complete=True condition'))
  if (!end && complete) faults.push(required(COMPLETION, 'completionTime is required for Complete jobs'))
  if (start && end && Date.parse(end) < Date.parse(start)) faults.push(invalid(COMPLETION, end, 'must be equal to or after `startTime`'))
  // A job that has failed keeps its target by a rule of its own.
  for (const [type, cause] of [
    ['Failed', 'FailureTarget'],
    ['Complete', 'SuccessCriteriaMet'],
  ] as const)
    if (holds(status, type) && !holds(status, cause) && !(type === 'Failed' && holds(before, type)))
      faults.push(badConditions(`cannot set ${type}=True condition without the ${cause}=true condition`))
  return faults
}

function validateFinished(status: JobStatus): FieldError[] {
  if (!finished(status)) return []
  const { active = 0, startTime, uncountedTerminatedPods: pods } = status
  const faults: FieldError[] = []
  if (active > 0) faults.push(invalid(child(PATH, 'active'), active, 'active>0 is invalid for finished job'))
  if (!startTime) faults.push(required(START, 'startTime is required for finished job'))
  if (pods?.succeeded?.length || pods?.failed?.length)
    faults.push(invalid(UNCOUNTED, { Succeeded: pods.succeeded ?? null, Failed: pods.failed ?? null }, 'must be empty for finished job'))
  return faults
}

/** Indexes are looked at when they change: an indexed Job may have been scaled down since. */
function validateIndexes({ spec = {}, status = {} }: Job, before: JobStatus): FieldError[] {
  const { completedIndexes: done = '', failedIndexes: failed } = status
  const [doneAt, failedAt] = [child(PATH, 'completedIndexes'), child(PATH, 'failedIndexes')]
  const changed = { done: done !== (before.completedIndexes ?? ''), failed: failed !== before.failedIndexes }
  const { completions, backoffLimitPerIndex } = spec
  const indexed = spec.completionMode === 'Indexed'
  const doneIndexes = completions === undefined ? [] : parseIndexes(done, completions)
  const failedIndexes = completions === undefined || backoffLimitPerIndex === undefined ? [] : parseIndexes(failed ?? '', completions)
  const faults: FieldError[] = []
  if (changed.done && typeof doneIndexes === 'string') faults.push(invalid(doneAt, done, `error parsing completedIndexes: ${doneIndexes}`))
  if (changed.failed && typeof failedIndexes === 'string')
    faults.push(invalidNamed(failedAt, failed, `error parsing failedIndexes: ${failedIndexes}`))
  if (changed.done && done !== '' && !indexed)
    faults.push(invalid(doneAt, done, 'cannot set non-empty completedIndexes when non-indexed completion mode'))
  if (changed.failed && failed !== undefined && backoffLimitPerIndex === undefined)
    faults.push(invalid(failedAt, failed, 'cannot set non-null failedIndexes when backoffLimitPerIndex is null'))
  if ((!changed.done && !changed.failed) || !indexed || typeof doneIndexes === 'string' || typeof failedIndexes === 'string') return faults
  const both = firstCommon(failedIndexes, doneIndexes)
  if (both !== undefined) faults.push(invalid(failedAt, failed, `failedIndexes and completedIndexes overlap at index: ${both}`))
  return faults
}

/** What has been reported cannot be taken back. */
function validateProgress({ spec = {}, status = {} }: Job, before: JobStatus): FieldError[] {
  const faults: FieldError[] = []
  const lost = (type: string) => holds(before, type) && !holds(status, type)
  for (const type of ['Failed', 'Complete', 'FailureTarget'])
    if (lost(type)) faults.push(badConditions(`cannot disable the terminal ${type}=True condition`))
  const scalable = spec.completionMode === 'Indexed' && spec.completions === spec.parallelism
  for (const field of ['failed', 'succeeded'] as const)
    if ((status[field] ?? 0) < (before[field] ?? 0) && !(field === 'succeeded' && scalable))
      faults.push(invalid(child(PATH, field), status[field] ?? 0, `cannot decrease the ${field} counter`))
  const { startTime: start, completionTime: end } = status
  if (end && before.completionTime && end !== before.completionTime) faults.push(invalid(COMPLETION, end, 'field is immutable'))
  if (before.startTime && start !== before.startTime && spec.suspend !== true)
    faults.push(invalid(START, start ?? null, 'field is immutable for unsuspended job once set'))
  if (lost('SuccessCriteriaMet')) faults.push(badConditions('cannot disable the SuccessCriteriaMet=True condition'))
  return faults
}
