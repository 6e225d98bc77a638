import { messageOf } from '../../base/message-of.ts'
import { semanticEqual } from '../../machinery/equal.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { isStatus, isTerminatingNamespace } from '../../machinery/status-error.ts'
import { CONTROLLER_REVISIONS, PERSISTENT_VOLUME_CLAIMS, PODS, STATEFUL_SETS } from '../../sdk/client/refs.ts'
import { referenceTo } from '../../sdk/controller/event-recorder.ts'
import { WorkQueue } from '../../sdk/controller/work-queue.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import type { Controller, ControllerDeps } from '../frame/controller.ts'
import { claimable, controlledBy } from '../frame/indexes.ts'
import { queueController } from '../frame/queue-controller.ts'
import { claim, ownerHandler, planClaims, selectingOwners, selectsByLabels } from '../pods/ownership.ts'
import { availableInMs } from '../pods/pod-state.ts'
import { slowStart } from '../pods/slow-start.ts'
import { currentRevision, revisionData, revisionHash, trimRevisions } from '../template/revisions.ts'
import { claimOwners, hasForeignController, isLeftOver } from './claim-retention.ts'
import {
  inRange,
  ordinalOf,
  planStatefulSet,
  REVISION_LABEL,
  type StatefulSetPlan,
  type StatefulSetView,
  statefulSetStatus,
} from './plan.ts'
import { claimsFor, repairedPod, setPod } from './set-pod.ts'

const NAME = 'statefulset-controller'

/** Runs pods that each have a name and storage of their own. */
export function createStatefulSetController(deps: ControllerDeps): Controller {
  const { client, clock, informers, log } = deps
  const queue = new WorkQueue({ clock })
  const sets = informers.of(STATEFUL_SETS)
  const pods = informers.of(PODS)
  const revisions = informers.of(CONTROLLER_REVISIONS)
  const claims = informers.of(PERSISTENT_VOLUME_CLAIMS)
  const events = deps.recorder(NAME)
  const enqueue = (o: KubeObject) => queue.add(objectKey(o))
  sets.addHandler({ added: enqueue, updated: enqueue })
  pods.addHandler(ownerHandler('StatefulSet', queue, selectingOwners(sets, selectsByLabels)))

  async function reconcile(key: string): Promise<{ requeueAfterMs: number } | undefined> {
    const set = sets.get(key)
    if (set === undefined) return undefined
    const ownership = planClaims(set, (p) => selectsByLabels(set, p) && ordinalOf(set, p) >= 0, claimable(pods, set))
    await claim(client, { owner: STATEFUL_SETS, owned: PODS }, set, ownership)
    const adopted = await claim(
      client,
      { owner: STATEFUL_SETS, owned: CONTROLLER_REVISIONS },
      set,
      planClaims(set, (r) => selectsByLabels(set, r), claimable(revisions, set)),
    )
    const kept = set.metadata.deletionTimestamp === undefined ? adopted : ownRevisions(set)
    const collisions: number = set.status?.collisionCount ?? 0
    const hash = revisionHash(revisionData(set), collisions)
    const labels = { ...set.spec?.selector?.matchLabels, 'controller.kubernetes.io/hash': hash }
    const update = await currentRevision(client, kept, { owner: set, owners: STATEFUL_SETS, hash, labels })
    const current = kept.find((r) => r.metadata.name === set.status?.currentRevision) ?? update
    const names = { current: current.metadata.name ?? '', update: update.metadata.name ?? '' }
    const view: StatefulSetView = { set, pods: ownPods(set), ...names }
    const plan = planStatefulSet(view, clock.now())
    const trouble = await carryOut(set, plan, [...kept, update])
    const after = ownPods(set)
    await writeStatus({ ...view, pods: after })
    const live = new Set([names.current, names.update, ...after.map((p) => p.metadata.labels?.[REVISION_LABEL] ?? '')])
    await trimRevisions(client, set, ownRevisions(set), live)
    if (trouble !== undefined) throw trouble
    if (plan.more) return { requeueAfterMs: 0 }
    const waits = after.flatMap((p) => availableInMs(p, set.spec?.minReadySeconds ?? 0, clock.now()) || [])
    return waits.length === 0 ? undefined : { requeueAfterMs: Math.min(...waits) }
  }

  const ownPods = (set: KubeObject) => controlledBy(pods, set)
  const ownRevisions = (set: KubeObject) => controlledBy(revisions, set)

  /** Puts right what makes a pod, and its claims, the set's. */
  async function keep(set: KubeObject, pod: KubeObject): Promise<void> {
    const { namespace = '', name = '' } = pod.metadata
    const repaired = repairedPod(set, pod, ordinalOf(set, pod))
    try {
      if (repaired !== undefined) {
        await makeClaims(set, ordinalOf(set, pod), name)
        await client.update({ ...PODS, namespace, name }, repaired)
      }
      const owned = await setClaimOwners(set, pod)
      if (repaired !== undefined || owned)
        record(set, 'Normal', 'SuccessfulUpdate', `Update Pod ${name} in StatefulSet ${set.metadata.name} successful`)
    } catch (error) {
      if (!isStatus(error, 'Conflict'))
        record(set, 'Warning', 'FailedUpdate', `Update Pod ${name} in StatefulSet ${set.metadata.name} failed error: ${messageOf(error)}`)
      throw error
    }
  }

  /** Puts right who owns the claims of a pod. Resolves with whether that was to be done. */
  async function setClaimOwners(set: KubeObject, pod: KubeObject): Promise<boolean> {
    const namespace = set.metadata.namespace ?? ''
    let changed = false
    for (const { metadata } of claimsFor(set, ordinalOf(set, pod))) {
      const held = claims.get(`${namespace}/${metadata.name}`)
      if (held === undefined) continue
      const ownerReferences = claimOwners(set, pod, held)
      const isNews = ownerReferences !== undefined || pod.status?.phase === 'Pending' || !inRange(set, pod)
      if (isNews && hasForeignController(set, pod, held)) record(set, 'Warning', 'ConflictingController', conflictOf(held))
      if (ownerReferences === undefined) continue
      const owned = { ...held, metadata: { ...held.metadata, ownerReferences: [...ownerReferences] } }
      await client.update({ ...PERSISTENT_VOLUME_CLAIMS, namespace, name: metadata.name ?? '' }, owned).catch((error) => {
        if (!isStatus(error, 'NotFound')) throw error
      })
      changed = true
    }
    return changed
  }

  async function carryOut(set: KubeObject, plan: StatefulSetPlan, known: readonly KubeObject[]): Promise<unknown> {
    const [pending, stay] = [new Set(plan.pending), new Set(plan.keep)]
    // A pod may be both: its claims are written by one hand.
    const kept = await Promise.allSettled(
      [...pending.union(stay)].map(async (pod) => {
        if (pending.has(pod)) await makeClaims(set, ordinalOf(set, pod), pod.metadata.name ?? '')
        await (stay.has(pod) ? keep(set, pod) : setClaimOwners(set, pod))
      }),
    )
    const unkept = kept.find((r) => r.status === 'rejected')
    if (unkept !== undefined) return unkept.reason
    const removals = Promise.allSettled([...plan.recreate, ...plan.remove].map((pod) => remove(set, pod)))
    const { error } = await slowStart(plan.create.length, async (i) => {
      const { ordinal = 0, revision } = plan.create[i] ?? {}
      const template = known.find((r) => r.metadata.name === revision)
      if (template !== undefined) await create(set, ordinal, template)
    })
    const failed = (await removals).find((r) => r.status === 'rejected')
    return error ?? failed?.reason
  }

  async function create(set: KubeObject, ordinal: number, revision: KubeObject): Promise<void> {
    const namespace = set.metadata.namespace ?? ''
    const pod = setPod(set, ordinal, revision)
    const { name = '' } = pod.metadata
    const leftOver = claimsFor(set, ordinal)
      .map(({ metadata }) => claims.get(`${namespace}/${metadata.name}`))
      .find((held) => held !== undefined && isLeftOver(set, pod, held))
    if (leftOver !== undefined) throw new Error(`pod ${name} waits until its claim ${leftOver.metadata.name} of before is gone`)
    try {
      await makeClaims(set, ordinal, name)
      await client.create({ ...PODS, namespace }, pod)
      record(set, 'Normal', 'SuccessfulCreate', `Create Pod ${name} in StatefulSet ${set.metadata.name} successful`)
    } catch (error) {
      if (isTerminatingNamespace(error)) return
      const why = messageOf(error)
      if (!isStatus(error, 'AlreadyExists'))
        record(set, 'Warning', 'FailedCreate', `Create Pod ${name} in StatefulSet ${set.metadata.name} failed error: ${why}`)
      throw error
    }
  }

  /** The claims of a pod, where they are not there yet. */
  async function makeClaims(set: KubeObject, ordinal: number, pod: string): Promise<void> {
    const namespace = set.metadata.namespace ?? ''
    for (const wanted of claimsFor(set, ordinal)) {
      const { name = '' } = wanted.metadata
      const standing = claims.get(`${namespace}/${name}`)
      if (standing?.metadata.deletionTimestamp !== undefined) throw new Error(`pvc ${name} is being deleted`)
      if (standing !== undefined) continue
      try {
        await client.create({ ...PERSISTENT_VOLUME_CLAIMS, namespace }, wanted)
        record(set, 'Normal', 'SuccessfulCreate', `Create Claim ${name} Pod ${pod} in StatefulSet ${set.metadata.name} success`)
      } catch (error) {
        if (isStatus(error, 'AlreadyExists')) continue
        if (!isStatus(error) || isTerminatingNamespace(error)) throw error
        const message = `Create Claim ${name} for Pod ${pod} in StatefulSet ${set.metadata.name} failed error: ${error.message}`
        record(set, 'Warning', 'FailedCreate', message)
        throw new Error(`failed to create PVC ${name}: ${error.message}`, { cause: error })
      }
    }
  }

  async function remove(set: KubeObject, pod: KubeObject): Promise<void> {
    const { namespace = '', name = '', uid } = pod.metadata
    if (!inRange(set, pod)) await setClaimOwners(set, pod)
    try {
      await client.delete({ ...PODS, namespace, name }, uid === undefined ? {} : { preconditions: { uid } })
    } catch (error) {
      if (isStatus(error, 'NotFound')) return
      record(set, 'Warning', 'FailedDelete', `Delete Pod ${name} in StatefulSet ${set.metadata.name} failed error: ${messageOf(error)}`)
      throw error
    }
    record(set, 'Normal', 'SuccessfulDelete', `Delete Pod ${name} in StatefulSet ${set.metadata.name} successful`)
  }

  async function writeStatus(view: StatefulSetView): Promise<void> {
    const status = statefulSetStatus(view, clock.now())
    if (semanticEqual(status, view.set.status)) return
    const { namespace = '', name = '' } = view.set.metadata
    await client.update({ ...STATEFUL_SETS, namespace, name, subresource: 'status' }, { ...view.set, status }).catch((error) => {
      if (!isStatus(error, 'NotFound')) throw error
    })
  }

  function record(set: KubeObject, type: 'Normal' | 'Warning', reason: string, message: string): void {
    events.record({ regarding: referenceTo(set), type, reason, message })
  }

  return queueController({ name: NAME, queue, workers: 5, copies: [sets, pods, revisions, claims], reconcile, log })
}

const conflictOf = ({ metadata: { name } }: KubeObject) =>
  `PersistentVolumeClaim ${name} has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim`
