import { child } from '../../machinery/field-error.ts'
import { templateWarnings } from '../pod/warnings.ts'
import type { JobSpec } from './job-types.ts'

const MOST_COMPLETIONS = 100_000
/** With more pods at once than this, even failed indexes may be too many to write down. */
const MOST_PARALLEL = 10_000
const TOO_MANY_INDEXES =
  'In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail'

/** Warnings of a job's specification. `path` is its field path. */
export function jobWarnings(spec: JobSpec | undefined, path: string): string[] {
  const { completionMode, completions = 0, parallelism = 0, template } = spec ?? {}
  const tooMany = completionMode === 'Indexed' && completions > MOST_COMPLETIONS && parallelism > MOST_PARALLEL
  return [...(tooMany ? [`${path}: ${TOO_MANY_INDEXES}`] : []), ...templateWarnings(template, child(path, 'template'))]
}
