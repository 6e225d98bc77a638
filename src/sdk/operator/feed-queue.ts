import type { Cancel } from '../../base/clock.ts'
import { type KubeObject, parseApiVersion } from '../../machinery/object.ts'
import type { WorkQueue } from '../controller/work-queue.ts'
import type { InformerHandler } from '../informer/informer.ts'
import { objectKey } from '../informer/object-key.ts'
import type { Kind } from '../kinds/kind.ts'
import type { Request, Watch } from './controller.ts'
import type { Predicate } from './predicates.ts'
import type { Workplace } from './workplace.ts'

/** Puts the objects that changes concern into the queue, from now on (what exists counts as created), until it is cancelled. */
export function feedQueue(place: Workplace, queue: WorkQueue): Cancel {
  const { controller, caches } = place
  const handle = (kind: Kind, when: Predicate, keysOf: (object: Readonly<KubeObject>) => readonly string[]) =>
    caches.of(kind).informer.addHandler(handlerOf(place, queue, when, keysOf))
  const cancels = [
    handle(controller.for, controller.config.when ?? {}, (object) => [objectKey(object)]),
    ...controller.owns.map((owned) => handle(owned.kind, owned.when, (object) => ownersOf(object, controller.for))),
    ...controller.watches.map((w) => handle(w.kind, w.when ?? {}, (object) => requestedBy(w, object, place))),
  ]
  return () => {
    for (const cancel of cancels) cancel()
  }
}

/** An exception in predicates and mappings affects no other object. */
function handlerOf(
  { metrics, log, controller }: Workplace,
  queue: WorkQueue,
  when: Predicate,
  keysOf: (object: Readonly<KubeObject>) => readonly string[],
): InformerHandler<KubeObject> {
  const guarded = (what: Readonly<KubeObject>, passes: () => boolean, of: readonly Readonly<KubeObject>[]) => {
    try {
      if (passes()) for (const key of new Set(of.flatMap(keysOf))) queue.add(key)
    } catch (error) {
      metrics.panicked()
      log.error(`controller ${controller.name}: a predicate or mapping failed on ${what.kind} ${objectKey(what)}`, { error })
    }
  }
  return {
    added: (object) => guarded(object, () => when.created?.(object) ?? true, [object]),
    updated: (object, old) => guarded(object, () => when.updated?.(object, old) ?? true, [old, object]),
    deleted: (object) => guarded(object, () => when.deleted?.(object) ?? true, [object]),
  }
}

/** The controlling owner of the object, if it is of this kind (in any version). */
function ownersOf(object: Readonly<KubeObject>, kind: Kind): readonly string[] {
  const found = (object.metadata.ownerReferences ?? []).filter(
    (r) => r.controller === true && r.kind === kind.kind && parseApiVersion(r.apiVersion)?.group === kind.group,
  )
  return found.map((r) => (kind.namespaced ? `${object.metadata.namespace ?? ''}/${r.name}` : r.name))
}

function requestedBy(w: Watch, object: Readonly<KubeObject>, { caches, controller }: Workplace): readonly string[] {
  const keyOf = ({ namespace, name }: Request) => (controller.for.namespaced ? `${namespace ?? ''}/${name}` : name)
  return w
    .requests(object, (kind) => caches.of(kind))
    .filter((r) => r.name !== '')
    .map(keyOf)
}
