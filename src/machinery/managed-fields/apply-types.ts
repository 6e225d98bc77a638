import type { JsonObject, KubeObject, ManagedFieldsEntry } from '../object.ts'
import type { WriteContext } from './context.ts'

/** A server-side apply. */
export interface Apply extends WriteContext {
  /** Undefined when the object is to be created. */
  readonly live: KubeObject | undefined
  /** The configuration, as it was decoded from YAML: no defaults, nothing dropped. */
  readonly patch: JsonObject
  readonly manager: string
  readonly force: boolean
}

/** What came of it. */
export interface Applied {
  /** Merged, but neither decoded into the type nor defaulted; nulls stand where everything was taken out. */
  readonly object: JsonObject
  readonly managedFields: ManagedFieldsEntry[] | undefined
  /** False when the configuration says nothing new; then `object` is the live one. */
  readonly changed: boolean
}
