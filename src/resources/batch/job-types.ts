import type * as batch from '../types/batch.ts'
import type { Unchecked, UncheckedObject } from '../unchecked.ts'

export type Job = UncheckedObject<batch.Job>
/** The status of a Job, as rules read it. */
export type JobStatus = Unchecked<batch.JobStatus>
/** The spec of a Job, as rules read it. */
export type JobSpec = Unchecked<batch.JobSpec>
export type FailureRule = Unchecked<batch.PodFailurePolicyRule>

export type SuccessRule = Unchecked<batch.SuccessPolicyRule>
