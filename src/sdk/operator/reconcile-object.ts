import type { KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { referenceTo } from '../controller/event-recorder.ts'
import { objectKey, splitKey } from '../informer/object-key.ts'
import { type Kind, targetOf } from '../kinds/kind.ts'
import { carryOut } from './carry-out.ts'
import type { ReconcileContext } from './controller.ts'
import { BY_OWNER } from './kind-cache.ts'
import { OperatorError } from './operator-error.ts'
import type { ObjectMemory, ReconcilePlace } from './workplace.ts'

/** Reconciles one object: finalizer, reconciler, outcome. Resolves with the time of the next reconciliation. */
export async function reconcileObject(
  place: ReconcilePlace,
  memories: Map<string, ObjectMemory>,
  key: string,
  signal: AbortSignal,
): Promise<number | undefined> {
  const { controller, caches } = place
  const { namespace, name } = splitKey(key)
  const known = caches.of(controller.for).get(name, namespace)
  if (known === undefined) {
    memories.delete(key)
    return undefined
  }
  const leaving = known.metadata.deletionTimestamp !== undefined
  const { finalize, reconcile } = controller.config
  const guarded = (known.metadata.finalizers ?? []).includes(controller.finalizer)
  if (leaving && (finalize === undefined || !guarded)) {
    memories.delete(key)
    return undefined
  }
  const object =
    finalize !== undefined && !guarded
      ? await writeFinalizers(place, known, [...(known.metadata.finalizers ?? []), controller.finalizer], signal)
      : known
  if (object === undefined) return undefined
  const memory = memoryOf(memories, key, object)
  const context = contextOf(place, object, signal)
  if (!leaving || finalize === undefined) {
    const outcome = await reconcile(context)
    // After an abort nothing may be written: another process may lead already.
    signal.throwIfAborted()
    if (outcome !== undefined) await carryOut(place, object, outcome, memory, signal)
    return outcome?.requeueAfterMs
  }
  const outcome = await finalize(context)
  signal.throwIfAborted()
  if (outcome === 'done') {
    const rest = (object.metadata.finalizers ?? []).filter((f) => f !== controller.finalizer)
    await writeFinalizers(place, object, rest, signal)
    memories.delete(key)
    return undefined
  }
  await carryOut(place, object, outcome, memory, signal)
  return outcome.requeueAfterMs
}

/** What is remembered of another object of the same name is worth nothing. */
function memoryOf(memories: Map<string, ObjectMemory>, key: string, { metadata: { uid = '' } }: Readonly<KubeObject>): ObjectMemory {
  const known = memories.get(key)
  if (known !== undefined && known.uid === uid) return known
  const fresh: ObjectMemory = { uid, children: new Map() }
  memories.set(key, fresh)
  return fresh
}

/** The object afterwards; undefined: it is gone. */
async function writeFinalizers(
  { client, caches, controller }: ReconcilePlace,
  object: Readonly<KubeObject>,
  finalizers: readonly string[],
  signal: AbortSignal,
): Promise<Readonly<KubeObject> | undefined> {
  const { uid, resourceVersion } = object.metadata
  const metadata = { ...(uid && { uid }), ...(resourceVersion && { resourceVersion }), finalizers: [...finalizers] }
  try {
    const answer = await client.patch(
      targetOf(controller.for, object.metadata),
      'merge',
      { metadata },
      { fieldManager: controller.fieldManager, signal },
    )
    caches.of(controller.for).wrote(answer)
    return answer
  } catch (error) {
    if (isStatus(error, 'NotFound')) return undefined
    throw error
  }
}

function contextOf(place: ReconcilePlace, object: Readonly<KubeObject>, signal: AbortSignal): ReconcileContext {
  const { caches, client, clock, recorder, controller } = place
  const log = place.log.with({ controller: controller.name, object: objectKey(object) })
  return {
    object,
    client,
    clock,
    signal,
    log,
    read: (kind) => caches.of(kind),
    children<C extends KubeObject>(kind: Kind<C>) {
      if (!controller.owns.some((o) => o.kind.kind === kind.kind && o.kind.group === kind.group))
        throw new OperatorError('not-owned', `controller ${controller.name} does not own ${kind.kind}: add it to \`owns\``)
      return caches.of(kind).byIndex(BY_OWNER, object.metadata.uid ?? '')
    },
    event: (type, reason, message) => recorder.record({ regarding: referenceTo(object), type, reason, message }),
  }
}
