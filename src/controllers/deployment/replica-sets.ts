import { messageOf } from '../../base/message-of.ts'
import { ignoring } from '../../machinery/ignoring.ts'
import { isStatus, isTerminatingNamespace } from '../../machinery/status-error.ts'
import { DEPLOYMENTS, REPLICA_SETS } from '../../resources/refs.ts'
import type { Deployment, DeploymentCondition, DeploymentStatus, ReplicaSet } from '../../resources/types/apps.ts'
import { controllerOf } from '../frame/indexes.ts'
import { createObject, targetOf, updateObject } from '../frame/objects.ts'
import { currentNews, newReplicaSet, renewedReplicaSet } from './current-set.ts'
import type { DeploymentDeps } from './deps.ts'
import { type DeploymentView, planCleanup, type Resize, replicasOf, sameTemplate, sizeAnnotations } from './plan.ts'
import { createFailed } from './status.ts'

/** The view with the ReplicaSet of the deployment's template, which is created if missing, and with its revision recorded. */
export async function withCurrent(deps: DeploymentDeps, view: DeploymentView): Promise<DeploymentView> {
  const current = view.current === undefined ? await create(deps, view) : await renew(deps, view, view.current)
  const news = currentNews(view, current, deps.clock.now())
  if (news === undefined) return { ...view, current }
  const metadata = { ...view.deployment.metadata, annotations: { ...news.annotations } }
  const deployment = await setConditions(deps, { ...view.deployment, metadata }, news.conditions)
  return { ...view, deployment, current }
}

async function renew({ client }: DeploymentDeps, view: DeploymentView, current: ReplicaSet): Promise<ReplicaSet> {
  const wanted = renewedReplicaSet(view, current)
  return wanted === undefined ? current : updateObject(client, REPLICA_SETS, wanted)
}

async function create(deps: DeploymentDeps, view: DeploymentView): Promise<ReplicaSet> {
  const { deployment } = view
  const wanted = newReplicaSet(view)
  try {
    const created = await createObject(deps.client, REPLICA_SETS, wanted)
    if (replicasOf(wanted) > 0) recordScaling(deps, deployment, wanted, 0)
    return created
  } catch (error) {
    if (isStatus(error, 'AlreadyExists')) return await resolveCollision(deps, deployment, wanted, error)
    await reportFailure(deps, deployment, wanted, error)
    throw error
  }
}

/** The name is taken: by our own ReplicaSet, or by another; then the next attempt uses another hash. */
async function resolveCollision(deps: DeploymentDeps, deployment: Deployment, wanted: ReplicaSet, cause: unknown): Promise<ReplicaSet> {
  const existing = await deps.client.get<ReplicaSet>(targetOf(REPLICA_SETS, wanted))
  if (controllerOf(existing)?.uid === deployment.metadata.uid && sameTemplate(existing, deployment)) return existing
  const collisionCount = (deployment.status?.collisionCount ?? 0) + 1
  await setStatus(deps, deployment, { ...deployment.status, collisionCount })
  throw cause
}

async function reportFailure(deps: DeploymentDeps, deployment: Deployment, wanted: ReplicaSet, error: unknown): Promise<void> {
  const message = `Failed to create new replica set "${wanted.metadata.name}": ${messageOf(error)}`
  if (isTerminatingNamespace(error)) return
  deps.events.warning(deployment, 'ReplicaSetCreateError', message)
  const conditions = createFailed(deployment, message, deps.clock.now())
  if (conditions !== undefined) await setConditions(deps, deployment, conditions)
}

const setStatus = ({ client }: DeploymentDeps, deployment: Deployment, status: DeploymentStatus): Promise<Deployment> =>
  client.update<Deployment>({ ...targetOf(DEPLOYMENTS, deployment), subresource: 'status' }, { ...deployment, status })

/** Writes the conditions, and the annotations that the deployment carries here. */
export const setConditions = (
  deps: DeploymentDeps,
  deployment: Deployment,
  conditions: readonly DeploymentCondition[],
): Promise<Deployment> => setStatus(deps, deployment, { ...deployment.status, conditions })

/** Carries out the moves. */
export async function resize(deps: DeploymentDeps, { deployment }: DeploymentView, moves: readonly Resize[]): Promise<void> {
  for (const { replicaSet, replicas } of moves) {
    const annotations = { ...replicaSet.metadata.annotations, ...sizeAnnotations(deployment) }
    const metadata = { ...replicaSet.metadata, annotations }
    const resized = await updateObject(deps.client, REPLICA_SETS, { ...replicaSet, metadata, spec: { ...replicaSet.spec, replicas } })
    if (replicas !== replicasOf(replicaSet)) recordScaling(deps, deployment, resized, replicasOf(replicaSet))
  }
}

/** Deletes old ReplicaSets beyond the history limit. */
export async function cleanUp({ client }: DeploymentDeps, view: DeploymentView): Promise<void> {
  for (const set of planCleanup(view)) await client.delete(targetOf(REPLICA_SETS, set)).catch(ignoring('NotFound'))
}

function recordScaling({ events }: DeploymentDeps, deployment: Deployment, replicaSet: ReplicaSet, before: number): void {
  const now = replicasOf(replicaSet)
  const message = `Scaled ${now > before ? 'up' : 'down'} replica set ${replicaSet.metadata.name} from ${before} to ${now}`
  events.normal(deployment, 'ScalingReplicaSet', message)
}
