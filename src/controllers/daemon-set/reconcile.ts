import type { Clock } from '../../base/clock.ts'
import { CONTROLLER_REVISIONS, DAEMON_SETS, PODS } from '../../resources/refs.ts'
import type { ControllerRevision, DaemonSet } from '../../resources/types/apps.ts'
import type { Node, Pod } from '../../resources/types/core.ts'
import type { Client } from '../../sdk/client/client.ts'
import type { ReconcileResult } from '../../sdk/controller/run-controller.ts'
import type { Informer } from '../../sdk/informer/informer.ts'
import { claimable, controlledBy } from '../frame/indexes.ts'
import type { ObjectEvents } from '../frame/object-events.ts'
import { writeStatus } from '../frame/write-status.ts'
import { claim, planClaims, selectorOf, selectsByLabels } from '../pods/ownership.ts'
import { createPodControl } from '../pods/pod-control.ts'
import { nextAvailableInMs } from '../pods/pod-state.ts'
import { currentRevision, trimRevisions } from '../template/revisions.ts'
import { templateHash } from '../template/template-hash.ts'
import type { FailedPodsBackOff } from './back-off.ts'
import { daemonPod, GENERATION, HASH_LABEL } from './daemon-pod.ts'
import { type DaemonSetPlan, nodeOf, planDaemonSet } from './plan.ts'
import { daemonSetStatus } from './status.ts'

/** What a DaemonSet is reconciled with. */
export interface DaemonSetDeps {
  readonly client: Client
  readonly clock: Clock
  readonly events: ObjectEvents
  readonly pods: Informer<Pod>
  readonly nodes: Informer<Node>
  readonly revisions: Informer<ControllerRevision>
  readonly backOff: FailedPodsBackOff
}

/** One round: adopts pods and revisions, carries out the plan, and writes the status, also after a failure. */
export async function reconcileDaemonSet(deps: DaemonSetDeps, set: DaemonSet): Promise<ReconcileResult> {
  const { client, clock, events, pods, nodes } = deps
  if (set.metadata.deletionTimestamp !== undefined) return undefined
  if (selectorOf(set).isEmpty()) {
    events.warning(set, 'SelectingAll', 'This daemon set is selecting all pods. A non-empty selector is required.')
    return undefined
  }
  const claims = planClaims(set, (p: Pod) => selectsByLabels(set, p), claimable(pods, set))
  await claim(client, { owner: DAEMON_SETS, owned: PODS }, set, claims)
  const hash = await currentHash(deps, set)
  const view = () => ({ set, nodes: nodes.list(), pods: controlledBy(pods, set), hash })
  const plan = planDaemonSet(view(), clock.now())
  const backOffs = plan.failed.map((pod) => ({ pod, waitMs: backOffMs(deps, set, hash, pod) }))
  const failed = backOffs.filter(({ waitMs }) => waitMs === 0).map(({ pod }) => pod)
  const failure = await carryOut(deps, set, hash, { ...plan, failed })
  const after = view()
  await writeStatus(client, DAEMON_SETS, set, daemonSetStatus(after, clock.now()))
  const hashes = [hash, ...after.pods.map((p) => p.metadata.labels?.[HASH_LABEL] ?? '')]
  await trimRevisions(client, set, controlledBy(deps.revisions, set), new Set(hashes.map((h) => `${set.metadata.name}-${h}`)))
  if (failure !== undefined) throw failure
  if (plan.more) return { requeueAfterMs: 0 }
  const available = nextAvailableInMs(after.pods, set.spec.minReadySeconds ?? 0, clock.now())
  const waits = [available ?? [], ...backOffs.map(({ waitMs }) => waitMs || [])].flat()
  return waits.length === 0 ? undefined : { requeueAfterMs: Math.min(...waits) }
}

/** The hash of the revision of the set's template; the revision is created if missing. */
async function currentHash({ client, revisions }: DaemonSetDeps, set: DaemonSet): Promise<string> {
  const hash = templateHash(set.spec.template, set.status?.collisionCount)
  const generation = set.metadata.annotations?.[GENERATION]
  const claims = planClaims(set, (r: ControllerRevision) => selectsByLabels(set, r), claimable(revisions, set))
  const own = await claim(client, { owner: DAEMON_SETS, owned: CONTROLLER_REVISIONS }, set, claims)
  const revision = await currentRevision(client, own, {
    owner: set,
    owners: DAEMON_SETS,
    hash,
    labels: { ...set.spec.template.metadata?.labels, [HASH_LABEL]: hash },
    ...(generation === undefined ? {} : { annotations: { [GENERATION]: generation } }),
  })
  return revision.metadata.labels?.[HASH_LABEL] ?? hash
}

const isFailed = (pod: Pod) => pod.status?.phase === 'Failed'

/** How long the replacement of a failed pod has to wait. */
const backOffMs = ({ backOff }: DaemonSetDeps, set: DaemonSet, hash: string, pod: Pod) =>
  isFailed(pod) ? backOff.waitMs(`${set.metadata.uid}/${hash}/${nodeOf(pod)}`) : 0

async function carryOut({ client, events }: DaemonSetDeps, set: DaemonSet, hash: string, plan: DaemonSetPlan): Promise<unknown> {
  const podControl = createPodControl(client, events)
  for (const pod of plan.failed) {
    const where = `daemon pod ${set.metadata.namespace}/${pod.metadata.name} on node ${nodeOf(pod)}, will try to`
    if (isFailed(pod)) events.warning(set, 'FailedDaemonPod', `Found failed ${where} kill it`)
    else events.normal(set, 'SucceededDaemonPod', `Found succeeded ${where} delete it`)
    await podControl.remove(set, pod)
  }
  await Promise.all(plan.remove.map((pod) => podControl.remove(set, pod)))
  const { error } = await podControl.create(set, plan.create.length, (i) => daemonPod(set, plan.create[i] ?? '', hash))
  return error
}
