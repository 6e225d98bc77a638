import type { StoreErrorCode } from '../store.ts'

/** Where a store answers on a port that speaks HTTP as well: the path, and the protocol to which the connection is upgraded. */
export const STORE_PATH = '/bowsprit/store'
export const STORE_PROTOCOL = 'bowsprit-store.v1'

/** What a client of a store says. Values travel behind the message. */
export type ToStore =
  /** First of all. `have`: what the client holds already, from an earlier connection. */
  | { readonly kind: 'hello'; readonly have?: { readonly id: string; readonly revision: number } }
  /** `expect`: the revision that must stand there; 0: nothing may. */
  | { readonly kind: 'put'; readonly ask: number; readonly key: string; readonly expect: number; readonly ttlMs?: number }
  | { readonly kind: 'delete'; readonly ask: number; readonly key: string; readonly expect: number }
  | { readonly kind: 'latest'; readonly ask: number }
  | { readonly kind: 'compact'; readonly ask: number; readonly revision: number }

/** What a store says. Records travel behind the message. */
export type FromStore =
  /** First of all. `compacted`: where the records begin that follow, or the client's own revision when it may go on from there. */
  | { readonly kind: 'welcome'; readonly id: string; readonly compacted: number; readonly resumed: boolean }
  /** Of the state at the revision that was welcomed, in order of keys. */
  | { readonly kind: 'entries' }
  /**
   * Each revision once, in order. `own`: puts of this client, as places in the batch and numbers of its questions; their values are not
   * sent back.
   */
  | { readonly kind: 'changes'; readonly own: readonly (readonly [number, number])[] }
  /** All that stood there when the client came has been sent. */
  | { readonly kind: 'complete'; readonly revision: number }
  /** Answers hold from `revision` on. */
  | { readonly kind: 'stored'; readonly ask: number; readonly revision: number }
  /** What stands there instead, if anything does, travels behind. */
  | { readonly kind: 'conflict'; readonly ask: number; readonly revision: number }
  | { readonly kind: 'latest'; readonly ask: number; readonly revision: number }
  | { readonly kind: 'compacted'; readonly ask: number; readonly compacted: number }
  | { readonly kind: 'failed'; readonly ask: number; readonly code: StoreErrorCode; readonly message: string }
