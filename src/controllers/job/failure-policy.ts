import type { KubeObject } from '../../machinery/object.ts'

export type FailureVerdict =
  | { readonly action: 'Count' | 'Ignore' | 'FailIndex' }
  | { readonly action: 'FailJob'; readonly message: string }

interface Rule {
  readonly action: 'FailJob' | 'Ignore' | 'Count' | 'FailIndex'
  readonly onExitCodes?: { readonly containerName?: string; readonly operator: 'In' | 'NotIn'; readonly values: readonly number[] }
  readonly onPodConditions?: readonly { readonly type: string; readonly status?: string }[]
}

interface ContainerStatus {
  readonly name: string
  readonly state?: { readonly terminated?: { readonly exitCode: number } }
}

/** What the job's policy says to this pod's failure: the first rule that matches. Pure. */
export function judgeFailure(job: KubeObject, pod: KubeObject): FailureVerdict {
  const rules: readonly Rule[] = job.spec?.podFailurePolicy?.rules ?? []
  for (const [index, rule] of rules.entries()) {
    const what = matchExitCode(rule, pod) ?? matchCondition(rule, pod)
    if (what === undefined) continue
    if (rule.action === 'FailJob') return { action: 'FailJob', message: `${what} matching FailJob rule at index ${index}` }
    return { action: rule.action }
  }
  return { action: 'Count' }
}

const nameOf = (pod: KubeObject) => `${pod.metadata.namespace}/${pod.metadata.name}`

function matchExitCode({ onExitCodes: rule }: Rule, pod: KubeObject): string | undefined {
  if (rule === undefined) return undefined
  const statuses: readonly ContainerStatus[] = [...(pod.status?.containerStatuses ?? []), ...(pod.status?.initContainerStatuses ?? [])]
  for (const status of statuses) {
    const code = status.state?.terminated?.exitCode
    if (code === undefined || code === 0 || (rule.containerName !== undefined && rule.containerName !== status.name)) continue
    if (rule.values.includes(code) === (rule.operator === 'In'))
      return `Container ${status.name} for pod ${nameOf(pod)} failed with exit code ${code}`
  }
  return undefined
}

function matchCondition({ onPodConditions: patterns }: Rule, pod: KubeObject): string | undefined {
  for (const pattern of patterns ?? [])
    for (const condition of pod.status?.conditions ?? [])
      if (condition.type === pattern.type && condition.status === (pattern.status ?? 'True'))
        return `Pod ${nameOf(pod)} has condition ${condition.type}`
  return undefined
}
