import { semanticEqual } from '../../machinery/equal.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { compileLabelSelector } from '../../machinery/selectors/label-selector.ts'
import { isStatus, isTerminatingNamespace } from '../../machinery/status-error.ts'
import { DEPLOYMENTS, PODS, REPLICA_SETS } from '../../sdk/client/refs.ts'
import { referenceTo } from '../../sdk/controller/event-recorder.ts'
import { WorkQueue } from '../../sdk/controller/work-queue.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import type { Controller, ControllerDeps } from '../frame/controller.ts'
import { claimable, controlledBy, controllerOf } from '../frame/indexes.ts'
import { queueController } from '../frame/queue-controller.ts'
import { claim, ownerHandler, planClaims, selectingOwners, selectsByLabels } from '../pods/ownership.ts'
import { isFinished, isTerminating } from '../pods/pod-state.ts'
import { currentNews, newReplicaSet, renewedReplicaSet } from './current-set.ts'
import {
  all,
  type DeploymentView,
  isRolling,
  isScalingEvent,
  planCleanup,
  planGrowth,
  planRecreate,
  planRolling,
  planScaling,
  type Resize,
  replicasOf,
  sameTemplate,
  sizeAnnotations,
  viewOf,
} from './plan.ts'
import { planRollback, rollbackOf } from './rollback.ts'
import { conditionsOf, countedStatus, createFailed, isComplete, pauseConditions, rolloutStatus, stuckInMs } from './status.ts'

const NAME = 'deployment-controller'
type Again = { readonly requeueAfterMs: number } | undefined

/** Rolls out templates: makes a replica set for each, and moves the replicas from the old ones to the newest. */
export function createDeploymentController(deps: ControllerDeps): Controller {
  const { client, clock, informers, log } = deps
  const queue = new WorkQueue({ clock })
  const deployments = informers.of(DEPLOYMENTS)
  const replicaSets = informers.of(REPLICA_SETS)
  const pods = informers.of(PODS)
  const events = deps.recorder(NAME)
  const enqueue = (o: KubeObject) => queue.add(objectKey(o))
  deployments.addHandler({ added: enqueue, updated: enqueue, deleted: enqueue })
  replicaSets.addHandler(ownerHandler('Deployment', queue, selectingOwners(deployments, selectsByLabels)))
  pods.addHandler({
    // Only a deployment that recreates waits for pods to be gone.
    deleted(pod) {
      const set = controllerOf(pod)
      if (set?.kind !== 'ReplicaSet') return
      const owner = controllerOf(replicaSets.get(`${pod.metadata.namespace}/${set.name}`) ?? pod)
      if (owner?.kind === 'Deployment') queue.add(`${pod.metadata.namespace}/${owner.name}`)
    },
  })

  async function reconcile(key: string): Promise<Again> {
    const deployment = deployments.get(key)
    if (deployment === undefined) return undefined
    const selector = compileLabelSelector(deployment.spec?.selector)
    if (selector.isEmpty()) {
      record(deployment, 'Warning', 'SelectingAll', 'This deployment is selecting all pods. A non-empty selector is required.')
      return undefined
    }
    const claims = planClaims(deployment, (rs) => selectsByLabels(deployment, rs), claimable(replicaSets, deployment))
    const view = viewOf(deployment, await claim(client, { owner: DEPLOYMENTS, owned: REPLICA_SETS }, deployment, claims))
    if (isTerminating(deployment)) return writeStatus(view, countedStatus(view, conditionsOf(deployment), clock.now()))
    const paused = pauseConditions(deployment, clock.now())
    if (paused !== undefined) {
      await client.update(statusOf(deployment), { ...deployment, status: { ...deployment.status, conditions: paused } })
      return { requeueAfterMs: 0 }
    }
    if (deployment.spec?.paused) return scaleOnly(view)
    const asked = rollbackOf(deployment)
    if (asked !== undefined) return rollBack(view, asked)
    if (isScalingEvent(view)) return scaleOnly(view)
    return isRolling(deployment) ? roll(view) : recreate(view)
  }

  /** The deployment itself is changed; its rollout follows from that. */
  async function rollBack(view: DeploymentView, asked: bigint): Promise<Again> {
    const plan = planRollback(await withCurrent(view), asked)
    if (plan.type === 'Warning') record(view.deployment, plan.type, plan.reason, plan.message)
    await client.update({ ...DEPLOYMENTS, ...target(plan.deployment) }, plan.deployment)
    if (plan.type === 'Normal') record(view.deployment, plan.type, plan.reason, plan.message)
    return undefined
  }

  async function scaleOnly(view: DeploymentView): Promise<Again> {
    const known = view.current === undefined ? view : await withCurrent(view)
    let now = await resize(known, planScaling(known))
    if (now.deployment.spec?.paused) await cleanup(now)
    now = refreshed(now)
    return writeStatus(now, countedStatus(now, conditionsOf(now.deployment), clock.now()))
  }

  async function roll(view: DeploymentView): Promise<Again> {
    const complete = await withCurrent(view)
    const moves = planRolling(complete)
    if (moves.length > 0) return report(await resize(complete, moves))
    return finish(complete)
  }

  async function finish(view: DeploymentView): Promise<Again> {
    if (isComplete(view.deployment, countedStatus(view, conditionsOf(view.deployment), clock.now()))) await cleanup(view)
    return report(view)
  }

  async function recreate(view: DeploymentView): Promise<Again> {
    const down = planRecreate(view, () => oldPodsRun(view))
    if (down.kind !== 'current') return report(down.kind === 'resize' ? await resize(view, down.moves) : view)
    const complete = await withCurrent(view)
    const up = planGrowth(complete)
    if (up.length > 0) return report(await resize(complete, up))
    return finish(complete)
  }

  function oldPodsRun(view: DeploymentView): boolean {
    return view.old.some((rs) => controlledBy(pods, rs).some((p) => !isFinished(p)))
  }

  /** The view with the replica set of the deployment's template, made if there is none, and with its revision recorded. */
  async function withCurrent(view: DeploymentView): Promise<DeploymentView> {
    const current = view.current === undefined ? await make(view) : await renew(view, view.current)
    const news = currentNews(view, current, clock.now())
    if (news === undefined) return { ...view, current }
    const { deployment } = view
    const metadata = { ...deployment.metadata, annotations: { ...news.annotations } }
    const status = { ...deployment.status, conditions: news.conditions }
    return { ...view, deployment: await client.update(statusOf(deployment), { ...deployment, metadata, status }), current }
  }

  async function renew(view: DeploymentView, current: KubeObject): Promise<KubeObject> {
    const wanted = renewedReplicaSet(view, current)
    return wanted === undefined ? current : client.update(setTarget(current), wanted)
  }

  async function make(view: DeploymentView): Promise<KubeObject> {
    const { deployment } = view
    const wanted = newReplicaSet(view)
    try {
      const made = await client.create({ ...REPLICA_SETS, namespace: deployment.metadata.namespace ?? '' }, wanted)
      if (replicasOf(wanted) > 0) recordScaling(deployment, wanted, 0)
      return made
    } catch (error) {
      if (isStatus(error, 'AlreadyExists')) return await resolveCollision(deployment, wanted, error)
      await reportFailure(deployment, wanted, error)
      throw error
    }
  }

  /** A name that is taken: by our own replica set, or by another's, and then the next try has another hash. */
  async function resolveCollision(deployment: KubeObject, wanted: KubeObject, cause: unknown): Promise<KubeObject> {
    const standing = await client.get(setTarget(wanted))
    if (controllerOf(standing)?.uid === deployment.metadata.uid && sameTemplate(standing, deployment)) return standing
    const collisionCount = (deployment.status?.collisionCount ?? 0) + 1
    await client.update(statusOf(deployment), { ...deployment, status: { ...deployment.status, collisionCount } })
    throw cause
  }

  async function reportFailure(deployment: KubeObject, wanted: KubeObject, error: unknown): Promise<void> {
    const message = `Failed to create new replica set "${wanted.metadata.name}": ${error instanceof Error ? error.message : error}`
    if (isTerminatingNamespace(error)) return
    record(deployment, 'Warning', 'ReplicaSetCreateError', message)
    const conditions = createFailed(deployment, message, clock.now())
    if (conditions !== undefined) await client.update(statusOf(deployment), { ...deployment, status: { ...deployment.status, conditions } })
  }

  /** Carries out the moves; the view has the sizes after it. */
  async function resize(view: DeploymentView, moves: readonly Resize[]): Promise<DeploymentView> {
    const written = new Map<KubeObject, KubeObject>()
    for (const { replicaSet, replicas } of moves) {
      const before = replicasOf(replicaSet)
      const metadata = { ...replicaSet.metadata, annotations: { ...replicaSet.metadata.annotations, ...sizeAnnotations(view.deployment) } }
      written.set(
        replicaSet,
        await client.update(setTarget(replicaSet), { ...replicaSet, metadata, spec: { ...replicaSet.spec, replicas } }),
      )
      recordScaling(view.deployment, written.get(replicaSet) ?? replicaSet, before)
    }
    const now = (rs: KubeObject) => written.get(rs) ?? rs
    return { deployment: view.deployment, current: view.current && now(view.current), old: view.old.map(now) }
  }

  async function cleanup(view: DeploymentView): Promise<void> {
    for (const rs of planCleanup(view)) {
      await client.delete(setTarget(rs)).catch((error) => {
        if (!isStatus(error, 'NotFound')) throw error
      })
    }
  }

  const refreshed = (view: DeploymentView): DeploymentView => ({
    ...view,
    deployment: deployments.get(objectKey(view.deployment)) ?? view.deployment,
  })

  function report(view: DeploymentView): Promise<Again> {
    return writeStatus(view, rolloutStatus(view, conditionsOf(view.deployment), clock.now()))
  }

  async function writeStatus(view: DeploymentView, status: ReturnType<typeof countedStatus>): Promise<Again> {
    const { deployment } = view
    if (!semanticEqual(status, deployment.status)) {
      await client.update(statusOf(deployment), { ...deployment, status }).catch((error) => {
        if (!isStatus(error, 'NotFound')) throw error
      })
    }
    const wait = stuckInMs(deployment, status, clock.now())
    return wait === undefined || all(view).length === 0 ? undefined : { requeueAfterMs: wait }
  }

  function recordScaling(d: KubeObject, replicaSet: KubeObject, before: number): void {
    const now = replicasOf(replicaSet)
    const message = `Scaled ${now > before ? 'up' : 'down'} replica set ${replicaSet.metadata.name} from ${before} to ${now}`
    record(d, 'Normal', 'ScalingReplicaSet', message)
  }

  function record(d: KubeObject, type: 'Normal' | 'Warning', reason: string, message: string): void {
    events.record({ regarding: referenceTo(d), type, reason, message })
  }

  return queueController({ name: NAME, queue, workers: 5, copies: [deployments, replicaSets, pods], reconcile, log })
}

const target = (o: KubeObject) => ({ namespace: o.metadata.namespace ?? '', name: o.metadata.name ?? '' })
const setTarget = (rs: KubeObject) => ({ ...REPLICA_SETS, ...target(rs) })
const statusOf = (d: KubeObject) => ({ ...DEPLOYMENTS, ...target(d), subresource: 'status' as const })
