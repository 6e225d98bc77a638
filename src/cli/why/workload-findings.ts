import type { Event, Pod } from '../../resources/types/core.ts'
import { type Diagnosis, type Finding, lastWarning } from './finding.ts'
import { podFindings, simulatedFindings } from './pod-findings.ts'

/** A Deployment, ReplicaSet, StatefulSet, DaemonSet, ReplicationController or Job, as far as its state goes. */
export interface Workload {
  readonly kind: string
  readonly metadata: { readonly generation?: number; readonly deletionTimestamp?: string }
  readonly spec?: { readonly replicas?: number; readonly paused?: boolean; readonly suspend?: boolean; readonly completions?: number }
  readonly status?: {
    readonly observedGeneration?: number
    readonly availableReplicas?: number
    readonly numberAvailable?: number
    readonly desiredNumberScheduled?: number
    readonly succeeded?: number
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason?: string; readonly message?: string }[]
  }
}

export interface WorkloadFacts {
  /** Its pods, with the events of each by name. */
  readonly pods: readonly Pod[]
  readonly eventsOf: (pod: Pod) => readonly Event[]
  /** The events of the workload, and of replica sets between it and its pods. */
  readonly events: readonly Event[]
}

/** Why a workload has fewer pods than it should. */
export function diagnoseWorkload(workload: Workload, facts: WorkloadFacts): Diagnosis {
  return { summary: summaryOf(workload), findings: [...ownFindings(workload, facts), ...podsFindings(facts)] }
}

function summaryOf({ kind, spec = {}, status = {} }: Workload): string {
  if (kind === 'Job') return `${status.succeeded ?? 0} of ${spec.completions ?? 1} completions`
  if (kind === 'DaemonSet') return `${status.numberAvailable ?? 0} of ${status.desiredNumberScheduled ?? 0} pods are available`
  return `${status.availableReplicas ?? 0} of ${spec.replicas ?? 1} replicas are available`
}

/** Conditions that are bad when they are True; the others are bad when they are False. */
const BAD = new Set(['ReplicaFailure', 'Failed'])

function ownFindings({ kind, metadata, spec = {}, status = {} }: Workload, { events, pods }: WorkloadFacts): readonly Finding[] {
  const found: Finding[] = []
  if (metadata.deletionTimestamp !== undefined) found.push({ message: 'it is being deleted' })
  if ((status.observedGeneration ?? metadata.generation ?? 0) < (metadata.generation ?? 0))
    found.push({ message: 'no controller has seen its last change', help: `is there one for this ${kind}? (bowsprit up --parts)` })
  if (spec.paused === true) found.push({ message: 'it is paused: a change of its template waits', help: 'kubectl rollout resume' })
  if (spec.suspend === true) found.push({ message: 'it is suspended: no pods are created', help: 'set spec.suspend to false' })
  if (spec.replicas === 0) found.push({ message: 'spec.replicas is 0' })
  for (const { type, status: is, reason, message = '' } of status.conditions ?? []) {
    const isBad = BAD.has(type) ? is === 'True' : type === 'Progressing' && is === 'False'
    if (isBad) found.push({ message: `${reason ?? type}: ${message}` })
  }
  const refused = lastWarning(events, 'FailedCreate')?.message
  if (refused !== undefined && !found.some(({ message }) => message.endsWith(refused))) found.push({ message: refused })
  if (found.length === 0 && pods.length === 0 && kind !== 'Job') found.push({ message: 'it has no pods' })
  return found
}

/** The findings of its pods, each once with the number of pods that have it. */
function podsFindings({ pods, eventsOf }: WorkloadFacts): readonly Finding[] {
  const counts = new Map<string, { readonly finding: Finding; readonly names: string[] }>()
  for (const pod of pods) {
    const { name = '' } = pod.metadata
    const events = eventsOf(pod)
    const found = pod.spec.nodeName === undefined ? [unplaced(pod)] : [...podFindings(pod, events), ...simulatedFindings(events)]
    for (const finding of found) {
      const key = finding.message.replaceAll(whole(name), 'POD')
      const known = counts.get(key) ?? { finding, names: [] }
      known.names.push(name)
      counts.set(key, known)
    }
  }
  return [...counts.values()].map(({ finding, names: [first = '', ...others] }) => ({
    message: `pod ${first}${others.length === 0 ? '' : ` and ${others.length} more`}: ${finding.message}`,
    ...(finding.help && { help: finding.help.replaceAll('POD', first) }),
  }))
}

function unplaced({ metadata: { name = '' }, status }: Pod): Finding {
  const message = status?.conditions?.find(({ type }) => type === 'PodScheduled')?.message
  return {
    message: message === undefined ? 'it is not scheduled yet' : `it is not scheduled: ${message}`,
    help: `bowsprit why pod ${name}`,
  }
}

/** The name of a pod, where it is no part of another word. */
const whole = (name: string) => new RegExp(`(?<![a-z0-9.-])${name.replaceAll('.', '\\.')}(?![a-z0-9.-])`, 'g')
