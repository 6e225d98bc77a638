import type { KubeObject } from '../../machinery/object.ts'
import type { DiscoveredResource } from '../../sdk/client/discovery.ts'
import { keyOf, resourceOf } from '../operator-trial/trial-base.ts'

/** A step of a workload: what a user does to the cluster. The next step waits until everything is at rest. */
export interface WorkStep {
  readonly name: string
  /** Applied in this order (server-side). A field that an earlier step set, and this one does not, is unset. */
  readonly apply?: readonly KubeObject[]
  /** Deleted after that, by kind, namespace and name. */
  readonly remove?: readonly KubeObject[]
  /** `guess`: the operator may refuse it. `bad`: nothing can satisfy it. Default `plain`: it means something. */
  readonly input?: 'plain' | 'guess' | 'bad'
}

/** Whether a step deletes anything. */
export const removes = (step: WorkStep | undefined): boolean => (step?.remove ?? []).length > 0

/** The objects that a user wants to exist after each of these steps, by key. */
export function desiredAfter(steps: readonly WorkStep[]): ReadonlyMap<string, KubeObject>[] {
  let desired = new Map<string, KubeObject>()
  return steps.map(({ apply = [], remove = [] }) => {
    desired = new Map(desired)
    for (const object of apply) desired.set(keyOf(object), object)
    for (const object of remove) desired.delete(keyOf(object))
    return desired
  })
}

/** Whether two sets of desired objects are the same, whatever their order. */
export function sameDesire(a: ReadonlyMap<string, KubeObject>, b: ReadonlyMap<string, KubeObject>): boolean {
  return a.size === b.size && [...a].every(([key, object]) => JSON.stringify(b.get(key)) === JSON.stringify(object))
}

/** The object in the namespace in which it will be: `default`, if it names none and its kind has namespaces. */
export function inNamespace(object: KubeObject, resources: readonly DiscoveredResource[]): KubeObject {
  const { metadata } = object
  const isPlaced = metadata.namespace !== undefined || resourceOf(object, resources)?.namespaced !== true
  return isPlaced ? object : { ...object, metadata: { ...metadata, namespace: 'default' } }
}

/** A step whose objects are in their namespaces. */
export function stepInNamespaces(step: WorkStep, resources: readonly DiscoveredResource[]): WorkStep {
  const { apply, remove } = step
  const placed = (objects: readonly KubeObject[]) => objects.map((object) => inNamespace(object, resources))
  return { ...step, ...(apply && { apply: placed(apply) }), ...(remove && { remove: placed(remove) }) }
}
