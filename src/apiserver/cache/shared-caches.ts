import type { Revision } from '../../storage/store.ts'

/** What another server's caches begin with; for one of them. What it holds, the watch cache knows alone. */
export interface SharedCaches {
  /** Everything up to here is in them. */
  readonly revision: Revision
}
