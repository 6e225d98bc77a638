import { semanticEqual } from '../../machinery/equal.ts'
import { compileLabelSelector } from '../../machinery/label-selector.ts'
import { cloneJson, type KubeObject } from '../../machinery/object.ts'
import { isStatus, isTerminatingNamespace } from '../../machinery/status-error.ts'
import { DEPLOYMENTS, PODS, REPLICA_SETS } from '../../sdk/client/refs.ts'
import { referenceTo } from '../../sdk/controller/event-recorder.ts'
import { WorkQueue } from '../../sdk/controller/work-queue.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import type { Controller, ControllerDeps } from '../frame/controller.ts'
import { claimable, controlledBy, controllerOf } from '../frame/indexes.ts'
import { queueController } from '../frame/queue-controller.ts'
import { claim, controllerReference, ownerHandler, planClaims, selectingOwners, selectsByLabels } from '../pods/ownership.ts'
import { isFinished, isTerminating } from '../pods/pod-state.ts'
import { templateHash } from '../template/template-hash.ts'
import {
  all,
  currentAnnotations,
  currentSize,
  type DeploymentView,
  HASH_LABEL,
  isRolling,
  isScaledUp,
  isScalingEvent,
  nextRevision,
  planCleanup,
  planRolling,
  planScaling,
  REVISION,
  type Resize,
  replicasOf,
  sameTemplate,
  sizeAnnotations,
  viewOf,
} from './plan.ts'
import {
  conditionsOf,
  countedStatus,
  type DeploymentCondition,
  hasDeadline,
  isComplete,
  progressing,
  rolloutStatus,
  setCondition,
  stuckInMs,
} from './status.ts'

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
    const paused = pauseConditions(deployment)
    if (paused !== undefined) {
      await client.update(statusOf(deployment), { ...deployment, status: { ...deployment.status, conditions: paused } })
      return { requeueAfterMs: 0 }
    }
    if (deployment.spec?.paused || isScalingEvent(view)) return scaleOnly(view)
    return isRolling(deployment) ? roll(view) : recreate(view)
  }

  function pauseConditions(d: KubeObject): readonly DeploymentCondition[] | undefined {
    if (!hasDeadline(d)) return undefined
    const reason = conditionsOf(d).find((c) => c.type === 'Progressing')?.reason
    if (reason === 'ProgressDeadlineExceeded') return undefined
    if (d.spec?.paused && reason !== 'DeploymentPaused')
      return setCondition(conditionsOf(d), progressing('Unknown', 'DeploymentPaused', 'Deployment is paused'), clock.now())
    if (!d.spec?.paused && reason === 'DeploymentPaused')
      return setCondition(conditionsOf(d), progressing('Unknown', 'DeploymentResumed', 'Deployment is resumed'), clock.now())
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
    if (isComplete(complete.deployment, countedStatus(complete, conditionsOf(complete.deployment), clock.now()))) await cleanup(complete)
    return report(complete)
  }

  async function recreate(view: DeploymentView): Promise<Again> {
    const active = view.old.filter(isScaledUp)
    if (active.length > 0)
      return report(
        await resize(
          view,
          active.map((replicaSet) => ({ replicaSet, replicas: 0 })),
        ),
      )
    if (oldPodsRun(view)) return report(view)
    const complete = await withCurrent(view)
    const { current, deployment } = complete
    if (current !== undefined && replicasOf(current) !== replicasOf(deployment))
      return report(await resize(complete, [{ replicaSet: current, replicas: replicasOf(deployment) }]))
    if (isComplete(deployment, countedStatus(complete, conditionsOf(deployment), clock.now()))) await cleanup(complete)
    return report(complete)
  }

  function oldPodsRun(view: DeploymentView): boolean {
    return view.old.some((rs) => controlledBy(pods, rs).some((p) => !isFinished(p)))
  }

  /** The view with the replica set of the deployment's template, made if there is none, and with its revision recorded. */
  async function withCurrent(view: DeploymentView): Promise<DeploymentView> {
    const revision = nextRevision(view.old)
    const current = view.current === undefined ? await make(view, revision) : await renew(view, view.current, revision)
    let conditions = conditionsOf(view.deployment)
    const reason = view.current === undefined ? 'NewReplicaSetCreated' : 'FoundNewReplicaSet'
    const text = view.current === undefined ? 'Created' : 'Found'
    const news = hasDeadline(view.deployment) && (view.current === undefined || !conditions.some((c) => c.type === 'Progressing'))
    if (news)
      conditions = setCondition(conditions, progressing('True', reason, `${text} new replica set "${current.metadata.name}"`), clock.now())
    const annotations = { ...view.deployment.metadata.annotations, [REVISION]: current.metadata.annotations?.[REVISION] ?? '1' }
    const changed = view.deployment.metadata.annotations?.[REVISION] !== annotations[REVISION]
    if (!changed && !news) return { ...view, current }
    const { deployment } = view
    const metadata = { ...deployment.metadata, annotations }
    const written = await client.update(statusOf(deployment), { ...deployment, metadata, status: { ...deployment.status, conditions } })
    return { ...view, deployment: written, current }
  }

  async function renew(view: DeploymentView, current: KubeObject, revision: number): Promise<KubeObject> {
    const annotations = currentAnnotations(view.deployment, current.metadata.annotations, revision)
    const minReadySeconds = view.deployment.spec?.minReadySeconds ?? 0
    if (annotations === current.metadata.annotations && (current.spec?.minReadySeconds ?? 0) === minReadySeconds) return current
    const spec = { ...current.spec, ...(minReadySeconds === 0 && current.spec?.minReadySeconds === undefined ? {} : { minReadySeconds }) }
    return client.update(setTarget(current), { ...current, metadata: { ...current.metadata, annotations: { ...annotations } }, spec })
  }

  async function make(view: DeploymentView, revision: number): Promise<KubeObject> {
    const { deployment } = view
    const { namespace = '', name = '' } = deployment.metadata
    const hash = templateHash(deployment.spec.template, deployment.status?.collisionCount)
    const template = cloneJson(deployment.spec.template)
    template.metadata = { ...template.metadata, labels: { ...template.metadata?.labels, [HASH_LABEL]: hash } }
    const selector = cloneJson(deployment.spec.selector)
    selector.matchLabels = { ...selector.matchLabels, [HASH_LABEL]: hash }
    const replicas = currentSize(deployment, view.old, 0)
    const wanted: KubeObject = {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: {
        name: `${name}-${hash}`,
        namespace,
        labels: { ...template.metadata.labels },
        annotations: { ...currentAnnotations(deployment, undefined, revision) },
        ownerReferences: [controllerReference(deployment)],
      },
      spec: {
        replicas,
        ...(deployment.spec.minReadySeconds ? { minReadySeconds: deployment.spec.minReadySeconds } : {}),
        selector,
        template,
      },
    }
    try {
      const made = await client.create({ ...REPLICA_SETS, namespace }, wanted)
      if (replicas > 0)
        record(deployment, 'Normal', 'ScalingReplicaSet', `Scaled up replica set ${wanted.metadata.name} from 0 to ${replicas}`)
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
    if (!hasDeadline(deployment)) return
    const conditions = setCondition(conditionsOf(deployment), progressing('False', 'ReplicaSetCreateError', message), clock.now())
    await client.update(statusOf(deployment), { ...deployment, status: { ...deployment.status, conditions } })
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
      const direction = replicas > before ? 'up' : 'down'
      record(
        view.deployment,
        'Normal',
        'ScalingReplicaSet',
        `Scaled ${direction} replica set ${replicaSet.metadata.name} from ${before} to ${replicas}`,
      )
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

  function record(d: KubeObject, type: 'Normal' | 'Warning', reason: string, message: string): void {
    events.record({ regarding: referenceTo(d), type, reason, message })
  }

  return queueController({ name: NAME, queue, workers: 5, copies: [deployments, replicaSets, pods], reconcile, log })
}

const target = (o: KubeObject) => ({ namespace: o.metadata.namespace ?? '', name: o.metadata.name ?? '' })
const setTarget = (rs: KubeObject) => ({ ...REPLICA_SETS, ...target(rs) })
const statusOf = (d: KubeObject) => ({ ...DEPLOYMENTS, ...target(d), subresource: 'status' as const })
