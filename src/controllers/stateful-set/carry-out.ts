import { messageOf } from '../../base/message-of.ts'
import { isStatus, isTerminatingNamespace } from '../../machinery/status-error.ts'
import { PODS } from '../../resources/refs.ts'
import type { ControllerRevision, StatefulSet } from '../../resources/types/apps.ts'
import type { Pod } from '../../resources/types/core.ts'
import { createObject, deleteObject, updateObject } from '../frame/objects.ts'
import { slowStart } from '../pods/slow-start.ts'
import { createClaims, leftOverClaim, setClaimOwners } from './claims.ts'
import type { StatefulSetDeps } from './deps.ts'
import { inRange, ordinalOf } from './ordinals.ts'
import type { StatefulSetPlan } from './plan.ts'
import { repairedPod, setPod } from './set-pod.ts'

/** Resolves with the first failure. `known`: the revisions that the plan may name. */
export async function carryOut(
  deps: StatefulSetDeps,
  set: StatefulSet,
  plan: StatefulSetPlan,
  known: readonly ControllerRevision[],
): Promise<unknown> {
  const kept = await keepPods(deps, set, plan)
  if (kept !== undefined) return kept
  const removals = Promise.allSettled([...plan.recreate, ...plan.remove].map((pod) => removePod(deps, set, pod)))
  const { error } = await slowStart(plan.create.length, async (i) => {
    const { ordinal = 0, revision } = plan.create[i] ?? {}
    const template = known.find((r) => r.metadata.name === revision)
    if (template !== undefined) await createPod(deps, set, setPod(set, ordinal, template))
  })
  return error ?? firstFailure(await removals)
}

/** Repairs what pods that stay have lost. A pod may be pending and stay: all that concerns it is done in one sequence. */
async function keepPods(deps: StatefulSetDeps, set: StatefulSet, plan: StatefulSetPlan): Promise<unknown> {
  const [pending, staying] = [new Set(plan.pending), new Set(plan.keep)]
  const kept = [...pending.union(staying)].map(async (pod) => {
    if (pending.has(pod)) await createClaims(deps, set, pod)
    await (staying.has(pod) ? keepPod(deps, set, pod) : setClaimOwners(deps, set, pod))
  })
  return firstFailure(await Promise.allSettled(kept))
}

const firstFailure = (results: readonly PromiseSettledResult<void>[]): unknown => results.find((r) => r.status === 'rejected')?.reason

/** Restores labels, volumes and claims. */
async function keepPod(deps: StatefulSetDeps, set: StatefulSet, pod: Pod): Promise<void> {
  const { client, events } = deps
  const message = `Update Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name}`
  const repaired = repairedPod(set, pod, ordinalOf(set, pod))
  try {
    if (repaired !== undefined) {
      await createClaims(deps, set, pod)
      await updateObject(client, PODS, repaired)
    }
    const owned = await setClaimOwners(deps, set, pod)
    if (repaired !== undefined || owned) events.normal(set, 'SuccessfulUpdate', `${message} successful`)
  } catch (error) {
    if (!isStatus(error, 'Conflict')) events.warning(set, 'FailedUpdate', `${message} failed error: ${messageOf(error)}`)
    throw error
  }
}

async function createPod(deps: StatefulSetDeps, set: StatefulSet, pod: Pod): Promise<void> {
  const { client, events } = deps
  const message = `Create Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name}`
  const leftOver = leftOverClaim(deps, set, pod)
  if (leftOver !== undefined) throw new Error(`pod ${pod.metadata.name} waits until the claim ${leftOver} of the pod before it is gone`)
  try {
    await createClaims(deps, set, pod)
    await createObject(client, PODS, pod)
    events.normal(set, 'SuccessfulCreate', `${message} successful`)
  } catch (error) {
    if (isTerminatingNamespace(error)) return
    if (!isStatus(error, 'AlreadyExists')) events.warning(set, 'FailedCreate', `${message} failed error: ${messageOf(error)}`)
    throw error
  }
}

async function removePod(deps: StatefulSetDeps, set: StatefulSet, pod: Pod): Promise<void> {
  const { client, events } = deps
  const message = `Delete Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name}`
  if (!inRange(set, pod)) await setClaimOwners(deps, set, pod)
  try {
    await deleteObject(client, PODS, pod)
  } catch (error) {
    if (isStatus(error, 'NotFound')) return
    events.warning(set, 'FailedDelete', `${message} failed error: ${messageOf(error)}`)
    throw error
  }
  events.normal(set, 'SuccessfulDelete', `${message} successful`)
}
