import { equalJson } from '../../machinery/equal.ts'
import type { KubeObject } from '../../machinery/object.ts'

/** Which changes of an object are worth a reconciliation. What is absent lets everything through. */
export interface Predicate<T extends KubeObject = KubeObject> {
  readonly created?: (object: Readonly<T>) => boolean
  readonly updated?: (object: Readonly<T>, old: Readonly<T>) => boolean
  readonly deleted?: (object: Readonly<T>) => boolean
}

const onUpdate = (changed: (object: Readonly<KubeObject>, old: Readonly<KubeObject>) => boolean): Predicate => ({ updated: changed })

/** Lets updates through that changed the generation: the spec, or the mark of deletion; not the status or the metadata. */
export const generationChanged: Predicate = onUpdate((o, old) => o.metadata.generation !== old.metadata.generation)
/** Lets updates through that changed labels. */
export const labelsChanged: Predicate = onUpdate((o, old) => !equalJson(o.metadata.labels ?? {}, old.metadata.labels ?? {}))
/** Lets updates through that changed annotations. */
export const annotationsChanged: Predicate = onUpdate((o, old) => !equalJson(o.metadata.annotations ?? {}, old.metadata.annotations ?? {}))
/** Lets updates through that changed anything at all (a resync changes nothing). */
export const resourceVersionChanged: Predicate = onUpdate((o, old) => o.metadata.resourceVersion !== old.metadata.resourceVersion)
/** Lets nothing through but what one of these lets through. */
export const anyOf = <T extends KubeObject = KubeObject>(...of: readonly Predicate<T>[]): Predicate<T> => ({
  created: (o) => of.some((p) => p.created?.(o) ?? true),
  updated: (o, old) => of.some((p) => p.updated?.(o, old) ?? true),
  deleted: (o) => of.some((p) => p.deleted?.(o) ?? true),
})
/** Lets through what all of these let through. */
export const allOf = <T extends KubeObject = KubeObject>(...of: readonly Predicate<T>[]): Predicate<T> => ({
  created: (o) => of.every((p) => p.created?.(o) ?? true),
  updated: (o, old) => of.every((p) => p.updated?.(o, old) ?? true),
  deleted: (o) => of.every((p) => p.deleted?.(o) ?? true),
})
/** Lets through objects of which this is true. */
export const objectsThat = <T extends KubeObject = KubeObject>(holds: (object: Readonly<T>) => boolean): Predicate<T> => ({
  created: holds,
  updated: holds,
  deleted: holds,
})
/** Lets through objects with these labels. */
export const withLabels = (labels: Readonly<Record<string, string>>): Predicate =>
  objectsThat((o) => Object.entries(labels).every(([name, value]) => o.metadata.labels?.[name] === value))
