import type { KubeObject } from './object.ts'

/** Holds an object, either decoded or as bytes from which it can be decoded again. */
export interface Keeper<T extends KubeObject = KubeObject> {
  /** The object; decoded again if only its bytes are kept. Always the same state, but not always the same JavaScript object. */
  readonly object: Readonly<T>
  /** Its `namespace/name`, if the keeper has that string: indexes can use it instead of building another. */
  readonly key?: string
}

/** The keeper of a decoded object. Weak: it keeps neither of them alive. */
const KEEPERS = new WeakMap<Readonly<KubeObject>, Keeper>()

/** Registers the keeper of an object, which can be held instead of the object. */
export function keptBy(object: Readonly<KubeObject>, keeper: Keeper): void {
  KEEPERS.set(object, keeper)
}

/** The keeper of the object; undefined if only its holders keep it alive. */
export const keeperOf = <T extends KubeObject>(object: Readonly<T>): Keeper<T> | undefined => KEEPERS.get(object) as Keeper<T> | undefined

/** What to hold instead of an object that is rarely read: a decoded pod weighs ten times as much as its bytes. */
export const kept = <T extends KubeObject>(object: Readonly<T>): Keeper<T> => keeperOf(object) ?? { object }
