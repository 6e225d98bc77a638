import { timestamp } from '../../base/clock.ts'
import { equalJson } from '../../machinery/equal.ts'
import { ignoring } from '../../machinery/ignoring.ts'
import { isObject, type JsonObject, type KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import type { PlannedStep } from '../../resources/bowsprit/controller-report.ts'
import { appliedFields } from '../kinds/applied-fields.ts'
import { type Condition, nextConditions } from '../kinds/condition.ts'
import { targetOf } from '../kinds/kind.ts'
import type { Outcome } from './controller.ts'
import { BY_OWNER } from './kind-cache.ts'
import { OperatorError } from './operator-error.ts'
import { childKey, type Ownership, stepOf, type WantedChild, wantedChildren } from './plan-children.ts'
import type { ObjectMemory, ReconcilePlace } from './workplace.ts'

/** Carries out an outcome for an object. */
export async function carryOut(
  place: ReconcilePlace,
  object: Readonly<KubeObject>,
  outcome: Outcome,
  memory: ObjectMemory,
  signal: AbortSignal,
): Promise<void> {
  if (outcome.children !== undefined) await reconcileChildren(place, object, outcome.children, memory, signal)
  if (outcome.status !== undefined || outcome.conditions !== undefined) await writeStatus(place, object, outcome, memory, signal)
}

async function reconcileChildren(
  place: ReconcilePlace,
  owner: Readonly<KubeObject>,
  children: readonly KubeObject[],
  memory: ObjectMemory,
  signal: AbortSignal,
): Promise<void> {
  const { controller, caches, client, planned } = place
  const { fieldManager, config } = controller
  const ownership: Ownership = { owner, ownerKind: controller.for, fieldManager, adopt: config.adopt ?? false }
  const wanted = wantedChildren(
    children,
    controller.owns.map((o) => o.kind),
    ownership,
  )
  for (const child of wanted) await reconcileChild(place, child, ownership, memory, signal)
  const keep = new Set(wanted.map(childKey))
  for (const key of memory.children.keys()) if (!keep.has(key)) memory.children.delete(key)
  for (const { kind } of controller.owns) {
    for (const live of caches.of(kind).byIndex(BY_OWNER, owner.metadata.uid ?? '')) {
      const { uid, deletionTimestamp } = live.metadata
      if (keep.has(childKey({ kind, object: live })) || deletionTimestamp !== undefined || appliedFields(live, fieldManager) === undefined)
        continue
      const preconditions = uid === undefined ? {} : { preconditions: { uid } }
      planned(stepAbout('delete', live))
      const gone = client.delete(targetOf(kind, live.metadata), { propagationPolicy: 'Background', ...preconditions, signal })
      await gone.catch(ignoring('NotFound', 'Conflict'))
    }
  }
}

async function reconcileChild(
  place: ReconcilePlace,
  child: WantedChild,
  ownership: Ownership,
  memory: ObjectMemory,
  signal: AbortSignal,
): Promise<void> {
  const cache = place.caches.of(child.kind)
  const { name = '', namespace } = child.object.metadata
  const key = childKey(child)
  const plan = stepOf(child, cache.get(name, namespace), memory.children.get(key), ownership)
  if (plan.step === 'foreign') throw new OperatorError('not-owned', plan.why)
  place.planned(stepAbout(plan.step === 'leaving' ? 'wait' : plan.step, child.object))
  if (plan.step !== 'apply') return
  const { fieldManager } = ownership
  const answer = await place.client.patch(targetOf(child.kind, child.object.metadata), 'apply', child.object, {
    fieldManager,
    force: true,
    signal,
  })
  cache.wrote(answer)
  memory.children.set(key, { sent: child.object, answer })
}

async function writeStatus(
  place: ReconcilePlace,
  object: Readonly<KubeObject>,
  outcome: Outcome,
  memory: ObjectMemory,
  signal: AbortSignal,
): Promise<void> {
  const { controller, client, clock, caches } = place
  const kind = controller.for
  const { name = '', namespace, uid = '' } = object.metadata
  const status = nextStatus(object, outcome, { now: timestamp(clock.now()), observesGeneration: kind.observesGeneration })
  const live: unknown = object.status
  if (equalJson(status, live) || (equalJson(memory.status?.sent, status) && equalJson(memory.status?.answer, live))) return
  place.planned(stepAbout('status', { ...object, apiVersion: kind.apiVersion, kind: kind.kind }))
  // With the uid, so that an object that was created again under the name is not deleted.
  const body = { apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name, ...(namespace && { namespace }), uid }, status }
  const target = { ...targetOf(kind, object.metadata), subresource: 'status' }
  try {
    const answer = await client.patch(target, 'apply', body, { fieldManager: controller.fieldManager, force: true, signal })
    caches.of(kind).wrote(answer)
    memory.status = { sent: status, answer: answer.status }
  } catch (error) {
    // It was deleted meanwhile: there is nothing to do.
    if (!isStatus(error, 'NotFound')) throw error
  }
}

function stepAbout(step: PlannedStep['step'], { apiVersion, kind, metadata: { namespace, name = '' } }: Readonly<KubeObject>): PlannedStep {
  return { step, apiVersion, kind, ...(namespace !== undefined && { namespace }), name }
}

/** The status as it is to be: what the outcome leaves out stays. */
export function nextStatus(
  object: Readonly<KubeObject>,
  { status, conditions }: Outcome,
  at: { readonly now: string; readonly observesGeneration: boolean },
): JsonObject {
  const before: JsonObject = isObject(object.status) ? object.status : {}
  const { conditions: reported, observedGeneration: _seen, ...fields } = before
  const old = Array.isArray(reported) ? (reported as unknown[] as Condition[]) : undefined
  const { generation } = object.metadata
  const own: JsonObject = status ?? fields
  // Kinds with conditions of another form have them in the status itself.
  const next = conditions === undefined ? (own.conditions ?? old) : nextConditions(old, conditions, { now: at.now, generation })
  const all = {
    ...own,
    ...(at.observesGeneration && generation !== undefined ? { observedGeneration: generation } : {}),
    ...(next === undefined ? {} : { conditions: next }),
  }
  // A status is JSON, whatever type its controller has for it.
  return all as JsonObject
}
