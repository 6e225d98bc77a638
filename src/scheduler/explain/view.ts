import type { ReportedNode, ReportedVerdict, ReportedView } from '../../resources/bowsprit/scheduling-report.ts'
import { DEAD, type Explanation, type ScoreTable, UNSEEN, verdictsByNode } from '../framework/explanation.ts'
import type { Verdict } from '../framework/verdict.ts'

/** Nodes listed one by one; all are counted. */
const MAX_LISTED = 100

export interface ViewInit {
  readonly nodes: readonly string[]
  /** By node, for those that do not fit. */
  readonly verdicts: ReadonlyMap<string, readonly Verdict[]>
  readonly scores: ScoreTable
  readonly chosen: string | undefined
  readonly ties?: number
  readonly notAsked?: readonly string[]
}

/** The nodes in the form of a report: bounded, the relevant ones first. */
export function viewOf({ nodes, verdicts, scores, chosen, ties, notAsked = [] }: ViewInit): ReportedView {
  const list = nodes.map((name) => nodeOf(name, verdicts.get(name), scores.get(name)))
  // The chosen one first, whatever the totals: of equal ones one was drawn.
  const rank = (node: ReportedNode) => (node.name === chosen ? Number.POSITIVE_INFINITY : (node.total ?? -1))
  const order = (a: ReportedNode, b: ReportedNode) =>
    Number(b.fits) - Number(a.fits) ||
    (rank(a) === rank(b) ? 0 : rank(b) - rank(a)) ||
    (a.verdicts?.length ?? 0) - (b.verdicts?.length ?? 0) ||
    (a.name < b.name ? -1 : 1)
  list.sort(order)
  return {
    nodes: nodes.length,
    fitting: list.filter((node) => node.fits).length,
    ...(chosen === undefined ? {} : { chosen }),
    ...(ties === undefined ? {} : { ties }),
    verdicts: counted([...verdicts.values()].flat()),
    list: list.slice(0, MAX_LISTED),
    unlisted: Math.max(0, list.length - MAX_LISTED),
    ...(notAsked.length === 0 ? {} : { notAsked }),
  }
}

/** The same of a kept attempt, in which each node has the one verdict that ended the search. */
export function viewOfAttempt(explain: Explanation, chosen: string | undefined, ties: number | undefined): ReportedView {
  const byNode = verdictsByNode(explain)
  const { nodes, column, scores } = explain
  return viewOf({
    nodes: nodes.flatMap((name, row) =>
      name === undefined || column[row] === undefined || column[row] === DEAD || column[row] === UNSEEN ? [] : [name],
    ),
    verdicts: new Map([...byNode].map(([name, verdict]) => [name, [verdict]])),
    scores,
    chosen,
    ...(ties === undefined ? {} : { ties }),
  })
}

function nodeOf(
  name: string,
  verdicts: readonly Verdict[] | undefined,
  scores: Readonly<Record<string, number>> | undefined,
): ReportedNode {
  if (verdicts !== undefined) return { name, fits: false, verdicts: verdicts.map(reported) }
  if (scores === undefined) return { name, fits: true }
  const { total = 0, ...byPlugin } = scores
  return { name, fits: true, scores: Object.entries(byPlugin).map(([plugin, score]) => ({ plugin, score })), total }
}

const reported = ({ plugin, reasons, code }: Verdict): ReportedVerdict => ({ plugin, reasons, resolvable: code === 'unschedulable' })

function counted(verdicts: readonly Verdict[]): ReportedView['verdicts'] {
  const counts = new Map<string, ReportedVerdict & { nodes: number }>()
  for (const verdict of verdicts) {
    const key = JSON.stringify(verdict)
    const known = counts.get(key)
    if (known === undefined) counts.set(key, { ...reported(verdict), nodes: 1 })
    else known.nodes++
  }
  return [...counts.values()].sort((a, b) => b.nodes - a.nodes)
}
