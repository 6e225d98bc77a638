import type { KubeObject } from './object.ts'

/** Who has an object, as itself or as bytes from which it can be made again. */
export interface Keeper<T extends KubeObject = KubeObject> {
  /** The object; made anew where only its bytes are kept. It is always the same state, and not always the same JavaScript object. */
  readonly object: Readonly<T>
  /** Its `namespace/name`, where the keeper has that as a text of its own: whoever files the object under it need not make another one. */
  readonly key?: string
}

/** Weak on both sides: it says of an object that somebody holds who keeps it, and holds neither. */
const KEEPERS = new WeakMap<Readonly<KubeObject>, Keeper>()

/** Says who keeps an object: whoever wants it later may hold on to that one in its place. */
export function keptBy(object: Readonly<KubeObject>, keeper: Keeper): void {
  KEEPERS.set(object, keeper)
}

/** Who keeps the object; undefined: whoever lets go of it has lost it. */
export const keeperOf = <T extends KubeObject>(object: Readonly<T>): Keeper<T> | undefined => KEEPERS.get(object) as Keeper<T> | undefined

/** What to hold on to in place of an object that is seldom looked at: a decoded pod weighs ten times what its bytes do. */
export const kept = <T extends KubeObject>(object: Readonly<T>): Keeper<T> => keeperOf(object) ?? { object }
