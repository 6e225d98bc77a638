import { DEPLOYMENTS, REPLICA_SETS } from '../../resources/refs.ts'
import type { Deployment, DeploymentStatus, ReplicaSet } from '../../resources/types/apps.ts'
import type { ReconcileResult } from '../../sdk/controller/run-controller.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import { claimable, controlledBy } from '../frame/indexes.ts'
import { updateObject } from '../frame/objects.ts'
import { writeStatus } from '../frame/write-status.ts'
import { claim, planClaims, selectorOf, selectsByLabels } from '../pods/ownership.ts'
import { isFinished, isTerminating } from '../pods/pod-state.ts'
import type { DeploymentDeps } from './deps.ts'
import {
  all,
  type DeploymentView,
  isRolling,
  isScalingEvent,
  planGrowth,
  planRecreate,
  planRolling,
  planScaling,
  type Resize,
  viewOf,
} from './plan.ts'
import { cleanUp, resize, setConditions, withCurrent } from './replica-sets.ts'
import { planRollback, rollbackOf } from './rollback.ts'
import { conditionsOf, countedStatus, isComplete, pauseConditions, rolloutStatus, stuckInMs } from './status.ts'

/** One step of the rollout; the events of what it wrote lead to the next. */
export async function reconcileDeployment(deps: DeploymentDeps, deployment: Deployment): Promise<ReconcileResult> {
  const { client, clock, events, replicaSets } = deps
  if (selectorOf(deployment).isEmpty()) {
    events.warning(deployment, 'SelectingAll', 'This deployment is selecting all pods. A non-empty selector is required.')
    return undefined
  }
  const isOwn = (set: ReplicaSet) => selectsByLabels(deployment, set)
  const claims = planClaims(deployment, isOwn, claimable(replicaSets, deployment))
  const view = viewOf(deployment, await claim(client, { owner: DEPLOYMENTS, owned: REPLICA_SETS }, deployment, claims))
  if (isTerminating(deployment)) return report(deps, view, countedStatus(view, conditionsOf(deployment), clock.now()))
  const paused = pauseConditions(deployment, clock.now())
  if (paused !== undefined) {
    await setConditions(deps, deployment, paused)
    return { requeueAfterMs: 0 }
  }
  if (deployment.spec.paused) return scaleOnly(deps, view)
  const revision = rollbackOf(deployment)
  if (revision !== undefined) return rollBack(deps, view, revision)
  if (isScalingEvent(view)) return scaleOnly(deps, view)
  return isRolling(deployment) ? roll(deps, view) : recreate(deps, view)
}

/** Changes the deployment's template; its rollout follows from that. */
async function rollBack(deps: DeploymentDeps, view: DeploymentView, revision: bigint): Promise<undefined> {
  const { client, events } = deps
  const plan = planRollback(await withCurrent(deps, view), revision)
  const { type, reason, message } = plan
  if (type === 'Warning') events.warning(view.deployment, reason, message)
  await updateObject(client, DEPLOYMENTS, plan.deployment)
  if (type === 'Normal') events.normal(view.deployment, reason, message)
  return undefined
}

async function scaleOnly(deps: DeploymentDeps, view: DeploymentView): Promise<ReconcileResult> {
  const { clock, deployments } = deps
  const known = view.current === undefined ? view : await withCurrent(deps, view)
  await resize(deps, known, planScaling(known))
  if (known.deployment.spec.paused) await cleanUp(deps, known)
  const deployment = deployments.get(objectKey(view.deployment)) ?? known.deployment
  const now = { ...known, deployment }
  return report(deps, now, countedStatus(now, conditionsOf(deployment), clock.now()))
}

async function roll(deps: DeploymentDeps, view: DeploymentView): Promise<ReconcileResult> {
  const complete = await withCurrent(deps, view)
  const moves = planRolling(complete)
  return moves.length > 0 ? resizeAndReport(deps, complete, moves) : finish(deps, complete)
}

async function recreate(deps: DeploymentDeps, view: DeploymentView): Promise<ReconcileResult> {
  const oldPodsRun = () => view.old.some((set) => controlledBy(deps.pods, set).some((p) => !isFinished(p)))
  const down = planRecreate(view, oldPodsRun)
  if (down.kind !== 'current') return resizeAndReport(deps, view, down.kind === 'resize' ? down.moves : [])
  const complete = await withCurrent(deps, view)
  const up = planGrowth(complete)
  return up.length > 0 ? resizeAndReport(deps, complete, up) : finish(deps, complete)
}

/** As in Kubernetes, the status counts the sizes from before the moves: the events of these lead to the next round. */
async function resizeAndReport(deps: DeploymentDeps, view: DeploymentView, moves: readonly Resize[]): Promise<ReconcileResult> {
  await resize(deps, view, moves)
  return reportRollout(deps, view)
}

async function finish(deps: DeploymentDeps, view: DeploymentView): Promise<ReconcileResult> {
  const counted = countedStatus(view, conditionsOf(view.deployment), deps.clock.now())
  if (isComplete(view.deployment, counted)) await cleanUp(deps, view)
  return reportRollout(deps, view)
}

const reportRollout = (deps: DeploymentDeps, view: DeploymentView): Promise<ReconcileResult> =>
  report(deps, view, rolloutStatus(view, conditionsOf(view.deployment), deps.clock.now()))

/** Writes the status, and comes back when the progress deadline may have passed. */
async function report(deps: DeploymentDeps, view: DeploymentView, status: DeploymentStatus): Promise<ReconcileResult> {
  await writeStatus(deps.client, DEPLOYMENTS, view.deployment, status)
  const requeueAfterMs = stuckInMs(view.deployment, status, deps.clock.now())
  return requeueAfterMs === undefined || all(view).length === 0 ? undefined : { requeueAfterMs }
}
