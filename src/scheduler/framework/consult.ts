import type { PodInfo } from '../cache/pod-info.ts'
import type { DecideOptions } from './decide-options.ts'
import { DEAD, DROPPED, UNSEEN } from './explanation.ts'
import type { ExternalPlugin, ExternalScores, ExternalVerdicts, OfferedNode } from './external-plugin.ts'
import { feasibleRows } from './feasible-rows.ts'
import { type FilteredNodes, judge, promisedRow } from './judge.ts'
import type { PluginContext } from './prepared.ts'
import type { Profile } from './profile.ts'
import { unschedulable, type Verdict } from './verdict.ts'

/** The results of external plugins for a pod. They refer to nodes by name, and so stay valid when the table changes. */
export interface ExternalResults {
  /** The filters' result at the time of the call; still valid if the table has the same version. */
  readonly judged: FilteredNodes
  /** The nodes of the call, and those of them that the plugins accepted. */
  readonly requested: ReadonlySet<string>
  readonly kept: ReadonlySet<string>
  readonly verdicts: ReadonlyMap<string, Verdict>
  readonly scores: ReadonlyMap<string, ExternalScores>
  /** The position of the table's log at the time of the call. */
  readonly position: number
  /** Some of them are plugins, which look at the pods of the nodes that they are shown. */
  readonly byPlugins: boolean
}

/** Whether a node has changed since plugins were called for it: another pod may have taken the resources that they saw free. */
export function wasOvertaken({ position, byPlugins }: ExternalResults, row: number, { table }: PluginContext): boolean {
  if (!byPlugins || position === table.logEnd) return false
  let touched = false
  const known = table.forEachTouched(position, (changed) => {
    touched ||= changed === row
  })
  return touched || !known
}

/** If the table keeps changing, the plugins are called again so often; then the pod is retried later. */
const MAX_ROUNDS = 8

/** Calls the external plugins that are interested in the pod. Undefined, at once, if there are none or no node is left. */
export function consult(profile: Profile, pod: PodInfo, options: DecideOptions): Promise<ExternalResults> | undefined {
  const external = profile.externalFor(pod)
  if (external.length === 0 || profile.context.table.count === 0) return undefined
  const judged = judge(profile, pod, options)
  if (judged.refusal !== undefined || feasibleRows(judged.sampled, profile.context.table.rows).length === 0) return undefined
  return ask({ profile, pod, options, external }, judged)
}

interface Consultation {
  readonly profile: Profile
  readonly pod: PodInfo
  readonly options: DecideOptions
  readonly external: readonly ExternalPlugin[]
}

async function ask(of: Consultation, first: FilteredNodes): Promise<ExternalResults> {
  const { profile, pod, options } = of
  const { table } = profile.context
  let judged = first
  for (let round = 1; ; round++) {
    const position = table.logEnd
    const promised = promisedRow(profile, pod, judged.sampled)
    // The node that was cleared for the pod is tried alone, before all others.
    let answers = promised === undefined ? undefined : await filter(of, judged, Int32Array.of(promised), position)
    if (answers === undefined || answers.kept.size === 0)
      answers = await filter(of, judged, feasibleRows(judged.sampled, table.rows), position)
    if (table.version !== judged.version) judged = judge(profile, pod, options)
    const rows = feasibleRows(judged.sampled, table.rows)
    const left = rows.filter((row) => answers.kept.has(table.names[row] ?? ''))
    // The nodes that they accepted have been taken meanwhile, and there are others: they are called for those.
    if (left.length === 0 && answers.kept.size > 0 && rows.length > 0 && round < MAX_ROUNDS) continue
    return { ...answers, judged, scores: left.length < 2 ? NO_SCORES : await score(of, left) }
  }
}

const NO_SCORES: ReadonlyMap<string, ExternalScores> = new Map()

/** One after the other; each sees what those before it left. */
async function filter(
  { profile, pod, external }: Consultation,
  judged: FilteredNodes,
  rows: Int32Array,
  position: number,
): Promise<ExternalResults> {
  const requested = offeredNodes(profile, rows)
  const verdicts = new Map<string, Verdict>()
  let left = requested
  for (const plugin of external) {
    if (plugin.filter === undefined || left.length === 0) continue
    const said: ExternalVerdicts = await plugin.filter(pod, left)
    for (const [node, verdict] of said.verdicts) verdicts.set(node, verdict)
    left = left.filter(({ name }) => said.kept.has(name))
  }
  const kept = new Set(left.map(({ name }) => name))
  return {
    judged,
    requested: new Set(requested.map(({ name }) => name)),
    kept,
    verdicts,
    scores: NO_SCORES,
    position,
    byPlugins: external.some((g) => g.isPlugin),
  }
}

/** All together. */
async function score({ profile, pod, external }: Consultation, rows: Int32Array): Promise<ReadonlyMap<string, ExternalScores>> {
  const nodes = offeredNodes(profile, rows)
  const scores = await Promise.all(
    external.flatMap((plugin) =>
      plugin.score === undefined ? [] : [plugin.score(pod, nodes).then((said) => [plugin.name, said] as const)],
    ),
  )
  return new Map(scores)
}

function offeredNodes({ context: { table } }: Profile, rows: Int32Array): readonly OfferedNode[] {
  const nodes: OfferedNode[] = []
  for (const row of rows) {
    const node = table.nodes[row]
    if (node !== undefined) nodes.push({ name: table.names[row] ?? '', node, pods: table.pods[row] ?? [] })
  }
  return nodes
}

/** The plugin's name in verdicts of extenders. They have no queueing hints: any event may make the pod schedulable. */
export const EXTENDER = 'Extender'

const NOT_ASKED = unschedulable(EXTENDER, 'node(s) came while extenders were asked')

/** The column with the nodes that external plugins rejected, and verdicts for names that no node has. */
export function withResponses(
  profile: Profile,
  verdicts: Int32Array,
  answers: ExternalResults,
): { column: Int32Array; strays: readonly Verdict[] } {
  const { table } = profile.context
  const column = verdicts.slice(0, table.rows)
  const strays: Verdict[] = []
  for (let row = 0; row < table.rows; row++) {
    const name = table.names[row] ?? ''
    if (column[row] === DEAD || column[row] === UNSEEN || (column[row] === 0 && answers.kept.has(name))) continue
    const verdict = answers.verdicts.get(name)
    // An extender may reject nodes that were not in the request, and that is counted.
    if (verdict !== undefined) column[row] = profile.book.id(verdict)
    else if (column[row] === 0) column[row] = answers.requested.has(name) ? DROPPED : profile.book.id(NOT_ASKED)
  }
  for (const [name, verdict] of answers.verdicts) if (table.rowOf(name) === undefined) strays.push(verdict)
  return { column, strays }
}
