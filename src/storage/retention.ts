import type { Revision } from './store.ts'

/** How much history a store keeps without an explicit compaction. The first limit that is reached counts. */
export interface Retention {
  /** Changes older than this are forgotten when their age is checked, at intervals of this length: they are kept twice as long at most. */
  readonly keepMs: number
  /** At most so many changes. */
  readonly maxRevisions: number
  /** Maximum of bytes of replaced values. */
  readonly maxBytes: number
}

/** Five to ten minutes, as kube-apiserver keeps them in etcd, but never so much that a busy store fills the memory. */
export const DEFAULT_RETENTION: Retention = Object.freeze({ keepMs: 300_000, maxRevisions: 100_000, maxBytes: 64 << 20 })

/** How far behind a watcher may be and still hold the past, as a multiple of what would be kept without it. */
const PATIENCE = 4

/** So many changes are forgotten at once at most: about two milliseconds of work. */
const SLICE = 8192

/** What the decision is made of. */
export interface Kept {
  readonly revision: Revision
  readonly compacted: Revision
  readonly historyBytes: number
  /** The latest revision that is known to be older than `keepMs`. */
  readonly aged: Revision
  /** The position of the slowest watcher. */
  readonly slowest: Revision
}

/**
 * The revision to compact at now; undefined for not yet. When the limits are passed, a sixteenth of the past goes at a time. What a watcher
 * has not read yet stays, unless it is hopelessly behind.
 */
export function compactAt(retention: Retention, kept: Kept): Revision | undefined {
  const length = kept.revision - kept.compacted
  const crowded = length > retention.maxRevisions || kept.historyBytes > retention.maxBytes
  const wanted = Math.max(kept.aged, crowded ? kept.compacted + Math.ceil(length / 16) : 0)
  const hopeless = length > PATIENCE * retention.maxRevisions || kept.historyBytes > PATIENCE * retention.maxBytes
  const target = Math.min(wanted, kept.revision, kept.compacted + SLICE, hopeless ? kept.revision : Math.max(kept.slowest, kept.compacted))
  return target > kept.compacted ? target : undefined
}
