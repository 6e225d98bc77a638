import type { AuditPolicy } from '../../apiserver/audit/policy.ts'
import { readAuditPolicy } from '../../apiserver/audit/policy.ts'
import type { FlagValues } from '../../machinery/flags/flag.ts'
import { bool, duration, float, int, refused, text } from '../../machinery/flags/kinds.ts'
import { decodeYaml } from '../../machinery/yaml.ts'
import { optionFile } from './files.ts'

const NOT_YET = refused('not followed yet')

/** What is written down of requests, and where. */
export const AUDIT_FLAGS = {
  'audit-policy-file': text('', { help: 'an audit.k8s.io/v1 Policy' }),
  'audit-log-path': text('', { help: 'the file of audit events; - is standard output' }),
  'audit-log-format': text('json', NOT_YET),
  'audit-log-version': text('audit.k8s.io/v1', NOT_YET),
  'audit-log-mode': text('blocking', NOT_YET),
  'audit-log-maxage': int(366, NOT_YET),
  'audit-log-maxbackup': int(100, NOT_YET),
  'audit-log-maxsize': int(100, NOT_YET),
  'audit-log-compress': bool(false, NOT_YET),
  'audit-log-batch-buffer-size': int(10_000, NOT_YET),
  'audit-log-batch-max-size': int(1, NOT_YET),
  'audit-log-batch-max-wait': duration(0, NOT_YET),
  'audit-log-batch-throttle-enable': bool(false, NOT_YET),
  'audit-log-batch-throttle-qps': float(0, NOT_YET),
  'audit-log-batch-throttle-burst': int(0, NOT_YET),
  'audit-log-truncate-enabled': bool(false, NOT_YET),
  'audit-log-truncate-max-batch-size': int(10_485_760, NOT_YET),
  'audit-log-truncate-max-event-size': int(102_400, NOT_YET),
  'audit-webhook-config-file': text('', NOT_YET),
  'audit-webhook-version': text('audit.k8s.io/v1', NOT_YET),
  'audit-webhook-mode': text('batch', NOT_YET),
  'audit-webhook-initial-backoff': duration(10_000, NOT_YET),
  'audit-webhook-batch-buffer-size': int(10_000, NOT_YET),
  'audit-webhook-batch-max-size': int(400, NOT_YET),
  'audit-webhook-batch-max-wait': duration(30_000, NOT_YET),
  'audit-webhook-batch-throttle-enable': bool(true, NOT_YET),
  'audit-webhook-batch-throttle-qps': float(10, NOT_YET),
  'audit-webhook-batch-throttle-burst': int(15, NOT_YET),
  'audit-webhook-truncate-enabled': bool(false, NOT_YET),
  'audit-webhook-truncate-max-batch-size': int(10_485_760, NOT_YET),
  'audit-webhook-truncate-max-event-size': int(102_400, NOT_YET),
}

type AuditValues = FlagValues<typeof AUDIT_FLAGS>

/** Undefined: nothing is written down. */
export type AuditOptions = { readonly policy: AuditPolicy; readonly file: string } | undefined

export const auditFaults = (_flags: { readonly values: AuditValues }): string[] => []

export function readAudit({ values }: { readonly values: AuditValues }): AuditOptions {
  const file = values['audit-policy-file']
  if (file === '' || values['audit-log-path'] === '') return undefined
  return { policy: readAuditPolicy(decodeYaml(optionFile(file).current()).value), file: values['audit-log-path'] }
}
