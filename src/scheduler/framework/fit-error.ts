import { byText } from '../../base/by-text.ts'
import type { Verdict } from './verdict.ts'

/** The facts of a failed attempt: how many nodes got each verdict, and the results of the later steps. */
export interface Diagnosis {
  readonly nodes: number
  /** Set when the pod was refused before any node was looked at. */
  readonly podVerdict?: Verdict
  /** Verdict → number of nodes. */
  readonly counts: ReadonlyMap<Verdict, number>
  readonly postFilterMessage: string
}

/** Kubernetes' text for a pod that fits nowhere. */
export function fitErrorText(diagnosis: Diagnosis): string {
  let text = `0/${diagnosis.nodes} nodes are available:`
  if (diagnosis.podVerdict !== undefined) text += ` ${diagnosis.podVerdict.reasons.join(', ')}.`
  const reasons = reasonCounts(diagnosis.counts)
  if (reasons !== '') text += ` ${reasons}.`
  return diagnosis.postFilterMessage === '' ? text : `${text} ${diagnosis.postFilterMessage}`
}

/** `1 Insufficient cpu, 2 node(s) were unschedulable`: every reason counted, sorted as texts. */
export function reasonCounts(counts: ReadonlyMap<Verdict, number>): string {
  const totals = new Map<string, number>()
  for (const [verdict, count] of counts) for (const reason of verdict.reasons) totals.set(reason, (totals.get(reason) ?? 0) + count)
  return [...totals]
    .map(([reason, count]) => `${count} ${reason}`)
    .sort(byText)
    .join(', ')
}
