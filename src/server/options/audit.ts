import { AuditPolicyError, readAuditPolicy } from '../../apiserver/audit/read-policy.ts'
import { goQuote } from '../../machinery/field-error.ts'
import type { FlagValues } from '../../machinery/flags/flag.ts'
import { bool, duration, float, int, text } from '../../machinery/flags/kinds.ts'
import { AUDIT_FORMATS, type AuditMode, type AuditOptions, type DeliveryOptions } from '../audit/audit-options.ts'
import { optionFile } from '../option-file.ts'
import { OptionsError } from '../options-error.ts'

const VERSION = 'audit.k8s.io/v1'

/** The audit policy and backends. */
export const AUDIT_FLAGS = {
  'audit-policy-file': text('', { help: 'an audit.k8s.io/v1 Policy: which requests are audited, in which detail' }),
  'audit-log-path': text('', { help: 'the file of audit events; - is standard output' }),
  'audit-log-format': text('json', { help: 'json, or legacy: a line of words' }),
  'audit-log-version': text(VERSION, { help: 'the API version of the events' }),
  'audit-log-mode': text('blocking', {
    help: 'blocking: responses wait until the event is written; blocking-strict: the request fails if that fails; batch: responses do not wait',
  }),
  'audit-log-maxage': int(366, { help: 'after how many days old files are deleted; 0: never' }),
  'audit-log-maxbackup': int(100, { help: 'how many old files are kept; 0: all' }),
  'audit-log-maxsize': int(100, { help: 'after how many megabytes a new file begins; 0: never' }),
  'audit-log-compress': bool(false, { help: 'compress old files' }),
  'audit-log-batch-buffer-size': int(10_000, { help: 'how many events may wait to be written' }),
  'audit-log-batch-max-size': int(1, { help: 'how many events are written at once' }),
  'audit-log-batch-max-wait': duration(0, { help: 'how long an event waits for others' }),
  'audit-log-batch-throttle-enable': bool(false, { help: 'limit how many batches are written in a second' }),
  'audit-log-batch-throttle-qps': float(0, { help: 'batches a second, if limited' }),
  'audit-log-batch-throttle-burst': int(0, { help: 'batches at once, if limited' }),
  'audit-log-truncate-enabled': bool(false, { help: 'leave the bodies out of events that are too large' }),
  'audit-log-truncate-max-batch-size': int(10_485_760, { help: 'the largest batch, in bytes, if truncated' }),
  'audit-log-truncate-max-event-size': int(102_400, { help: 'the largest event, in bytes, if truncated' }),
  'audit-webhook-config-file': text('', { help: 'a kubeconfig that names the webhook which gets the events' }),
  'audit-webhook-version': text(VERSION, { help: 'the API version of the events' }),
  'audit-webhook-mode': text('batch', { help: 'as --audit-log-mode' }),
  'audit-webhook-initial-backoff': duration(10_000, { help: 'the pause before the second of five attempts' }),
  'audit-webhook-batch-buffer-size': int(10_000, { help: 'how many events may wait to be sent' }),
  'audit-webhook-batch-max-size': int(400, { help: 'how many events are sent at once' }),
  'audit-webhook-batch-max-wait': duration(30_000, { help: 'how long an event waits for others' }),
  'audit-webhook-batch-throttle-enable': bool(true, { help: 'limit how many batches are sent in a second' }),
  'audit-webhook-batch-throttle-qps': float(10, { help: 'batches a second, if limited' }),
  'audit-webhook-batch-throttle-burst': int(15, { help: 'batches at once, if limited' }),
  'audit-webhook-truncate-enabled': bool(false, { help: 'leave the bodies out of events that are too large' }),
  'audit-webhook-truncate-max-batch-size': int(10_485_760, { help: 'the largest batch, in bytes, if truncated' }),
  'audit-webhook-truncate-max-event-size': int(102_400, { help: 'the largest event, in bytes, if truncated' }),
}

type AuditValues = FlagValues<typeof AUDIT_FLAGS>

const MODES: readonly AuditMode[] = ['batch', 'blocking', 'blocking-strict']

type BackendName = 'log' | 'webhook'

export function auditFaults({ values }: { readonly values: AuditValues }): string[] {
  const faults: string[] = []
  if (values['audit-log-path'] !== '') {
    const format = values['audit-log-format']
    faults.push(...backendFaults('log', values))
    if (!AUDIT_FORMATS.some((f) => f === format))
      faults.push(`invalid audit log format ${format}, allowed formats are ${goQuote(AUDIT_FORMATS.join(','))}`)
    for (const name of ['audit-log-maxage', 'audit-log-maxbackup', 'audit-log-maxsize'] as const)
      if (values[name] < 0) faults.push(`--${name} ${values[name]} can't be a negative number`)
  }
  if (values['audit-webhook-config-file'] !== '') faults.push(...backendFaults('webhook', values))
  return faults
}

function backendFaults(backend: BackendName, values: AuditValues): string[] {
  const of = <N extends string>(name: N) => values[`audit-${backend}-${name}` as keyof AuditValues] as unknown
  const faults: string[] = []
  const mode = of('mode')
  if (!MODES.some((m) => m === mode)) faults.push(`invalid audit ${backend} mode ${mode}, allowed modes are ${goQuote(MODES.join(','))}`)
  else if (mode === 'batch') faults.push(...batchFaults(backend, of))
  const event = Number(of('truncate-max-event-size'))
  const batch = Number(of('truncate-max-batch-size'))
  if (event <= 0) faults.push(`invalid audit truncate ${backend} max event size ${event}, must be a positive number`)
  else if (batch < event)
    faults.push(`invalid audit truncate ${backend} max batch size ${batch}, must be greater than max event size (${event})`)
  if (of('version') !== VERSION) faults.push(`invalid group version, allowed versions are [${goQuote(VERSION)}]`)
  return faults
}

/** The first fault only, as in Kubernetes. */
function batchFaults(backend: BackendName, of: (name: string) => unknown): string[] {
  const wanted: readonly (readonly [string, string])[] = [
    ['buffer size', 'batch-buffer-size'],
    ['max batch size', 'batch-max-size'],
    ...(of('batch-throttle-enable') === true
      ? ([
          ['throttle QPS', 'batch-throttle-qps'],
          ['throttle burst', 'batch-throttle-burst'],
        ] as const)
      : []),
  ]
  const wrong = wanted.find(([, name]) => Number(of(name)) <= 0)
  return wrong === undefined ? [] : [`invalid audit batch ${backend} ${wrong[0]} ${of(wrong[1])}, must be a positive number`]
}

export function readAudit({ values }: { readonly values: AuditValues }): AuditOptions {
  const policyFile = values['audit-policy-file']
  const { policy, unknown } = policyFile === '' ? { policy: undefined, unknown: [] } : readPolicy(policyFile)
  const path = values['audit-log-path']
  const config = values['audit-webhook-config-file']
  return {
    policy,
    unknownFields: unknown,
    log:
      path === ''
        ? undefined
        : {
            path,
            format: values['audit-log-format'] === 'legacy' ? 'legacy' : 'json',
            mostBytes: values['audit-log-maxsize'] * 1024 * 1024,
            mostBackups: values['audit-log-maxbackup'],
            mostDays: values['audit-log-maxage'],
            compress: values['audit-log-compress'],
            delivery: deliveryOf('log', values),
          },
    webhook:
      config === ''
        ? undefined
        : {
            kubeConfigFile: config,
            firstDelayMs: values['audit-webhook-initial-backoff'],
            delivery: deliveryOf('webhook', values),
          },
  }
}

function deliveryOf(backend: BackendName, values: AuditValues): DeliveryOptions {
  return {
    mode: MODES.find((m) => m === values[`audit-${backend}-mode`]) ?? 'blocking',
    batch: {
      mostWaiting: values[`audit-${backend}-batch-buffer-size`],
      mostInBatch: values[`audit-${backend}-batch-max-size`],
      waitMs: values[`audit-${backend}-batch-max-wait`],
      throttle: values[`audit-${backend}-batch-throttle-enable`]
        ? { perSecond: values[`audit-${backend}-batch-throttle-qps`], burst: values[`audit-${backend}-batch-throttle-burst`] }
        : undefined,
    },
    mostEventBytes: values[`audit-${backend}-truncate-enabled`] ? values[`audit-${backend}-truncate-max-event-size`] : undefined,
  }
}

function readPolicy(file: string) {
  const says = (error: string) => `loading audit policy file: ${error}`
  const text = optionFile(file, (error) => says(`failed to read file path ${goQuote(file)}: ${error}`)).current()
  try {
    return readAuditPolicy(text)
  } catch (cause) {
    if (!(cause instanceof AuditPolicyError)) throw cause
    throw new OptionsError('bad-file', says(`${cause.message}: from file ${file}`), { cause })
  }
}
