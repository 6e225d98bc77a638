import type { StoreErrorCode } from '../store.ts'

/** The path of the store on a port that serves HTTP as well, and the protocol to which the connection is upgraded. */
export const STORE_PATH = '/bowsprit/store'
export const STORE_PROTOCOL = 'bowsprit-store.v1'

/** Messages of a client. Values follow the message. */
export type ToStore =
  /** First of all. `have`: what the client holds already, from an earlier connection. */
  | { readonly kind: 'hello'; readonly have?: { readonly id: string; readonly revision: number } }
  /** `expect`: the revision that the key must have; 0: the key must not exist. */
  | { readonly kind: 'put'; readonly ask: number; readonly key: string; readonly expect: number; readonly ttlMs?: number }
  | { readonly kind: 'delete'; readonly ask: number; readonly key: string; readonly expect: number }
  | { readonly kind: 'latest'; readonly ask: number }
  | { readonly kind: 'compact'; readonly ask: number; readonly revision: number }

/** Messages of a store. Records follow the message. */
export type FromStore =
  /** The first message. `compacted`: the start of the records that follow, or the client's own revision if it may continue from there. */
  | { readonly kind: 'welcome'; readonly id: string; readonly compacted: number; readonly resumed: boolean }
  /** Of the state at the revision that was welcomed, in order of keys. */
  | { readonly kind: 'entries' }
  /**
   * Each revision once, in order. `own`: puts of this client, as positions in the batch and numbers of its requests; their values are not
   * sent back.
   */
  | { readonly kind: 'changes'; readonly own: readonly (readonly [number, number])[] }
  /** All entries at the time of the connection have been sent. */
  | { readonly kind: 'complete'; readonly revision: number }
  /** The responses are valid from `revision` on. */
  | { readonly kind: 'stored'; readonly ask: number; readonly revision: number }
  /** The current entry, if there is one, follows. */
  | { readonly kind: 'conflict'; readonly ask: number; readonly revision: number }
  | { readonly kind: 'latest'; readonly ask: number; readonly revision: number }
  | { readonly kind: 'compacted'; readonly ask: number; readonly compacted: number }
  | { readonly kind: 'failed'; readonly ask: number; readonly code: StoreErrorCode; readonly message: string }
