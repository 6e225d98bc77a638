import type { ControllerPage } from './controller-page.ts'
import type { Tone } from './object-name.ts'
import type { TrailPage } from './trail-page.ts'

/**
 * A line of YAML. `owners` are indexes of the managers that own the field that begins here; `change` is the index of the change in the
 * object's history that set it, or -1.
 */
export type YamlLine = readonly [indent: number, text: string, owners: readonly number[], change: number]

/** Who set fields, by `metadata.managedFields`. */
export interface FieldManager {
  readonly manager: string
  readonly operation: string
  readonly subresource: string
  /** Milliseconds since the Unix epoch; 0 if it is not recorded. */
  readonly timeMs: number
}

export interface ObjectPage {
  readonly kind: string
  readonly uid: string
  readonly tone: Tone
  /** Why it is not well, in one sentence; or what it is doing. */
  readonly health: string
  readonly createdMs: number
  readonly managers: readonly FieldManager[]
  readonly lines: readonly YamlLine[]
  /** Lines beyond the bound, which are not sent. */
  readonly unsent: number
  readonly events: readonly ObjectEvent[]
  /** The latest first; null where requests are not recorded. */
  readonly history: readonly HistoryEntry[] | null
  /** Of a RequestTrail. */
  readonly trail: TrailPage | null
  /** Of a ControllerReport. */
  readonly controller: ControllerPage | null
  /** It is gone; what is shown is its last state. */
  readonly deleted: boolean
  readonly problem: string
}

/** A change of an object, and the request that made it. */
export interface HistoryEntry {
  readonly revision: string
  readonly change: 'created' | 'changed' | 'deleted' | 'unknown'
  /** The name of its trail; `''`: it is not recorded, or no longer kept. So are the following fields. */
  readonly request: string
  readonly timeMs: number
  readonly user: string
  readonly verb: string
  readonly manager: string
  /** Values as JSON; `''`: there was none. */
  readonly fields: readonly { readonly path: string; readonly from: string; readonly to: string }[]
  readonly unlisted: number
}

/** An event of the object. */
export interface ObjectEvent {
  readonly type: string
  readonly reason: string
  readonly message: string
  readonly source: string
  readonly count: number
  readonly lastMs: number
}
