import type { Action, EffectRequest, ServerTools } from '../../apiserver/extension-points.ts'
import { deleteOptions } from '../../apiserver/handlers/request/options.ts'
import { timestamp } from '../../base/clock.ts'
import { compileLabelSelector } from '../../machinery/label-selector.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { badRequest, forbiddenStatus, notFound, StatusError } from '../../machinery/status-error.ts'

const PODS = { group: '', resource: 'pods' }
const BUDGETS = { group: 'policy', resource: 'poddisruptionbudgets' }
const MOST_DISRUPTED = 2000

/** POST pods/NAME/eviction: deletes a pod if its disruption budget allows. */
export const evictPod: Action = async (request, tools) => {
  const { input, namespace, name } = request
  if (input.metadata.name !== name) throw badRequest('name in URL does not match name in Eviction object')
  const asked: JsonObject = input.deleteOptions ?? {}
  const options = deleteOptions(request.dryRun ? { ...asked, dryRun: ['All'] } : asked)
  const pod = tools.reader.get('', 'pods', namespace, name)
  if (pod === undefined) throw notFound(PODS, name)
  await request.admit()
  if (!needsNoBudget(pod)) await spendBudget(pod, { ...request, dryRun: options.dryRun }, tools)
  if (!options.dryRun) await markDisrupted(pod, tools)
  await tools.remove({ ...PODS, namespace, name }, options, request.user)
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 } as unknown as KubeObject
}

/** A pod that does not run, or goes already, takes nothing from a budget. */
function needsNoBudget(pod: KubeObject): boolean {
  return ['Succeeded', 'Failed', 'Pending'].includes(pod.status?.phase) || pod.metadata.deletionTimestamp !== undefined
}

async function spendBudget(pod: KubeObject, request: EffectRequest, tools: ServerTools): Promise<void> {
  const labels = pod.metadata.labels ?? {}
  const budgets = tools.reader.list('policy', 'poddisruptionbudgets', request.namespace).filter((b) => covers(b, labels))
  const [budget, other] = budgets
  if (budget === undefined) return
  if (other !== undefined) {
    const message = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.'
    throw new StatusError({
      code: 500,
      reason: 'InternalError',
      message: `Internal error occurred: ${message}`,
      details: { causes: [{ message }] },
    })
  }
  if (!isReady(pod) && unhealthyMayGo(budget)) return
  const target = { ...BUDGETS, namespace: request.namespace, name: budget.metadata.name ?? '' }
  const now = timestamp(tools.clock.now())
  await tools.change(target, (draft) => decrement(draft, pod.metadata.name ?? '', now), { dryRun: request.dryRun })
}

function covers(budget: KubeObject, labels: Record<string, string>): boolean {
  const selector = budget.spec?.selector
  return selector !== undefined && selector !== null && compileLabelSelector(selector).matches(labels)
}

const isReady = (pod: KubeObject) =>
  (pod.status?.conditions ?? []).some((c: { type: string; status: string }) => c.type === 'Ready' && c.status === 'True')

function unhealthyMayGo({ spec, status }: KubeObject): boolean {
  if (spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true
  return (status?.currentHealthy ?? 0) >= (status?.desiredHealthy ?? 0) && (status?.desiredHealthy ?? 0) > 0
}

/** Takes one disruption from the budget, or throws why it has none to give. */
function decrement(budget: KubeObject, podName: string, now: string): void {
  const name = budget.metadata.name ?? ''
  const status = budget.status ?? {}
  if ((status.observedGeneration ?? 0) < (budget.metadata.generation ?? 0)) {
    throw tooMany(`The disruption budget ${name} is still being processed by the server.`, 10)
  }
  const allowed: number = status.disruptionsAllowed ?? 0
  const about = { group: 'policy', resource: 'poddisruptionbudget' }
  if (allowed < 0) throw forbiddenStatus(about, name, 'pdb disruptions allowed is negative')
  const disrupted = status.disruptedPods ?? {}
  if (Object.keys(disrupted).length > MOST_DISRUPTED) {
    throw forbiddenStatus(about, name, 'DisruptedPods map too big - too many evictions not confirmed by PDB controller')
  }
  if (allowed === 0) throw tooMany(spentText(budget), 0)
  budget.status = { ...status, disruptionsAllowed: allowed - 1, disruptedPods: { ...disrupted, [podName]: now } }
  if (allowed === 1) noteSpent(budget, now)
}

function spentText({ metadata, status }: KubeObject): string {
  const conditions: { type: string; status: string; reason: string; message?: string }[] = status?.conditions ?? []
  const failed = conditions.find((c) => c.type === 'DisruptionAllowed' && c.status === 'False' && c.reason === 'SyncFailed')
  if (failed !== undefined)
    return `The disruption budget ${metadata.name} does not allow evicting pods currently because it failed sync: ${failed.message ?? ''}`
  return `The disruption budget ${metadata.name} needs ${status?.desiredHealthy ?? 0} healthy pods and has ${status?.currentHealthy ?? 0} currently`
}

function noteSpent(budget: KubeObject, now: string): void {
  const conditions: { type: string; status: string; lastTransitionTime: string }[] = budget.status.conditions ?? []
  const old = conditions.find((c) => c.type === 'DisruptionAllowed')
  const lastTransitionTime = old?.status === 'False' ? old.lastTransitionTime : now
  const condition = {
    type: 'DisruptionAllowed',
    status: 'False',
    observedGeneration: budget.status.observedGeneration,
    lastTransitionTime,
    reason: 'InsufficientPods',
    message: '',
  }
  budget.status.conditions = [...conditions.filter((c) => c !== old), condition]
}

function tooMany(message: string, retryAfterSeconds: number): StatusError {
  return new StatusError({
    code: 429,
    reason: 'TooManyRequests',
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    details: { causes: [{ reason: 'DisruptionBudget', message }], ...(retryAfterSeconds > 0 && { retryAfterSeconds }) },
  })
}

/** Tells why the pod goes, in its status. */
async function markDisrupted(pod: KubeObject, tools: ServerTools): Promise<void> {
  const now = timestamp(tools.clock.now())
  const target = { ...PODS, namespace: pod.metadata.namespace ?? '', name: pod.metadata.name ?? '' }
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: now,
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
  }
  await tools.change(target, (draft) => {
    const others = (draft.status?.conditions ?? []).filter((c: { type: string }) => c.type !== 'DisruptionTarget')
    draft.status = { ...draft.status, conditions: [...others, condition] }
  })
}
