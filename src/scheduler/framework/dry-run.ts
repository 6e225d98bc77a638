import type { PodInfo } from '../cache/pod-info.ts'
import type { PluginContext, PreparedFilter } from './prepared.ts'
import type { Verdict } from './verdict.ts'

export interface DryRunFilters {
  readonly context: PluginContext
  /** The verdict of the node-local filters for a row, computed again. */
  readonly local: (row: number) => Verdict | undefined
  /** Prepares the filters that look beyond one node, from the table as it is now. */
  readonly prepare: () => readonly PreparedFilter[]
  /** Pods that are to come to a row and count there already. */
  readonly nominatedOn: (row: number) => readonly PodInfo[]
}

/** Tests whether the pod would fit if other pods were added or removed. Callers must undo their changes: the table is the real one. */
export class DryRun {
  readonly #filters: DryRunFilters
  #prepared: readonly PreparedFilter[] | undefined

  constructor(filters: DryRunFilters) {
    this.#filters = filters
  }

  addPod(other: PodInfo, node: string): void {
    const { table } = this.#filters.context
    table.addPod(other, node)
    this.#moved(other, table.rowOf(node), 'addPod')
  }

  removePod(other: PodInfo, node: string): void {
    const { table } = this.#filters.context
    const row = table.rowOf(node)
    table.removePod(other, node)
    this.#moved(other, row, 'removePod')
  }

  /** Why the pod does not fit on a row now, the pods that are promised the node counted. */
  check(row: number): Verdict | undefined {
    const verdict = this.#check(row)
    if (verdict !== undefined) return verdict
    const nominated = this.#filters.nominatedOn(row)
    if (nominated.length === 0) return undefined
    const node = this.#filters.context.table.names[row] ?? ''
    for (const other of nominated) this.addPod(other, node)
    try {
      return this.#check(row)
    } finally {
      for (const other of nominated) this.removePod(other, node)
    }
  }

  #check(row: number): Verdict | undefined {
    const verdict = this.#filters.local(row)
    if (verdict !== undefined) return verdict
    this.#prepared ??= this.#filters.prepare()
    for (const { refuse, check } of this.#prepared) {
      const found = refuse ?? check?.(row)
      if (found !== undefined) return found
    }
    return undefined
  }

  #moved(other: PodInfo, row: number | undefined, how: 'addPod' | 'removePod'): void {
    if (this.#prepared === undefined) return
    if (row === undefined || this.#prepared.some((filter) => filter[how] === undefined)) {
      this.#prepared = undefined
      return
    }
    for (const filter of this.#prepared) filter[how]?.(other, row)
  }
}
