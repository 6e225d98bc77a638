import type { Packed } from '../packed-records.ts'
import type { Revision, StoreErrorCode } from '../store.ts'

/** What the worker is started with. */
export interface WorkerConfig {
  readonly folder: string
  readonly maxFileBytes: number | undefined
}

/** An error on its way between threads. */
export interface Fault {
  readonly code: StoreErrorCode
  readonly message: string
}

export type ToWorker =
  /** Write these consecutive records. `epoch` counts the failures that the sender knew of. */
  | { readonly kind: 'write'; readonly epoch: number; readonly records: Packed }
  /** Note that the past up to `compacted` is gone, then delete the garbage in this order. */
  | { readonly kind: 'forget'; readonly compacted: Revision; readonly garbage: Float64Array<ArrayBuffer> }
  | { readonly kind: 'close' }

export type FromWorker =
  /** The first message: the file's header. Then its rows, then `opened`. */
  | { readonly kind: 'found'; readonly compacted: Revision }
  | { readonly kind: 'rows'; readonly records: Packed }
  | { readonly kind: 'opened' }
  | { readonly kind: 'refused'; readonly fault: Fault }
  | { readonly kind: 'durable'; readonly revision: Revision }
  /** Every write that is not durable, and every one still to come of this epoch, is void. */
  | { readonly kind: 'failed'; readonly fault: Fault; readonly broken: boolean }
  | { readonly kind: 'closed' }
