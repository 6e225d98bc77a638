import type { KubeObject } from '../../machinery/object.ts'
import type { TrailChange, TrailTarget } from './request-trail.ts'

/**
 * The recent changes of one object: `bowsprit.dev/v1 FieldHistory`, in the namespace of the object (of objects without one: `default`, as
 * events about them), under `deployments.apps:web` or `pods:web`. Never stored: it is made of what the watch cache still has of the
 * object, and of the recorded requests.
 */
export interface FieldHistory extends KubeObject {
  readonly target: TrailTarget
  /** The latest first. */
  readonly changes: readonly ObjectRevision[]
  /** It reaches back to the creation of the object; otherwise earlier changes are forgotten. */
  readonly complete: boolean
}

/** A revision of an object, and the request that stored it. */
export interface ObjectRevision {
  /** The resourceVersion that was stored. */
  readonly revision: string
  /** `unknown`: the request was recorded, but the state is no longer kept. */
  readonly change: 'created' | 'changed' | 'deleted' | 'unknown'
  /** The name of the RequestTrail. Absent: the server wrote by itself, or the request is no longer kept. So are the following fields. */
  readonly requestTrail?: string
  readonly time?: string
  readonly user?: string
  readonly verb?: string
  readonly subresource?: string
  readonly fieldManager?: string
  /** What differs from the revision before; absent for readers who may not get the object. Values of Secrets are left out. */
  readonly fields?: readonly TrailChange[]
  /** Fields that are not listed. */
  readonly unlisted?: number
}
