import type { ResourceRef, Target } from '../../machinery/api-call.ts'
import { apiVersionOf, type KubeObject, type ObjectMeta } from '../../machinery/object.ts'

/** Holds the type of a kind's objects for the compiler; never there at run time. */
declare const objectType: unique symbol

/** A kind as a value: its names, where the client finds it, and (for the compiler) the type of its objects. */
export interface Kind<T extends KubeObject = KubeObject> {
  readonly [objectType]?: T
  /** `apps`; `''` is the core group. */
  readonly group: string
  readonly version: string
  /** `Deployment` */
  readonly kind: string
  /** `deployments` */
  readonly plural: string
  /** Whether its objects live in namespaces. */
  readonly namespaced: boolean
  /** `apps/v1` */
  readonly apiVersion: string
  /** The collection, for the client: `client.list(Gadget.ref)`. */
  readonly ref: ResourceRef<T>
  /** Whether its status has `observedGeneration`, for controllers to write. */
  readonly observesGeneration: boolean
}

/** The type of the objects of a kind. */
export type ObjectOf<K> = K extends Kind<infer T> ? T : never

/** What a kind is called. */
export interface KindNames {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly plural: string
  /** Default true. */
  readonly namespaced?: boolean
  /** Whether its status has `observedGeneration`. Default false. */
  readonly observesGeneration?: boolean
}

/**
 * A kind that is defined elsewhere. `bowsprit generate types` writes these, with the type.
 *
 * ```ts
 * const Certificate = kindOf({ group: 'cert-manager.io', version: 'v1', kind: 'Certificate', plural: 'certificates' })
 * ```
 */
export function kindOf<T extends KubeObject = KubeObject>(names: KindNames): Kind<T> {
  const { group, version, kind, plural, namespaced = true, observesGeneration = false } = names
  const ref: ResourceRef<T> = Object.freeze({ group, version, resource: plural })
  return Object.freeze({ group, version, kind, plural, namespaced, observesGeneration, apiVersion: apiVersionOf(names), ref })
}

/** The target of one object, for the client. The second form is for a kind that is one of several, as in a loop over kinds. */
export function targetOf<T extends KubeObject>(kind: Kind<T>, at: Pick<ObjectMeta, 'name' | 'namespace'>): Target<T>
export function targetOf(kind: Kind, at: Pick<ObjectMeta, 'name' | 'namespace'>): Target
export function targetOf(kind: Kind, { name = '', namespace = '' }: Pick<ObjectMeta, 'name' | 'namespace'>): Target {
  return { ...kind.ref, ...(kind.namespaced ? { namespace } : {}), name }
}
