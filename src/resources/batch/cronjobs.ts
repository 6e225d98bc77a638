import { child, type FieldError, invalid, invalidNamed, notSupported, required } from '../../machinery/field-error.ts'
import { age } from '../../machinery/human-duration.ts'
import type { RulesContext } from '../../machinery/resource/definition.ts'
import { selectorText } from '../cells.ts'
import { validateNonNegative } from '../checks.ts'
import { podRules } from '../core/pods/pod-rules.ts'
import { AGE, define, NAME } from '../define.ts'
import { validateNeededEnum } from '../enumerations.ts'
import { shownSelector } from '../pod/selected-template.ts'
import { SELECTOR, templateColumns } from '../pod/template-columns.ts'
import { hostnameWarnings, isNewGeneration } from '../pod/warnings.ts'
import type * as batch from '../types/batch.ts'
import type { Unchecked, UncheckedObject } from '../unchecked.ts'
import { CronError, isTimeZone, parseCronSchedule } from './cron-schedule.ts'
import { defaultJobParts } from './job-defaults.ts'
import type { JobSpec } from './job-types.ts'
import { jobWarnings } from './job-warnings.ts'
import { validateJobSpec } from './validate-job.ts'

type CronJob = UncheckedObject<batch.CronJob>
type CronJobSpec = Unchecked<batch.CronJobSpec>

const boolText = (value: boolean | undefined) => (value === undefined ? '<unset>' : value ? 'True' : 'False')

// Jobs are named after the CronJob and a time, and pods after the Job.
const longestName = 52

export const cronJobs = define<CronJob>({
  group: 'batch',
  kind: 'CronJob',
  plural: 'cronjobs',
  singular: 'cronjob',
  shortNames: ['cj'],
  categories: ['all'],
  columns: [
    NAME,
    { name: 'Schedule', describes: 'spec.schedule', cell: (o) => o.spec?.schedule ?? '' },
    { name: 'Timezone', describes: 'spec.timeZone', cell: (o) => o.spec?.timeZone ?? '<none>' },
    { name: 'Suspend', type: 'boolean', describes: 'spec.suspend', cell: (o) => boolText(o.spec?.suspend) },
    { name: 'Active', type: 'integer', describes: 'status.active', cell: (o) => (o.status?.active ?? []).length },
    {
      name: 'Last Schedule',
      describes: 'status.lastScheduleTime',
      cell: (o, now) => (o.status?.lastScheduleTime ? age(o.status.lastScheduleTime, now) : '<none>'),
    },
    AGE,
    ...templateColumns((o: CronJob) => o.spec?.jobTemplate?.spec?.template),
    { ...SELECTOR, describes: 'spec.jobTemplate.spec.selector', cell: (o) => selectorText(o.spec?.jobTemplate?.spec?.selector) },
  ],
  metadataChecks: 'as-update',
  podSpec: (o) => o.spec?.jobTemplate?.spec?.template?.spec,
  rules: {
    generation: 'spec',
    defaults: (draft) => {
      draft.spec ??= {}
      const spec: CronJobSpec = draft.spec
      spec.concurrencyPolicy ||= 'Allow'
      spec.suspend ??= false
      spec.successfulJobsHistoryLimit ??= 3
      spec.failedJobsHistoryLimit ??= 1
      spec.jobTemplate ??= {}
      spec.jobTemplate.spec ??= {}
      defaultJobParts(spec.jobTemplate.spec)
    },
    prepareForCreate: (draft) => {
      draft.status = {}
    },
    validateCreate: (o, context) => [
      ...validateSpec(o.spec ?? {}, undefined, context),
      ...((o.metadata.name ?? '').length > longestName
        ? [invalid('metadata.name', o.metadata.name ?? '', `must be no more than ${longestName} characters`)]
        : []),
    ],
    validateUpdate: (o, old, context) => validateSpec(o.spec ?? {}, old.spec ?? {}, context),
    warnings,
  },
  subresources: { status: { kind: 'status', rules: { metadataChecks: 'not', validateUpdate: () => [], warnings: () => [] } } },
})

function validateSpec(spec: CronJobSpec, old: CronJobSpec | undefined, context: RulesContext): FieldError[] {
  const faults: FieldError[] = []
  if (!spec.schedule) faults.push(required('spec.schedule'))
  else faults.push(...validateSchedule(spec, spec.schedule, old, 'spec.schedule'))
  faults.push(...validateNonNegative(spec.startingDeadlineSeconds, 'spec.startingDeadlineSeconds'))
  if (spec.timeZone !== undefined && (!old || old.timeZone !== spec.timeZone))
    faults.push(...validateTimeZone(spec.timeZone, 'spec.timeZone'))
  faults.push(...validateNeededEnum(spec.concurrencyPolicy, 'batch_v1.ConcurrencyPolicy', 'spec.concurrencyPolicy'))
  faults.push(...validateJobTemplate(spec.jobTemplate?.spec ?? {}, 'spec.jobTemplate.spec', context))
  for (const field of ['successfulJobsHistoryLimit', 'failedJobsHistoryLimit'] as const)
    faults.push(...validateNonNegative(spec[field], child('spec', field)))
  return faults
}

function validateSchedule(spec: CronJobSpec, schedule: string, old: CronJobSpec | undefined, path: string): FieldError[] {
  const faults: FieldError[] = []
  try {
    parseCronSchedule(schedule)
  } catch (error) {
    if (!(error instanceof CronError)) throw error
    faults.push(invalid(path, schedule, error.message))
  }
  if (!schedule.includes('TZ')) return faults
  const allowed = old?.schedule?.includes('TZ') ?? false
  if (!allowed) faults.push(invalid(path, schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead'))
  else if (spec.timeZone !== undefined) faults.push(invalid(path, schedule, 'cannot use both timeZone field and TZ or CRON_TZ in schedule'))
  return faults
}

function validateTimeZone(zone: string, path: string): FieldError[] {
  if (zone === '') return [invalidNamed(path, zone, 'timeZone must be nil or non-empty string')]
  const unknown = invalidNamed(path, zone, `unknown time zone ${zone}`)
  if (zone.split('/').some((part) => part === '.' || part === '..' || !/^(?!-)[\w.+-]{1,14}$/.test(part))) return [unknown]
  if (zone.toLowerCase() === 'local')
    return [invalidNamed(path, zone, 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones')]
  if (zone.includes('..')) return [invalid(path, zone, 'time: invalid location name')]
  return isTimeZone(zone) ? [] : [unknown]
}

function validateJobTemplate(spec: JobSpec, path: string, context: RulesContext): FieldError[] {
  const faults = validateJobSpec(spec, path, podRules(context))
  if (spec.selector) faults.push(invalid(child(path, 'selector'), shownSelector(spec.selector), '`selector` will be auto-generated'))
  if (spec.manualSelector) faults.push(notSupported(child(path, 'manualSelector'), true, ['nil', 'false']))
  return faults
}

const TIME_ZONES = 'https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details'

function warnings(o: CronJob, old: CronJob | undefined): string[] {
  const spec: CronJobSpec = o.spec ?? {}
  const out = old ? [] : hostnameWarnings(o.metadata.name ?? '', 'Pod names and hostnames')
  if (isNewGeneration(o, old)) out.push(...jobWarnings(spec.jobTemplate?.spec, 'spec.jobTemplate.spec'))
  // Such a schedule is older than the rule against it; the path is Kubernetes' own.
  if (old && spec.schedule?.includes('TZ'))
    out.push(`cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see ${TIME_ZONES}`)
  return out
}
