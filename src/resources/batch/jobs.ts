import { humanDuration } from '../../machinery/human-duration.ts'
import { podRules } from '../core/pods/pod-rules.ts'
import { AGE, define, NAME } from '../define.ts'
import { SELECTOR, templateColumns } from '../pod/template-columns.ts'
import { hostnameWarnings, isNewGeneration } from '../pod/warnings.ts'
import { defaultJob, takeTemplateLabels } from './job-defaults.ts'
import { generateSelector } from './job-selector.ts'
import type { Job } from './job-types.ts'
import { validateJobUpdate } from './job-update.ts'
import { jobWarnings } from './job-warnings.ts'
import { validateJob } from './validate-job.ts'
import { validateJobStatus } from './validate-job-status.ts'

export const jobs = define<Job>({
  group: 'batch',
  kind: 'Job',
  plural: 'jobs',
  singular: 'job',
  categories: ['all'],
  columns: [
    NAME,
    { name: 'Status', description: 'Where the job stands.', cell: status },
    { name: 'Completions', describes: 'status.succeeded', cell: completions },
    { name: 'Duration', description: 'How long it took, or has been running.', cell: duration },
    AGE,
    ...templateColumns((o: Job) => o.spec?.template),
    SELECTOR,
  ],
  selectableFields: { 'status.successful': (o) => String(o.status?.succeeded ?? 0) },
  podSpec: (o) => o.spec?.template?.spec,
  readBack: takeTemplateLabels,
  rules: {
    generation: 'spec',
    defaults: defaultJob,
    prepareForCreate: (draft) => {
      generateSelector(draft)
      draft.status = {}
    },
    validateCreate: (job, context) => validateJob(job, podRules(context)),
    validateUpdate: (job, old, context) => validateJobUpdate(job, old, podRules(context)),
    warnings: (job, old) => [
      ...(old ? [] : hostnameWarnings(job.metadata.name ?? '', 'Pod names and hostnames')),
      ...(isNewGeneration(job, old) ? jobWarnings(job.spec, 'spec') : []),
    ],
    defaultPropagation: 'Orphan',
    deleteWarning:
      'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
  },
  subresources: { status: { kind: 'status', rules: { validateUpdate: validateJobStatus, warnings: () => [] } } },
})

const CONDITION_WORDS = ['Complete', 'Failed', 'Suspended', 'SuccessCriteriaMet', 'FailureTarget']

function status(job: Job): string {
  const conditions = job.status?.conditions ?? []
  const holds = (type: string) => conditions.some((c) => c.type === type && c.status === 'True')
  if (holds('Complete')) return 'Complete'
  if (holds('Failed')) return 'Failed'
  if (job.metadata.deletionTimestamp) return 'Terminating'
  return CONDITION_WORDS.slice(2).find(holds) ?? 'Running'
}

function completions(job: Job): string {
  const done = job.status?.succeeded ?? 0
  if (job.spec?.completions !== undefined) return `${done}/${job.spec.completions}`
  const parallel = job.spec?.parallelism ?? 0
  return parallel > 1 ? `${done}/1 of ${parallel}` : `${done}/1`
}

function duration(job: Job, now: number): string {
  const { startTime, completionTime } = job.status ?? {}
  if (!startTime) return ''
  return humanDuration((completionTime ? Date.parse(completionTime) : now) - Date.parse(startTime))
}
