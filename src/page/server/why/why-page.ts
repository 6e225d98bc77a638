import type { QueueReport } from '../../../resources/bowsprit/queue-report.ts'
import type { ReportedChange, ReportedNode, ReportedView, SchedulingReport } from '../../../resources/bowsprit/scheduling-report.ts'
import { shownText } from '../../wire/shown-text.ts'
import type { WhyAttempt, WhyCell, WhyChange, WhyNode, WhyPage, WhyQueue, WhyView } from '../../wire/why-page.ts'

/** The most nodes of the table; the report has some hundred. */
const MAX_NODES = 500

/** Why a pod is on its node, or on none, as the page shows it. */
export function whyPage(report: SchedulingReport, queue: QueueReport | undefined): Omit<WhyPage, 'canTry' | 'problem'> {
  const { summary, pod, attempt, now, changes = [], together = [] } = report
  return {
    summary: shownText(summary),
    scheduler: shownText(pod.schedulerName, 200),
    node: shownText(pod.nodeName ?? '', 300),
    attempt: attempt === undefined ? null : attemptOf(attempt),
    view: now === undefined ? null : viewOf(now),
    changes: changes.map(changeOf),
    together: together.map(changeOf),
    queue: queue === undefined ? null : queueOf(queue),
  }
}

const attemptOf = ({ time, number, message, victims = [] }: NonNullable<SchedulingReport['attempt']>): WhyAttempt => ({
  timeMs: Date.parse(time) || 0,
  number,
  message: shownText(message),
  victims: victims.map((victim) => shownText(victim, 300)),
})

const changeOf = ({ message, command = '', write }: ReportedChange): WhyChange => ({
  message: shownText(message),
  command: shownText(command),
  canBeMade: write !== undefined,
})

const queueOf = ({ queue, attempts, since, until = '', message = '', wokenBy = [] }: QueueReport): WhyQueue => ({
  queue,
  attempts,
  sinceMs: Date.parse(since) || 0,
  untilMs: Date.parse(until) || 0,
  message: shownText(message),
  wokenBy: wokenBy.map((event) => shownText(event, 200)),
})

/** The table of nodes and plugins: those that reject a node, then those that give scores. */
function viewOf({ nodes, fitting, chosen = '', list, unlisted, notAsked = [] }: ReportedView): WhyView {
  const rejecting = named(list.flatMap(({ verdicts = [] }) => verdicts))
  const scoring = named(list.flatMap(({ scores = [] }) => scores)).filter((plugin) => !rejecting.includes(plugin))
  const plugins = [...rejecting, ...scoring]
  const shown = list.slice(0, MAX_NODES)
  return {
    nodes,
    fitting,
    unlisted: unlisted + list.length - shown.length,
    plugins: plugins.map((plugin) => shownText(plugin, 100)),
    list: shown.map((node) => nodeOf(node, plugins, chosen)),
    notAsked: notAsked.map((plugin) => shownText(plugin, 100)),
  }
}

const named = (list: readonly { readonly plugin: string }[]): readonly string[] => [...new Set(list.map(({ plugin }) => plugin))].sort()

const nodeOf = (node: ReportedNode, plugins: readonly string[], chosen: string): WhyNode => ({
  name: shownText(node.name, 300),
  fits: node.fits,
  chosen: node.name === chosen,
  total: node.total ?? null,
  cells: plugins.map((plugin) => cellOf(node, plugin)),
})

function cellOf({ verdicts = [], scores = [] }: ReportedNode, plugin: string): WhyCell {
  const verdict = verdicts.find((each) => each.plugin === plugin)
  if (verdict !== undefined) return { rejects: true, text: shownText(verdict.reasons.join(', '), 300) }
  const score = scores.find((each) => each.plugin === plugin)
  return { rejects: false, text: score === undefined ? '' : String(score.score) }
}
