import { isObject, type Json, type KubeObject } from '../../../machinery/object.ts'
import type { ControllerReport } from '../../../resources/bowsprit/controller-report.ts'
import type { QueueReport } from '../../../resources/bowsprit/queue-report.ts'
import type { RequestTrail } from '../../../resources/bowsprit/request-trail.ts'
import type { WatchReport } from '../../../resources/bowsprit/watch-report.ts'
import { podHealth } from './pod-health.ts'
import type { ReportedHealth } from './reported-health.ts'

const WELL: ReportedHealth = Object.freeze({ tone: '', health: '' })

/** How an object does, by what its kind reports of itself. What cannot be read counts as well. */
export function summaryOf(object: KubeObject, nowMs: number): ReportedHealth {
  try {
    return object.kind === 'Pod' ? podHealth(object, nowMs) : (ofKind(object) ?? ofDeletion(object) ?? ofConditions(object) ?? WELL)
  } catch {
    return WELL
  }
}

interface Reported {
  readonly phase?: string
  readonly replicas?: number
  readonly availableReplicas?: number
  readonly readyReplicas?: number
  readonly numberReady?: number
  readonly desiredNumberScheduled?: number
  readonly conditions?: Json
}

const reportedBy = ({ status }: KubeObject): Reported => (status ?? {}) as Reported

function ofDeletion({ metadata }: KubeObject): ReportedHealth | undefined {
  if (metadata.deletionTimestamp === undefined) return undefined
  const waits = metadata.finalizers?.join(', ')
  return { tone: 'busy', health: waits ? `is being deleted, waits for the finalizers ${waits}` : 'is being deleted' }
}

function ofKind(object: KubeObject): ReportedHealth | undefined {
  const { kind } = object
  const status = reportedBy(object)
  const { replicas: wanted = 1 } = (object.spec ?? {}) as { readonly replicas?: number }
  if (kind === 'Event') return (object as { type?: string }).type === 'Warning' ? { tone: 'bad', health: '' } : undefined
  if (kind === 'RequestTrail') return trailHealth(object)
  if (kind === 'Node') return nodeHealth(object)
  if (object.apiVersion === 'bowsprit.dev/v1') return reportHealth(object)
  if (kind === 'Job') return jobHealth(object)
  if (kind === 'Deployment' || kind === 'StatefulSet') return short(status.availableReplicas ?? 0, wanted) && failing(object)
  if (kind === 'DaemonSet') return short(status.numberReady ?? 0, status.desiredNumberScheduled ?? 0)
  if (kind === 'ReplicaSet' || kind === 'ReplicationController') return short(status.readyReplicas ?? 0, wanted)
  if (status.phase === 'Lost' || status.phase === 'Failed') return { tone: 'bad', health: status.phase }
  return kind === 'PersistentVolumeClaim' && status.phase === 'Pending' ? { tone: 'busy', health: 'waits for a volume' } : undefined
}

const short = (ready: number, wanted: number): ReportedHealth | undefined =>
  ready < wanted ? { tone: 'busy', health: `${ready} of ${wanted} ready` } : undefined

/** A workload that is not there yet: on its way, or stuck. */
function failing(object: KubeObject): ReportedHealth {
  const stuck = conditionsOf(object).find(
    ({ type, status }) => (type === 'ReplicaFailure' && status === 'True') || (type === 'Progressing' && status === 'False'),
  )
  if (stuck !== undefined) return { tone: 'bad', health: sentence(stuck) }
  const { replicas = 1 } = (object.spec ?? {}) as { readonly replicas?: number }
  return { tone: 'busy', health: `${reportedBy(object).availableReplicas ?? 0} of ${replicas} ready` }
}

function nodeHealth(node: KubeObject): ReportedHealth | undefined {
  const ready = conditionsOf(node).find(({ type }) => type === 'Ready')
  if (ready?.status !== 'True') return { tone: 'bad', health: ready === undefined ? 'has not reported yet' : sentence(ready) }
  const pressure = conditionsOf(node).find(({ type, status }) => type !== 'Ready' && status === 'True')
  if (pressure !== undefined) return { tone: 'bad', health: sentence(pressure) }
  return (node.spec as { unschedulable?: boolean } | undefined)?.unschedulable ? { tone: 'busy', health: 'is cordoned' } : WELL
}

/** Of a request the answer counts. */
function trailHealth(object: KubeObject): ReportedHealth {
  const { code = 0, state, message = '' } = object as Partial<RequestTrail>
  if (state === 'running') return { tone: 'busy', health: '' }
  return code >= 400 || state === 'failed' ? { tone: 'bad', health: message } : WELL
}

/** Who opens the same watch so often in ten minutes is in a loop. */
const LOOPING = 20

function reportHealth(object: KubeObject): ReportedHealth {
  const { failing = 0 } = object as Partial<ControllerReport>
  if (failing > 0) return { tone: 'bad', health: `${failing} ${failing === 1 ? 'key fails' : 'keys fail'}` }
  const { state, openings = 0, expired = 0 } = object as Partial<WatchReport>
  if (expired > 0) return { tone: 'bad', health: `ended ${expired} times with 410` }
  if (openings >= LOOPING) return { tone: 'bad', health: `opened ${openings} times in ten minutes` }
  if (state === 'lagging') return { tone: 'bad', health: 'reads the history to catch up' }
  const { queue } = object as Partial<QueueReport>
  return queue === 'Unschedulable' || queue === 'Gated' ? { tone: 'busy', health: '' } : WELL
}

function jobHealth(job: KubeObject): ReportedHealth | undefined {
  const ended = conditionsOf(job).find(({ type, status }) => (type === 'Failed' || type === 'Complete') && status === 'True')
  if (ended === undefined) return undefined
  return ended.type === 'Failed' ? { tone: 'bad', health: sentence(ended) } : { tone: 'done', health: '' }
}

interface ReportedCondition {
  readonly type: string
  readonly status: string
  readonly reason: string
  readonly message: string
}

/** Conditions that are good when true (the API conventions' positive polarity), and those that are bad when true. */
const GOOD = new Set(['Ready', 'Available', 'Established', 'NamesAccepted', 'Synced', 'Reconciled', 'Accepted', 'Programmed', 'Healthy'])
const BAD = new Set(['Failed', 'Degraded', 'Stalled', 'NamespaceDeletionContentFailure', 'NonStructuralSchema'])

function ofConditions(object: KubeObject): ReportedHealth | undefined {
  const found = conditionsOf(object).find(
    ({ type, status }) => (GOOD.has(type) && status === 'False') || (BAD.has(type) && status === 'True'),
  )
  return found && { tone: 'bad', health: sentence(found) }
}

function conditionsOf(object: KubeObject): readonly ReportedCondition[] {
  const { conditions } = reportedBy(object)
  if (!Array.isArray(conditions)) return []
  return conditions.filter(isObject).map(({ type, status, reason, message }) => ({
    type: String(type),
    status: String(status),
    reason: typeof reason === 'string' ? reason : '',
    message: typeof message === 'string' ? message : '',
  }))
}

const sentence = ({ type, status, reason, message }: ReportedCondition): string =>
  [reason || `${type} is ${status}`, message].filter((part) => part !== '').join(': ')
