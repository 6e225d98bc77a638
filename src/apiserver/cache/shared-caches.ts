import type { Revision } from '../../storage/store.ts'

/** The initial content of another server's caches. Opaque: only the watch cache reads it. */
export interface SharedCaches {
  /** The caches contain everything up to this revision. */
  readonly revision: Revision
}
