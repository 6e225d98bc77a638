import type { ObjectName } from './object-name.ts'

/** What can be done with a cluster as a whole. */
export type LabAction =
  | { readonly kind: 'fork' }
  | { readonly kind: 'drop'; readonly name: string }
  | { readonly kind: 'advance'; readonly ms: number }
  | { readonly kind: 'snapshot' }

/** Forks of the cluster. */
export interface LabPage {
  readonly canFork: boolean
  /** The clock is virtual. */
  readonly canAdvance: boolean
  readonly forks: readonly ForkEntry[]
}

export interface ForkEntry {
  readonly name: string
  /** Why it was made. */
  readonly about: string
  readonly createdMs: number
  /** Null: they are being compared. */
  readonly differences: readonly ForkDifference[] | null
  readonly hasMore: boolean
  readonly problem: string
}

/** An object that is not the same on a fork. */
export interface ForkDifference extends ObjectName {
  readonly kind: string
  readonly change: 'only here' | 'only there' | 'different'
  /** From here to there; `''` where it is on one side alone. */
  readonly diff: string
}

export interface LabDone {
  /** Why it could not be done; `''`: it was done. */
  readonly message: string
  /** In base64; `''`: there is none. */
  readonly file: string
}
