import { once } from '../../base/once.ts'
import { textColumn } from '../text-column.ts'
import type { ControllerReport } from './controller-report.ts'
import { DECIMAL, list, META, NUMBER, publishedResource, reportStructs, TEXT } from './report-schema.ts'

/** Documentation of fields for `kubectl explain`, by name. */
const ABOUT: Readonly<Record<string, string>> = {
  component: 'The program that it is part of.',
  workers: 'How many keys it works on at once.',
  working: 'How many keys it works on now.',
  waiting: 'How many keys wait for it.',
  delayed: 'How many keys come later.',
  failing: 'How many keys have failed last.',
  reconciled: 'Reconciliations since it was started.',
  failed: 'Reconciliations that failed.',
  keys: 'Keys that fail, those that it works on, that wait, and that come later.',
  recent: 'The last reconciliations, the latest first.',
  state: 'working, waiting, or delayed until a time.',
  until: 'When the key is reconciled.',
  failures: 'How often in a row the key has failed.',
  error: 'The error of the last attempt, or of the write.',
  time: 'When it began.',
  tookMs: 'How long it took, in milliseconds; absent while it runs.',
  cause: 'The event for which the key was put in; absent: it came by time, or after a failure.',
  revision: 'The resourceVersion of the event.',
  requestTrail: 'The request that stored it, where it is recorded.',
  plan: 'What was decided, of controllers that decide before they write.',
  step: 'apply, keep (it is as it is to be), wait (it is being deleted), delete, status, or again (after some time).',
  afterMs: 'When it comes again, in milliseconds.',
  writes: 'What was written.',
  unlisted: 'Steps of the plan and writes beyond those.',
}

const struct = reportStructs(ABOUT)

/** The types of `controller-report.ts`. */
const schema = once(() => {
  const write = struct('ReportedWrite', {
    verb: TEXT,
    group: TEXT,
    version: TEXT,
    resource: TEXT,
    namespace: TEXT,
    name: TEXT,
    subresource: TEXT,
    error: TEXT,
  })
  const step = struct('PlannedStep', { step: TEXT, apiVersion: TEXT, kind: TEXT, namespace: TEXT, name: TEXT, afterMs: NUMBER })
  const reconciliation = struct('ReportedReconciliation', {
    key: TEXT,
    time: TEXT,
    tookMs: DECIMAL,
    error: TEXT,
    cause: struct('ReconciliationCause', { revision: TEXT, requestTrail: TEXT }),
    plan: list(step),
    writes: list(write),
    unlisted: NUMBER,
  })
  return struct('ControllerReport', {
    apiVersion: TEXT,
    kind: TEXT,
    metadata: META(),
    component: TEXT,
    workers: NUMBER,
    working: NUMBER,
    waiting: NUMBER,
    delayed: NUMBER,
    failing: NUMBER,
    reconciled: NUMBER,
    failed: NUMBER,
    keys: list(struct('ReportedKey', { key: TEXT, state: TEXT, until: TEXT, failures: NUMBER, error: TEXT })),
    recent: list(reconciliation),
  })
})

const count = (name: string, description: string, of: (r: ControllerReport) => number) =>
  textColumn<ControllerReport>(name, description, (r) => String(of(r)))

/**
 * `controllerreports.bowsprit.dev`: one for each controller that runs. Served where requests are recorded. An operator creates those of its
 * own controllers, which are kept for some seconds.
 */
export const controllerReports = publishedResource(
  { kind: 'ControllerReport', plural: 'controllerreports', singular: 'controllerreport' },
  {
    schema,
    report: 'controllerReports',
    scope: 'Cluster',
    columns: [
      textColumn<ControllerReport>('Name', 'The name of the controller.', (r) => r.metadata.name ?? ''),
      textColumn<ControllerReport>('Component', 'The program that it is part of.', (r) => r.component),
      count('Working', 'Keys that it works on now.', (r) => r.working),
      count('Waiting', 'Keys that wait for it.', (r) => r.waiting),
      count('Delayed', 'Keys that come later.', (r) => r.delayed),
      count('Failing', 'Keys that have failed last.', (r) => r.failing),
      count('Reconciled', 'Reconciliations since it was started.', (r) => r.reconciled),
      textColumn<ControllerReport>('Last', 'The key that it reconciled last.', (r) => r.recent?.[0]?.key ?? '<none>'),
    ],
  },
)
