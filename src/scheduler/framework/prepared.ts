import type { NodeTable } from '../cache/node-table.ts'
import type { PodInfo } from '../cache/pod-info.ts'
import type { Listers } from './listers.ts'
import type { Verdict } from './verdict.ts'

export interface PluginContext {
  readonly table: NodeTable
  readonly listers: Listers
}

/** PreFilter's result: a filter made ready for one pod (or one shape). Nothing at all when it would pass every node. */
export interface PreparedFilter {
  /** The pod fits nowhere, whatever the nodes. */
  readonly refuse?: Verdict
  /** Only these nodes can do; the others are not looked at. */
  readonly nodes?: ReadonlySet<string>
  /** Filter: why the node of a row is turned down. Called for rows with a living node only. */
  readonly check?: (row: number) => Verdict | undefined
  /**
   * Kubernetes' AddPod and RemovePod: after preparation a pod was added to a row, or removed from it, on trial. The table has changed
   * already; the plugin updates its derived data. A filter of scope `cluster` without these is prepared again.
   */
  readonly addPod?: (other: PodInfo, row: number) => void
  readonly removePod?: (other: PodInfo, row: number) => void
}

/** For a filter that reads the table at each check, and keeps nothing that pods on trial could change. */
export const READS_ANEW: Required<Pick<PreparedFilter, 'addPod' | 'removePod'>> = { addPod() {}, removePod() {} }

/** PreScore's result: a score made ready for one pod (or one shape). */
export interface PreparedScore {
  /** 0 to 100, or any number when it is normalized. */
  of(row: number): number
  /** Every node scores 0: the plugin is skipped. */
  readonly nothing?: boolean
  /** `highest`: scaled so that the highest is 100. `lowest`: the same, reversed. A function changes the scores of `rows`. */
  readonly normalize?: 'highest' | 'lowest' | ((scores: Float64Array, rows: Int32Array) => void)
}

/** The pods of a node by its name; undefined: there is no such node. */
export type NodePods = (node: string) => Iterable<PodInfo> | undefined
