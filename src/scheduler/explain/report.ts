import { timestamp } from '../../base/clock.ts'
import { inTurns } from '../../base/steps.ts'
import { giveTurn } from '../../base/turns.ts'
import type { ReportedAttempt, ReportedChange, ReportedView, SchedulingReport } from '../../resources/bowsprit/scheduling-report.ts'
import type { Pod } from '../../resources/types/core.ts'
import type { Attempt } from '../attempts.ts'
import type { NodeTable } from '../cache/node-table.ts'
import { type PodInfo, podInfo } from '../cache/pod-info.ts'
import { choose } from '../framework/choose.ts'
import { NO_SCORES, type ScoreTable } from '../framework/explanation.ts'
import { judge } from '../framework/judge.ts'
import type { Listers } from '../framework/listers.ts'
import { Profile, type ProfilePlugins } from '../framework/profile.ts'
import type { Verdict } from '../framework/verdict.ts'
import { DEFAULT_SCHEDULER, schedulerNameOf } from '../pod-facts.ts'
import type { Change } from './change.ts'
import { Scratch } from './scratch.ts'
import { smallestChanges } from './smallest-change.ts'
import { smallestSet } from './smallest-set.ts'
import { snapshotOf } from './snapshot.ts'
import { viewOf, viewOfAttempt } from './view.ts'

export interface ReportInit {
  readonly pod: Readonly<Pod>
  /** Undefined: the pod is for a scheduler that does not run here. */
  readonly plugins: ProfilePlugins | undefined
  readonly table: NodeTable
  readonly listers: Listers
  readonly ahead: (node: string, pod: PodInfo) => readonly PodInfo[]
  readonly attempt: Attempt | undefined
  /** Which plugin keeps it out of the queue. */
  readonly gate: { readonly plugin: string; readonly message: string } | undefined
  /** No pod shows a trace of the pod's scheduler: none seems to run. Default: false. */
  readonly isSchedulerUnseen?: boolean
}

/** Why a pod is on its node, or pending. Works on a copy of the table, in slices: the scheduler continues meanwhile. */
export async function reportOn(init: ReportInit): Promise<SchedulingReport> {
  const { pod, plugins, attempt } = init
  const { name = '', namespace = '', uid = '' } = pod.metadata
  const { nodeName, schedulingGates = [] } = pod.spec
  const nominatedNodeName = pod.status?.nominatedNodeName
  const head = {
    apiVersion: 'bowsprit.dev/v1',
    kind: 'SchedulingReport',
    metadata: { name, namespace },
    pod: {
      uid,
      schedulerName: schedulerNameOf(pod),
      ...(nodeName ? { nodeName } : {}),
      ...(nominatedNodeName ? { nominatedNodeName } : {}),
      ...(schedulingGates.length > 0 ? { schedulingGates: schedulingGates.map((g) => g.name) } : {}),
    },
  }
  const kept = attempt?.uid === uid ? { attempt: attemptOf(attempt) } : {}
  if (plugins === undefined)
    return { ...head, summary: `the pod is for scheduler ${JSON.stringify(schedulerNameOf(pod))}, which does not run here`, ...kept }
  const { now, changes, together } = await lookNow(init, plugins)
  const ways = { ...(nodeName ? {} : { changes }), ...(together.length > 0 && { together }) }
  return { ...head, summary: summaryOf(init, now, { changes, together }), ...kept, now, ...ways }
}

function attemptOf({ at, number, decision }: Attempt): ReportedAttempt {
  const { explain } = decision
  const when = { time: timestamp(at), number }
  if (decision.kind === 'placed') {
    const { node, ties } = decision
    return { ...when, outcome: 'Placed', message: `assigned to ${node}`, view: viewOfAttempt(explain, node, ties) }
  }
  const { nominated, message } = decision
  return {
    ...when,
    outcome: 'Unschedulable',
    message,
    view: viewOfAttempt(explain, nominated?.node, undefined),
    ...(nominated === undefined ? {} : { victims: nominated.victims.map((v) => v.key) }),
  }
}

/** What would let the pod in: single changes, or several together. */
interface Ways {
  readonly changes: readonly ReportedChange[]
  readonly together: readonly ReportedChange[]
}

/** Rows judged before others get a turn. */
const ROWS_PER_TURN = 256

async function lookNow(
  { pod, table, listers, ahead }: ReportInit,
  plugins: ProfilePlugins,
): Promise<{ readonly now: ReportedView } & Ways> {
  const info = podInfo(unplaced(pod))
  const copy = await snapshotOf(table, info.uid)
  const scratch = new Scratch({ pod: info, plugins, table: copy, listers, ahead: (node) => ahead(node, info) })
  await inTurns(scratch.preparation())
  const obstacles = new Map<number, readonly Verdict[]>()
  const rows = scratch.rows()
  for (const [i, row] of rows.entries()) {
    const found = scratch.obstacles(row)
    if (found.length > 0) obstacles.set(row, found)
    if (i % ROWS_PER_TURN === ROWS_PER_TURN - 1) await giveTurn()
  }
  const nameOf = (row: number) => copy.names[row] ?? ''
  const fits = rows.length > obstacles.size
  const scores = fits ? scoresOf(scratch) : { table: NO_SCORES, chosen: undefined, ties: undefined }
  const now = viewOf({
    nodes: rows.map(nameOf),
    verdicts: new Map([...obstacles].map(([row, found]) => [nameOf(row), found])),
    scores: scores.table,
    chosen: pod.spec.nodeName || scores.chosen,
    ...(pod.spec.nodeName || scores.ties === undefined ? {} : { ties: scores.ties }),
    notAsked: plugins.external.filter((plugin) => plugin.interestedIn(info)).map((plugin) => plugin.name),
  })
  if (pod.spec.nodeName) return { now, changes: [], together: [] }
  if (fits) return { now, changes: liftGates(pod), together: [] }
  const changes = await smallestChanges(scratch, obstacles)
  const together = changes.length === 0 ? await smallestSet(scratch, obstacles) : []
  return { now, changes: changes.map(reported), together: together.map(reported) }
}

const reported = ({ kind, node, message, command, write }: Change): ReportedChange => ({
  kind,
  node,
  message,
  ...(command === undefined ? {} : { command }),
  ...(write === undefined ? {} : { write }),
})

/** The pod as it was before it was placed. */
function unplaced(pod: Readonly<Pod>): Readonly<Pod> {
  if (!pod.spec.nodeName) return pod
  const { nodeName: _, ...spec } = pod.spec
  return { ...pod, spec }
}

/** The scores of every plugin for the nodes that fit, and the best node. */
function scoresOf({ pod, plugins, context }: Scratch): {
  readonly table: ScoreTable
  readonly chosen: string | undefined
  readonly ties: number | undefined
} {
  const profile = new Profile(plugins, context)
  const options = { random: { int: () => 0 }, hasNominations: () => false, nominatedOn: () => [], keepScores: true }
  const { shape, verdicts } = judge(profile, pod, options)
  const choice = choose(profile, { pod, shape, verdicts, externalScores: new Map() }, options)
  if (choice === undefined) return { table: NO_SCORES, chosen: undefined, ties: undefined }
  return { table: choice.scores(), chosen: context.table.names[choice.row], ties: choice.ties }
}

function liftGates({ metadata, spec }: Readonly<Pod>): readonly ReportedChange[] {
  const gates = spec.schedulingGates ?? []
  if (gates.length === 0) return []
  const { name = '', namespace = '' } = metadata
  return [
    {
      kind: 'LiftGates',
      message: `lift the scheduling ${gates.length === 1 ? 'gate' : 'gates'} ${gates.map((g) => g.name).join(', ')}`,
      command: `kubectl patch pod ${name} -n ${namespace} --type=json -p '[{"op":"remove","path":"/spec/schedulingGates"}]'`,
      write: { resource: 'pods', namespace, name, patch: JSON.stringify({ spec: { schedulingGates: null } }) },
    },
  ]
}

function summaryOf({ pod, gate, attempt, isSchedulerUnseen }: ReportInit, now: ReportedView, { changes, together }: Ways): string {
  const { nodeName } = pod.spec
  if (nodeName) return placedSummary(nodeName, attempt, now)
  const nominated = pod.status?.nominatedNodeName
  const [first] = changes
  if (gate !== undefined || (pod.spec.schedulingGates ?? []).length > 0) {
    const by = gate === undefined ? 'its scheduling gates' : `plugin ${gate.plugin}: ${gate.message}`
    return `kept out of the queue by ${by}; ${now.fitting} of ${now.nodes} nodes would take it`
  }
  if (isSchedulerUnseen === true) return unseenSummary(schedulerNameOf(pod), now)
  if (nominated) return `it waits for other pods to leave node ${nominated}`
  if (now.fitting > 0) return `it fits on ${now.fitting} of ${now.nodes} nodes now, and is tried again when its turn comes`
  if (now.nodes === 0) return 'the cluster has no node'
  if (together.length > 0)
    return `it fits on none of ${now.nodes} nodes; no single change would do, these ${together.length} together would`
  if (first === undefined) return `it fits on none of ${now.nodes} nodes, and no change that was tried would do`
  return `it fits on none of ${now.nodes} nodes; the smallest change: ${first.message}`
}

function unseenSummary(scheduler: string, { fitting, nodes }: ReportedView): string {
  const other = scheduler === DEFAULT_SCHEDULER ? 'start one' : 'start one, or create the pod without spec.schedulerName'
  return `no scheduler ${JSON.stringify(scheduler)} has been seen in this cluster: ${other}; it would fit on ${fitting} of ${nodes} nodes`
}

function placedSummary(node: string, attempt: Attempt | undefined, now: ReportedView): string {
  const decided =
    attempt?.uid !== undefined && attempt.decision.kind === 'placed' && attempt.decision.node === node ? attempt.decision : undefined
  if (decided === undefined) return `on node ${node}`
  const { feasible, ties } = decided
  if (feasible === 1) return `on node ${node}, the only one of ${now.nodes} that fitted`
  return ties > 1
    ? `on node ${node}, drawn from ${ties} equally good ones of ${feasible} that fitted`
    : `on node ${node}, the best of ${feasible} that fitted`
}
