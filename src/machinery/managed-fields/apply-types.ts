import type { JsonObject, KubeObject, ManagedFieldsEntry } from '../object.ts'
import type { WriteContext } from './context.ts'

/** A server-side apply. */
export interface Apply extends WriteContext {
  /** Undefined if the object is to be created. */
  readonly live: KubeObject | undefined
  /** The configuration as decoded from YAML: without defaults, with nothing dropped. */
  readonly patch: JsonObject
  readonly manager: string
  readonly force: boolean
}

/** The result of an apply. */
export interface Applied {
  /** Merged, but neither decoded into the type nor defaulted; null where all members were removed. */
  readonly object: JsonObject
  readonly managedFields: ManagedFieldsEntry[] | undefined
  /** False if the configuration changes nothing; then `object` is the live one. */
  readonly changed: boolean
}
