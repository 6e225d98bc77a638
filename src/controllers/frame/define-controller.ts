import type { Later } from '../../base/steps.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { ResourceRef } from '../../sdk/client/client.ts'
import { type ReconcileResult, runListedController } from '../../sdk/controller/run-controller.ts'
import { WorkQueue, type WorkQueueOptions } from '../../sdk/controller/work-queue.ts'
import type { Informer } from '../../sdk/informer/informer.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import type { ControllerDeps, CreateController } from './controller.ts'
import { requestedInformers } from './requested-informers.ts'

/** Takes the keys (`namespace/name`) of objects that are to be reconciled. */
export type Keys = Pick<WorkQueue, 'add' | 'addAfter'>

/** A controller: which objects it reconciles, with what, and how. */
export interface ControllerDefinition<T extends KubeObject, Deps> {
  /** For the log. */
  readonly name: string
  /** The collection whose objects are reconciled. */
  readonly for: ResourceRef<T>
  /** How many objects are reconciled at once. Default: 1. */
  readonly workers?: number
  /** How long after an object appeared or changed it is reconciled, in milliseconds. Default: 0. */
  readonly delayMs?: number
  /** The waits before an object that failed is reconciled again. Default: those of `WorkQueue`. */
  readonly retry?: Pick<WorkQueueOptions, 'firstMs' | 'maxMs'>
  /** The dependencies of `reconcile`. All informers that are requested here have synced before the first object is reconciled. */
  readonly deps: (given: ControllerDeps) => Deps
  /** Whether an object that appeared or changed is reconciled. Default: each is. */
  readonly when?: (object: Readonly<T>, deps: Deps, old: Readonly<T> | undefined) => boolean
  /** Adds handlers to other informers: what happens there leads to objects being reconciled. */
  readonly watch?: (deps: Deps, keys: Keys, objects: Informer<T>) => void
  /** Brings the cluster to the state that the object describes. Retried with a growing back-off after an exception. */
  readonly reconcile: (deps: Deps, object: Readonly<T>) => Promise<ReconcileResult> | Promise<void>
  /** Called instead of `reconcile` for a deleted object. `deps` drops its state of the object. */
  readonly gone?: (deps: Deps, key: string, keys: Keys) => Later<void>
}

/** A controller that works off a queue of objects' keys. */
export function defineController<T extends KubeObject, Deps>(definition: ControllerDefinition<T, Deps>): CreateController {
  return (given) => {
    const { name, workers = 1, delayMs = 0, retry, when, watch, reconcile, gone } = definition
    const queue = new WorkQueue({ clock: given.clock, ...retry })
    const { log, activities } = given
    const { informers, ready } = requestedInformers(given.informers)
    const objects = informers.of(definition.for)
    const deps = definition.deps({ ...given, informers })
    const consider = (object: Readonly<T>, old?: Readonly<T>) => {
      if (when !== undefined && !when(object, deps, old)) return
      if (delayMs === 0) queue.add(objectKey(object))
      else queue.addAfter(objectKey(object), delayMs)
    }
    objects.addHandler({
      added: (object) => consider(object),
      updated: consider,
      ...(gone !== undefined && { deleted: (object) => queue.add(objectKey(object)) }),
    })
    watch?.(deps, queue, objects)
    const reconcileKey = async (key: string): Promise<ReconcileResult> => {
      const object = objects.get(key)
      if (object !== undefined) return (await reconcile(deps, object)) ?? undefined
      await gone?.(deps, key, queue)
      return undefined
    }
    return {
      name,
      run: (signal) => runListedController({ name, queue, workers, ready: ready(), reconcile: reconcileKey, log, activities }, signal),
    }
  }
}

/** Several controllers under one name: each has a queue of its own. */
export function together(name: string, ...definitions: readonly CreateController[]): CreateController {
  return (given) => {
    const controllers = definitions.map((create) => create(given))
    return {
      name,
      async run(signal) {
        await Promise.all(controllers.map((controller) => controller.run(signal)))
      },
    }
  }
}
