import type { CollectionName, Tone } from './object-name.ts'

/** A window of the rows of a collection. */
export interface RowsQuery extends CollectionName {
  /** `''`: all namespaces. */
  readonly namespace: string
  /** kubectl's notation, evaluated by the API server. */
  readonly labelSelector: string
  readonly fieldSelector: string
  /** Only rows that contain each of these words. */
  readonly filter: string
  /** The index of the column; -1: by namespace and name. */
  readonly sort: number
  readonly descending: boolean
  readonly from: number
  readonly count: number
}

/** A cell; a number in a column of type `time` is milliseconds since the Unix epoch. */
export type Cell = string | number | boolean | null

export interface ColumnHead {
  readonly name: string
  readonly type: 'text' | 'number' | 'time'
  readonly description: string
  /** Shown only where there is room. */
  readonly wide: boolean
}

export type WireRow = readonly [uid: string, namespace: string, name: string, tone: Tone, cells: readonly Cell[]]

export interface RowPage {
  readonly kind: string
  readonly namespaced: boolean
  readonly columns: readonly ColumnHead[]
  readonly rows: readonly WireRow[]
  /** The index of the first row. */
  readonly from: number
  /** How many rows the filter leaves, of how many that are known. */
  readonly matched: number
  readonly total: number
  /** The list is still being read. */
  readonly loading: boolean
  /** Why the rows may be old: the list or the watch failed, and is tried again. */
  readonly problem: string
}
