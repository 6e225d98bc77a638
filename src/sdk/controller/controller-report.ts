import type { Clock } from '../../base/clock.ts'
import type { ControllerReport, ReportedKey, ReportedReconciliation, ReportedWrite } from '../../resources/bowsprit/controller-report.ts'
import type { NotedWrite } from '../client/create-client.ts'
import type { ControllerActivity, Reconciliation } from './controller-activity.ts'

/** Keys of each controller, and characters of an error. */
const MOST_KEYS = 100
const MOST_TEXT = 1000

/** What a controller does now, as the object that `controllerreports` shows. */
export function controllerReport(activity: ControllerActivity, component: string, clock: Pick<Clock, 'now'>): ControllerReport {
  const { name, queue, workers, reconciled, failed, errors, recent } = activity
  const { counts, working, waiting, delayed } = queue.keys(MOST_KEYS)
  const now = clock.now()
  const keys: readonly ReportedKey[] = [
    ...working.map((key) => ({ key, state: 'working' as const })),
    ...waiting.map((key) => ({ key, state: 'waiting' as const })),
    ...delayed.map(([key, inMs]) => ({ key, state: 'delayed' as const, until: second(now + inMs) })),
  ]
  const shown = keys.map((key) => ({ ...key, ...failureOf(activity, key.key) })).sort((a, b) => failuresOf(b) - failuresOf(a))
  return {
    apiVersion: 'bowsprit.dev/v1',
    kind: 'ControllerReport',
    metadata: { name: objectName(name) },
    component,
    workers,
    ...counts,
    failing: errors.size,
    reconciled,
    failed,
    ...(shown.length > 0 && { keys: shown.slice(0, MOST_KEYS) }),
    ...(recent.length > 0 && { recent: recent.toReversed().map(reported) }),
  }
}

const failuresOf = ({ failures = 0 }: ReportedKey) => failures

function failureOf({ queue, errors }: ControllerActivity, key: string): Pick<ReportedKey, 'failures' | 'error'> {
  const error = errors.get(key)
  return error === undefined ? {} : { failures: queue.failures(key), error: error.slice(0, MOST_TEXT) }
}

function reported({ key, startedAt, tookMs, error, revision, plan, writes, unlisted }: Reconciliation): ReportedReconciliation {
  return {
    key,
    time: new Date(startedAt).toISOString(),
    ...(tookMs !== undefined && { tookMs: Math.round(tookMs * 1000) / 1000 }),
    ...(error !== undefined && { error: error.slice(0, MOST_TEXT) }),
    ...(revision !== undefined && { cause: { revision } }),
    ...(plan.length > 0 && { plan: [...plan] }),
    ...(writes.length > 0 && { writes: writes.map(reportedWrite) }),
    ...(unlisted > 0 && { unlisted }),
  }
}

function reportedWrite({ verb, target, name, error }: NotedWrite): ReportedWrite {
  const { group, version, resource, namespace, subresource } = target
  return {
    verb,
    ...(group !== '' && { group }),
    version,
    resource,
    ...(namespace !== undefined && { namespace }),
    ...(name !== '' && { name }),
    ...(subresource !== undefined && { subresource }),
    ...(error !== undefined && { error: error.slice(0, MOST_TEXT) }),
  }
}

/** Times that are worked out anew for each report are cut to seconds: else they would change without a reason. */
const second = (ms: number) => new Date(Math.round(ms / 1000) * 1000).toISOString().replace('.000', '')

/** A name of an object: lower-case letters, digits, `-` and `.`. */
const objectName = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9.-]+/g, '-')
