import type { Job, PodFailurePolicyRule } from '../../resources/types/batch.ts'
import type { Pod } from '../../resources/types/core.ts'

export type FailureVerdict =
  | { readonly action: 'Count' | 'Ignore' | 'FailIndex' }
  | { readonly action: 'FailJob'; readonly message: string }

/** The first rule of the job's pod failure policy that matches. Pure. */
export function judgeFailure(job: Job, pod: Pod): FailureVerdict {
  const rules = job.spec.podFailurePolicy?.rules ?? []
  for (const [index, rule] of rules.entries()) {
    const what = matchExitCode(rule, pod) ?? matchCondition(rule, pod)
    if (what === undefined) continue
    if (rule.action === 'FailJob') return { action: 'FailJob', message: `${what} matching FailJob rule at index ${index}` }
    return { action: rule.action }
  }
  return { action: 'Count' }
}

const nameOf = (pod: Pod) => `${pod.metadata.namespace}/${pod.metadata.name}`

function matchExitCode({ onExitCodes: rule }: PodFailurePolicyRule, pod: Pod): string | undefined {
  if (rule === undefined) return undefined
  const statuses = [...(pod.status?.containerStatuses ?? []), ...(pod.status?.initContainerStatuses ?? [])]
  for (const status of statuses) {
    const code = status.state?.terminated?.exitCode
    if (code === undefined || code === 0 || (rule.containerName !== undefined && rule.containerName !== status.name)) continue
    if (rule.values.includes(code) === (rule.operator === 'In'))
      return `Container ${status.name} for pod ${nameOf(pod)} failed with exit code ${code}`
  }
  return undefined
}

function matchCondition({ onPodConditions: patterns }: PodFailurePolicyRule, pod: Pod): string | undefined {
  for (const pattern of patterns ?? [])
    for (const condition of pod.status?.conditions ?? [])
      if (condition.type === pattern.type && condition.status === (pattern.status ?? 'True'))
        return `Pod ${nameOf(pod)} has condition ${condition.type}`
  return undefined
}
