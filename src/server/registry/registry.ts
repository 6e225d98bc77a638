import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { Reader } from '../../machinery/resource/definition.ts'
import type { Store } from '../../storage/store.ts'
import type { Definitions } from './definitions.ts'

/** All caches of one server, fed by the watch of one store. */
export interface Registry extends AsyncDisposable {
  /** Present state of every resource, in storage versions, frozen. */
  readonly reader: Reader
  /**
   * Calls `listener` for every change of this resource in the cache, in order and at once (before whoever wrote is answered): `object` is undefined
   * after a deletion, `old` at a creation. What is there already is not told: read it with `reader.list`. Whoever keeps an index (RBAC, quotas) uses it.
   */
  onChange(group: string, resource: string, listener: (object: KubeObject | undefined, old: KubeObject | undefined) => void): () => void
}

export interface RegistryDeps {
  readonly store: Store
  readonly definitions: Definitions
  readonly clock: Clock
  readonly log: Logger
}

/** Fills the caches from the store and follows its watch. */
export function openRegistry(_deps: RegistryDeps): Promise<Registry> {
  throw new Error('being written')
}
