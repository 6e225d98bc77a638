import type { Action, EffectRequest, ServerTools } from '../../apiserver/extension-points.ts'
import { type DeleteRequest, deleteOptions } from '../../apiserver/handlers/options.ts'
import { checkDeletePreconditions } from '../../apiserver/store/delete-object.ts'
import { timestamp } from '../../base/clock.ts'
import { asJson, type Draft, type JsonObject, type KubeObject } from '../../machinery/object.ts'
import { compileLabelSelector } from '../../machinery/selectors/label-selector.ts'
import { badRequest, forbiddenStatus, isStatus, notFound, StatusError } from '../../machinery/status-error.ts'
import { listObjects, readObject } from '../../resources/read-objects.ts'
import { POD_DISRUPTION_BUDGETS, PODS } from '../../resources/refs.ts'
import type { Pod, PodCondition } from '../../resources/types/core.ts'
import type { Condition } from '../../resources/types/meta.ts'
import type { Eviction, PodDisruptionBudget, PodDisruptionBudgetStatus } from '../../resources/types/policy.ts'

const SUCCESS = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 }
const MOST_DISRUPTED = 2000
const MOST_TRIES = 20

/** POST pods/NAME/eviction: deletes a pod if its disruption budget allows. */
export const evictPod: Action<Eviction> = async (request, tools) => {
  const { input, namespace, name } = request
  if (input.metadata.name !== name) throw badRequest('name in URL does not match name in Eviction object')
  const requested = asJson(input.deleteOptions ?? {})
  const named = Array.isArray(requested.dryRun) ? requested.dryRun : []
  if (request.dryRun && named.length > 0 && named.join(' ') !== 'All')
    throw new StatusError({ code: 500, message: `Non-matching dry-run options in request and content: [All] and [${named.join(' ')}]` })
  await request.admit()
  const dryRun = request.dryRun || named.length > 0
  const pinned = (requested.preconditions as JsonObject | undefined)?.resourceVersion !== undefined
  for (let tries = 1; ; tries++) {
    const pod = readObject(tools.reader, PODS, namespace, name)
    if (pod === undefined) throw notFound(PODS, name)
    const budget = needsNoBudget(pod) ? FREE : await spendBudget(pod, dryRun, tools)
    // The deletion, which comes last, validates the options.
    const options = deleteOptions(request.dryRun ? { ...requested, dryRun: ['All'] } : requested)
    // A pod that does not use a budget yet may start to count meanwhile: it is deleted at the version that was seen, or not at all.
    const seen = budget.kind === 'unhealthy' || (!pinned && budget.kind === 'free' && mayYetCount(pod))
    try {
      await deletePod(seen ? pinnedTo(options, pod) : options, request, tools)
      return SUCCESS
    } catch (error) {
      if (!seen || !isStatus(error, 'Conflict')) throw error
      if (budget.kind === 'unhealthy') throw pinned ? error : beingProcessed(budget.name)
      if (tries === MOST_TRIES) throw error
    }
  }
}

/** A pod that does not run or is being deleted needs no budget. */
function needsNoBudget(pod: Pod): boolean {
  return ['Succeeded', 'Failed', 'Pending'].includes(pod.status?.phase ?? '') || pod.metadata.deletionTimestamp !== undefined
}

const mayYetCount = (pod: Pod) => pod.status?.phase === 'Pending' && pod.metadata.deletionTimestamp === undefined

const pinnedTo = (options: DeleteRequest, { metadata: { resourceVersion = '' } }: KubeObject): DeleteRequest => ({
  ...options,
  preconditions: { ...options.preconditions, resourceVersion },
})

type DisruptionBudget =
  /** No budget is needed. */
  | { readonly kind: 'free' }
  | { readonly kind: 'none' | 'spent' }
  /** The budget allows the eviction of unhealthy pods. */
  | { readonly kind: 'unhealthy'; readonly name: string }

const FREE: DisruptionBudget = { kind: 'free' }

/** Spends one disruption of the pod's budget, if it has one. */
async function spendBudget(pod: Pod, dryRun: boolean, tools: ServerTools): Promise<DisruptionBudget> {
  const labels = pod.metadata.labels ?? {}
  const namespace = pod.metadata.namespace ?? ''
  const budgets = listObjects(tools.reader, POD_DISRUPTION_BUDGETS, namespace).filter((b) => covers(b, labels))
  const [budget, other] = budgets
  if (budget === undefined) return { kind: 'none' }
  if (other !== undefined) {
    const message = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.'
    throw new StatusError({ code: 500, message })
  }
  if (!isReady(pod) && unhealthyMayGo(budget)) return { kind: 'unhealthy', name: budget.metadata.name ?? '' }
  const target = { ...POD_DISRUPTION_BUDGETS, namespace, name: budget.metadata.name ?? '' }
  const now = timestamp(tools.clock.now())
  const spend = (draft: Draft<PodDisruptionBudget>) => decrement(draft, pod.metadata.name ?? '', now)
  await tools.store.change(target, spend, { subresource: 'status', noted: true, dryRun })
  return { kind: 'spent' }
}

function covers(budget: PodDisruptionBudget, labels: Record<string, string>): boolean {
  const selector = budget.spec?.selector
  return selector !== undefined && selector !== null && compileLabelSelector(selector).matches(labels)
}

const isReady = (pod: Pod) => (pod.status?.conditions ?? []).some((c) => c.type === 'Ready' && c.status === 'True')

function unhealthyMayGo({ spec, status }: PodDisruptionBudget): boolean {
  if (spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true
  return (status?.currentHealthy ?? 0) >= (status?.desiredHealthy ?? 0) && (status?.desiredHealthy ?? 0) > 0
}

/** Spends one disruption, or throws why the budget allows none. */
function decrement(budget: Draft<PodDisruptionBudget>, podName: string, now: string): void {
  const name = budget.metadata.name ?? ''
  const status: Draft<Partial<PodDisruptionBudgetStatus>> = budget.status ?? {}
  if ((status.observedGeneration ?? 0) < (budget.metadata.generation ?? 0)) {
    throw beingProcessed(name)
  }
  const allowed = status.disruptionsAllowed ?? 0
  const about = { group: 'policy', resource: 'poddisruptionbudget' }
  if (allowed < 0) throw forbiddenStatus(about, name, 'pdb disruptions allowed is negative')
  const disrupted = status.disruptedPods ?? {}
  if (Object.keys(disrupted).length > MOST_DISRUPTED) {
    throw forbiddenStatus(about, name, 'DisruptedPods map too big - too many evictions not confirmed by PDB controller')
  }
  if (allowed === 0) throw tooMany(spentText(budget), 0)
  const spent = { ...status, disruptionsAllowed: allowed - 1, disruptedPods: { ...disrupted, [podName]: now } }
  budget.status = allowed === 1 ? { ...spent, conditions: notedSpent(spent, now) } : spent
}

function spentText({ metadata, status }: PodDisruptionBudget): string {
  const conditions = status?.conditions ?? []
  const failed = conditions.find((c) => c.type === 'DisruptionAllowed' && c.status === 'False' && c.reason === 'SyncFailed')
  if (failed !== undefined)
    return `The disruption budget ${metadata.name} does not allow evicting pods currently because it failed sync: ${failed.message ?? ''}`
  const { desiredHealthy = 0, currentHealthy = 0 } = status ?? {}
  if (currentHealthy <= desiredHealthy)
    return `The disruption budget ${metadata.name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`
  const denied = conditions.find((c) => c.type === 'DisruptionAllowed' && c.status === 'False' && c.message !== '')
  const why = denied === undefined ? '' : ` (${denied.reason}): ${denied.message}`
  return `The disruption budget ${metadata.name} does not allow evicting pods currently${why}`
}

function notedSpent(status: Draft<Partial<PodDisruptionBudgetStatus>>, now: string): Draft<Condition>[] {
  const conditions = status.conditions ?? []
  const old = conditions.find((c) => c.type === 'DisruptionAllowed')
  const lastTransitionTime = old?.status === 'False' ? old.lastTransitionTime : now
  const condition: Draft<Condition> = {
    type: 'DisruptionAllowed',
    status: 'False',
    ...(status.observedGeneration === undefined ? {} : { observedGeneration: status.observedGeneration }),
    lastTransitionTime,
    reason: 'InsufficientPods',
    message: '',
  }
  return [...conditions.filter((c) => c !== old), condition]
}

const beingProcessed = (budget: string) => tooMany(`The disruption budget ${budget} is still being processed by the server.`, 10)

function tooMany(message: string, retryAfterSeconds: number): StatusError {
  return new StatusError({
    code: 429,
    reason: 'TooManyRequests',
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    details: { causes: [{ reason: 'DisruptionBudget', message }], ...(retryAfterSeconds > 0 && { retryAfterSeconds }) },
  })
}

/** Sets the condition `DisruptionTarget` of the pod, and deletes it. */
async function deletePod(options: DeleteRequest, request: EffectRequest, tools: ServerTools): Promise<void> {
  const key = { ...PODS, namespace: request.namespace, name: request.name }
  let requested: DeleteRequest = options
  if (!options.dryRun) {
    const marked = await tools.store.change(key, (draft) => markDisrupted(draft, options, timestamp(tools.clock.now())), {
      subresource: 'status',
      user: request.user,
    })
    if (options.preconditions?.resourceVersion !== undefined) requested = pinnedTo(options, marked)
  }
  await tools.store.delete(
    { ...tools.store.ownWrite(key, { user: request.user, dryRun: options.dryRun }), options: options.object },
    requested,
  )
}

function markDisrupted(pod: Draft<Pod>, { preconditions }: DeleteRequest, now: string): void {
  checkDeletePreconditions({ group: '', resource: 'Pod' }, pod, preconditions)
  const old = pod.status?.conditions ?? []
  const before = old.find((c) => c.type === 'DisruptionTarget')
  const condition: Draft<PodCondition> = {
    type: 'DisruptionTarget',
    status: 'True',
    lastTransitionTime: (before?.status === 'True' ? before.lastTransitionTime : undefined) ?? now,
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
  }
  const conditions = before === undefined ? [...old, condition] : old.map((c) => (c === before ? condition : c))
  pod.status = { ...pod.status, conditions }
}
