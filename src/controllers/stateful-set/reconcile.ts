import { CONTROLLER_REVISIONS, PODS, STATEFUL_SETS } from '../../resources/refs.ts'
import type { ControllerRevision, StatefulSet } from '../../resources/types/apps.ts'
import type { Pod } from '../../resources/types/core.ts'
import type { ReconcileResult } from '../../sdk/controller/run-controller.ts'
import { claimable, controlledBy } from '../frame/indexes.ts'
import { writeStatus } from '../frame/write-status.ts'
import { claim, planClaims, selectsByLabels } from '../pods/ownership.ts'
import { nextAvailableInMs } from '../pods/pod-state.ts'
import { currentRevision, revisionData, revisionHash, trimRevisions } from '../template/revisions.ts'
import { carryOut } from './carry-out.ts'
import type { StatefulSetDeps } from './deps.ts'
import { ordinalOf } from './ordinals.ts'
import { planStatefulSet, REVISION_LABEL } from './plan.ts'
import { statefulSetStatus } from './status.ts'

/** One round: adopts pods and revisions, carries out the plan, and writes the status, also after a failure. */
export async function reconcileStatefulSet(deps: StatefulSetDeps, set: StatefulSet): Promise<ReconcileResult> {
  const { client, clock, pods } = deps
  const isOwn = (pod: Pod) => selectsByLabels(set, pod) && ordinalOf(set, pod) >= 0
  await claim(client, { owner: STATEFUL_SETS, owned: PODS }, set, planClaims(set, isOwn, claimable(pods, set)))
  const { current, update, known } = await revisionsOf(deps, set)
  const view = { set, current: current.metadata.name ?? '', update: update.metadata.name ?? '' }
  const plan = planStatefulSet({ ...view, pods: controlledBy(pods, set) }, clock.now())
  const failure = await carryOut(deps, set, plan, known)
  const after = controlledBy(pods, set)
  await writeStatus(client, STATEFUL_SETS, set, statefulSetStatus({ ...view, pods: after }, clock.now()))
  const live = new Set([view.current, view.update, ...after.map((p) => p.metadata.labels?.[REVISION_LABEL] ?? '')])
  await trimRevisions(client, set, controlledBy(deps.revisions, set), live)
  if (failure !== undefined) throw failure
  const requeueAfterMs = plan.more ? 0 : nextAvailableInMs(after, set.spec.minReadySeconds ?? 0, clock.now())
  return requeueAfterMs === undefined ? undefined : { requeueAfterMs }
}

interface Revisions {
  /** That of the last complete rollout. */
  readonly current: ControllerRevision
  /** That of the set's template. */
  readonly update: ControllerRevision
  readonly known: readonly ControllerRevision[]
}

async function revisionsOf({ client, revisions }: StatefulSetDeps, set: StatefulSet): Promise<Revisions> {
  const claims = planClaims(set, (r: ControllerRevision) => selectsByLabels(set, r), claimable(revisions, set))
  const adopted = await claim(client, { owner: STATEFUL_SETS, owned: CONTROLLER_REVISIONS }, set, claims)
  const kept = set.metadata.deletionTimestamp === undefined ? adopted : controlledBy(revisions, set)
  const hash = revisionHash(revisionData(set), set.status?.collisionCount ?? 0)
  const labels = { ...set.spec.selector.matchLabels, 'controller.kubernetes.io/hash': hash }
  const update = await currentRevision(client, kept, { owner: set, owners: STATEFUL_SETS, hash, labels })
  const current = kept.find((r) => r.metadata.name === set.status?.currentRevision) ?? update
  return { current, update, known: [...kept, update] }
}
