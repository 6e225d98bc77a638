import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import type { Reader } from '../../machinery/resource/definition.ts'
import type { Store } from '../../storage/store.ts'
import type { Definitions } from './definitions.ts'

/** All caches of one server, fed by the watch of one store. */
export interface Registry extends AsyncDisposable {
  /** Present state of every resource, in storage versions, frozen. */
  readonly reader: Reader
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
