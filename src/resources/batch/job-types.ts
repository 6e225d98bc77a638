import type * as batch from '../types/batch.ts'
import type { Unchecked, UncheckedObject } from '../unchecked.ts'

export type Job = UncheckedObject<batch.Job>
/** What a Job is asked to do, as far as rules read it. */
export type JobSpec = Unchecked<batch.JobSpec>
export type FailureRule = Unchecked<batch.PodFailurePolicyRule>

export type SuccessRule = Unchecked<batch.SuccessPolicyRule>
