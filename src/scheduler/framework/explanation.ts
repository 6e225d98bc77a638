import type { Verdict, VerdictList } from './verdict.ts'

/** A column of verdict numbers: 0 fits, `DEAD` has no node, `DROPPED` was turned down without a word, `UNSEEN` was not reached. */
export const DEAD = -1
export const DROPPED = -2
/** The node was not looked at: enough others fitted. */
export const UNSEEN = -3

/** What an attempt saw, as data. It holds copies, shared by attempts that saw the same, and can be read or stored at any later time. */
export interface Explanation {
  /** Row → name of the node, as it was. */
  readonly nodes: readonly (string | undefined)[]
  /** Row → number of the verdict. */
  readonly column: Int32Array
  readonly verdicts: VerdictList
  /** Node → plugin → weighted score, and `total`. Kept where there are few nodes; empty when nothing was scored. */
  readonly scores: ScoreTable
}

export type ScoreTable = ReadonlyMap<string, Readonly<Record<string, number>>>

export const NO_SCORES: ScoreTable = new Map()

export const NOTHING_SEEN: Explanation = { nodes: [], column: new Int32Array(0), verdicts: [undefined], scores: NO_SCORES }

/** Node → what turned it down; nodes that fitted are absent. */
export function verdictsByNode({ nodes, column, verdicts }: Explanation): ReadonlyMap<string, Verdict> {
  const byNode = new Map<string, Verdict>()
  for (let row = 0; row < column.length; row++) {
    const verdict = verdicts[column[row] ?? 0]
    const name = nodes[row]
    if (verdict !== undefined && name !== undefined) byNode.set(name, verdict)
  }
  return byNode
}

/** Verdict → number of nodes. */
export function countVerdicts({ column, verdicts }: Explanation): Map<Verdict, number> {
  const counts = new Map<Verdict, number>()
  for (const id of column) {
    const verdict = verdicts[id]
    if (verdict !== undefined) counts.set(verdict, (counts.get(verdict) ?? 0) + 1)
  }
  return counts
}
