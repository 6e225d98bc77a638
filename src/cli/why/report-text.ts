import type { ReportedNode, ReportedView, SchedulingReport } from '../../resources/bowsprit/scheduling-report.ts'
import { aligned } from '../aligned.ts'

/** The most nodes that are listed; further ones are counted by the plugin that rejected them. */
const MAX_ROWS = 15
/** The number of nodes besides the chosen one whose scores are shown. */
const MAX_RIVALS = 3

/** A report as text. */
export function whyText(report: SchedulingReport): string {
  const { metadata, summary, attempt, now, changes = [], together = [] } = report
  const parts = [`pod ${metadata.namespace}/${metadata.name}: ${summary}`]
  const scored = attempt?.outcome === 'Placed' && hasScores(attempt.view) ? attempt.view : now
  if (now !== undefined && report.pod.nodeName === undefined) parts.push(verdictTable(now))
  if (scored !== undefined && hasScores(scored)) parts.push(scoreTable(scored, report))
  if (together.length > 0) parts.push(changesText('All of these together would let it in', together))
  if (changes.length > 0) parts.push(changesText('Each of these alone would let it in, the smallest first', changes))
  else if (now !== undefined && report.pod.nodeName !== undefined && now.verdicts.length > 0) parts.push(verdictTable(now))
  if (now?.notAsked !== undefined) parts.push(`Not asked again: ${now.notAsked.join(', ')}.`)
  if (attempt !== undefined) parts.push(`Attempt ${attempt.number}, ${attempt.time}: ${attempt.message}${victimsText(attempt.victims)}`)
  return parts.join('\n\n')
}

const hasScores = (view: ReportedView) => view.list.some((node) => node.scores !== undefined)

const victimsText = (victims: readonly string[] | undefined) => (victims === undefined ? '' : `\nAsked to leave: ${victims.join(', ')}`)

function verdictTable({ list, verdicts, nodes, unlisted }: ReportedView): string {
  if (nodes === 0) return 'There is no node.'
  const rows = list
    .slice(0, MAX_ROWS)
    .flatMap((node) =>
      node.verdicts === undefined
        ? [[node.name, 'yes', '', '']]
        : node.verdicts.map((v, i) => [i === 0 ? node.name : '', i === 0 ? 'no' : '', v.plugin, v.reasons.join(', ')]),
    )
  const lines = [aligned([['NODE', 'FITS', 'PLUGIN', 'WHY NOT'], ...rows])]
  const more = unlisted + Math.max(0, list.length - MAX_ROWS)
  if (more === 0) return lines.join('\n')
  const counts = verdicts.map((v) => [String(v.nodes), v.plugin, v.reasons.join(', ')])
  return [...lines, `… and ${more} more nodes. In all:`, aligned([['NODES', 'PLUGIN', 'WHY NOT'], ...counts])].join('\n')
}

/** The scores of the chosen node and its nearest rivals, side by side. */
function scoreTable(view: ReportedView, { now, pod }: SchedulingReport): string {
  const { list, chosen } = view
  const when = view === now ? 'as of now' : 'when it was placed'
  const word = pod.nodeName === undefined ? 'best' : 'chosen'
  const scored = list.filter((node) => node.scores !== undefined)
  const rivals = scored.filter((node) => node.name !== chosen).slice(0, MAX_RIVALS)
  const shown = [...scored.filter((node) => node.name === chosen), ...rivals]
  const plugins = [...new Set(shown.flatMap((node) => node.scores?.map((s) => s.plugin) ?? []))].sort()
  const cell = (node: ReportedNode, plugin: string) => String(node.scores?.find((s) => s.plugin === plugin)?.score ?? '')
  return aligned([
    [`SCORES, ${when}`, ...shown.map((node) => (node.name === chosen ? `${node.name} (${word})` : node.name))],
    ...plugins.map((plugin) => [plugin, ...shown.map((node) => cell(node, plugin))]),
    ['total', ...shown.map((node) => String(node.total ?? ''))],
  ])
}

function changesText(title: string, changes: NonNullable<SchedulingReport['changes']>): string {
  const lines = changes.flatMap(({ message, command }, i) => [
    `  ${i + 1}. ${message}`,
    ...(command === undefined ? [] : [`     ${command}`]),
  ])
  return [`${title} (tried on a copy of the cluster):`, ...lines].join('\n')
}
