import { messageOf } from '../../base/message-of.ts'
import type { Later } from '../../base/steps.ts'
import { joinErrors } from '../../machinery/join-errors.ts'
import { compileMatcher } from '../../machinery/selectors/label-matcher.ts'
import type { PodCondition } from '../../resources/types/core.ts'
import type { PodInfo } from '../cache/pod-info.ts'
import type { Candidate, ExternalPlugin } from '../framework/external-plugin.ts'
import { reasonCounts } from '../framework/fit-error.ts'
import { moreImportantFirst, startOf } from '../framework/importance.ts'
import type { FailedAttempt, PluginFactory, PostFilterResult } from '../framework/plugin.ts'
import { unresolvable, unschedulable, type Verdict } from '../framework/verdict.ts'

const NAME = 'DefaultPreemption'
const NOT_HELPFUL = unresolvable(NAME, 'Preemption is not helpful for scheduling')
const NO_VICTIMS = unresolvable(NAME, 'No preemption victims found for incoming pod')

/** Looks for a node on which the pod would fit if less important pods gave way; the fewest, least important ones. */
export const defaultPreemption: PluginFactory = (args, { random }) => {
  const percentage = typeof args.minCandidateNodesPercentage === 'number' ? args.minCandidateNodesPercentage : 10
  const absolute = typeof args.minCandidateNodesAbsolute === 'number' ? args.minCandidateNodesAbsolute : 100
  return {
    name: NAME,
    scope: 'cluster',
    postFilter(attempt) {
      const why = ineligible(attempt)
      if (why !== undefined) return failure(why)
      return preempt(attempt, Math.max(absolute, Math.trunc((attempt.context.table.count * percentage) / 100)), random)
    },
    hints: { 'assigned-pod-deleted': () => true },
  }
}

const failure = (message: string): Extract<PostFilterResult, { kind: 'failed' }> => ({ kind: 'failed', message: `preemption: ${message}` })

function ineligible({ pod, context, verdictOf }: FailedAttempt): string | undefined {
  if (pod.pod.spec.preemptionPolicy === 'Never') return 'not eligible due to preemptionPolicy=Never.'
  const nominated = pod.pod.status?.nominatedNodeName
  const row = nominated ? context.table.rowOf(nominated) : undefined
  if (row === undefined || verdictOf(row)?.code === 'unresolvable') return undefined
  for (const other of context.table.pods[row] ?? []) {
    if (other.terminating && other.priority < pod.priority && wasPreempted(other))
      return 'not eligible due to a terminating pod on the nominated node.'
  }
  return undefined
}

const wasPreempted = (pod: PodInfo) =>
  (pod.pod.status?.conditions ?? []).some(
    (c: PodCondition) => c.type === 'DisruptionTarget' && c.status === 'True' && c.reason === 'PreemptionByScheduler',
  )

/** Finds victims at once; waits only for external plugins that choose among them. */
function preempt(attempt: FailedAttempt, enough: number, random: { int(below: number): number }): Later<PostFilterResult> {
  const { context, verdictOf, pod } = attempt
  const { table } = context
  const counts = new Map<Verdict, number>()
  const count = (verdict: Verdict) => counts.set(verdict, (counts.get(verdict) ?? 0) + 1)
  const rows: number[] = []
  for (let row = 0; row < table.rows; row++) {
    if (table.alive[row] !== 1) continue
    if (attempt.refusedBy === undefined && verdictOf(row)?.code === 'unschedulable') rows.push(row)
    else count(NOT_HELPFUL)
  }
  const candidates: Candidate[] = []
  const start = rows.length > enough ? random.int(rows.length) : 0
  const budgets = readBudgets(attempt)
  const errors: string[] = []
  for (let i = 0; i < rows.length && candidates.length < enough; i++) {
    try {
      const found = victimsOn(attempt, rows[(start + i) % rows.length] ?? 0, budgets)
      if ('code' in found) count(found)
      else candidates.push(found)
    } catch (error) {
      errors.push(messageOf(error))
    }
  }
  if (candidates.length === 0 && errors.length > 0) return { kind: 'error', message: `preemption: ${joinErrors(errors)}` }
  if (candidates.length === 0) return { ...failure(`0/${table.count} nodes are available: ${reasonCounts(counts)}.`), clears: true }
  const external = attempt.external.filter((plugin) => plugin.victims !== undefined)
  return external.length === 0 ? nominate(candidates) : askExternal(pod, candidates, external)
}

function nominate(candidates: readonly Candidate[]): PostFilterResult {
  const best = pick(candidates)
  return best === undefined
    ? { ...failure('no candidate node for preemption'), clears: true }
    : { kind: 'nominated', node: best.node, victims: best.victims }
}

async function askExternal(pod: PodInfo, candidates: readonly Candidate[], external: readonly ExternalPlugin[]): Promise<PostFilterResult> {
  let left = candidates
  for (const plugin of external) {
    if (left.length === 0) break
    try {
      left = (await plugin.victims?.(pod, left)) ?? left
    } catch (error) {
      return { kind: 'error', message: `preemption: ${messageOf(error)}` }
    }
  }
  return nominate(left)
}

/** Removes all less important pods on trial, then puts back those that may stay, the most important first. Leaves the table as it was. */
function victimsOn({ pod, context, dryRun }: FailedAttempt, row: number, budgets: readonly Budget[]): Candidate | Verdict {
  const { table } = context
  const node = table.names[row] ?? ''
  const lower = [...(table.pods[row] ?? [])].filter((other) => other.priority < pod.priority)
  if (lower.length === 0) return NO_VICTIMS
  for (const other of lower) dryRun.removePod(other, node)
  const away = new Set(lower)
  try {
    const still = dryRun.check(row)
    if (still !== undefined) return still.code === 'unresolvable' ? still : unschedulable(still.plugin, ...still.reasons)
    lower.sort(moreImportantFirst)
    const { violating, others } = splitByBudget(lower, budgets)
    let violations = 0
    const reprieve = (other: PodInfo): boolean => {
      dryRun.addPod(other, node)
      if (dryRun.check(row) === undefined) {
        away.delete(other)
        return true
      }
      dryRun.removePod(other, node)
      return false
    }
    for (const other of violating) if (!reprieve(other)) violations++
    for (const other of others) reprieve(other)
    return { node, victims: lower.filter((other) => away.has(other)), violations }
  } finally {
    for (const other of away) dryRun.addPod(other, node)
  }
}

interface Budget {
  readonly namespace: string
  readonly matches: (labels: Readonly<Record<string, string>>) => boolean
  readonly disrupted: ReadonlySet<string>
  allowed: number
}

function readBudgets({ context }: FailedAttempt): readonly Budget[] {
  return context.listers.list('poddisruptionbudgets', '').map((pdb) => ({
    namespace: pdb.metadata.namespace ?? '',
    matches: Object.keys(pdb.spec?.selector ?? {}).length === 0 ? () => false : compileMatcher(pdb.spec?.selector),
    disrupted: new Set(Object.keys(pdb.status?.disruptedPods ?? {})),
    allowed: pdb.status?.disruptionsAllowed ?? 0,
  }))
}

/** Which of the pods, in order of importance, could not go without breaking a disruption budget. */
function splitByBudget(
  pods: readonly PodInfo[],
  budgets: readonly Budget[],
): { violating: readonly PodInfo[]; others: readonly PodInfo[] } {
  const left = budgets.map((b) => b.allowed)
  const violating: PodInfo[] = []
  const others: PodInfo[] = []
  for (const pod of pods) {
    let violates = false
    budgets.forEach((budget, i) => {
      const counts = budget.namespace === pod.namespace && budget.matches(pod.labels) && Object.keys(pod.labels).length > 0
      if (!counts || budget.disrupted.has(pod.pod.metadata.name ?? '')) return
      left[i] = (left[i] ?? 0) - 1
      if ((left[i] ?? 0) < 0) violates = true
    })
    ;(violates ? violating : others).push(pod)
  }
  return { violating, others }
}

/** Fewest violated budgets, then the least important first victim, the smallest sum of priorities, the fewest victims, the latest start. */
function pick(candidates: readonly Candidate[]): Candidate | undefined {
  const highest = (c: Candidate) => c.victims[0]?.priority ?? Number.NEGATIVE_INFINITY
  const sum = (c: Candidate) => c.victims.reduce((total, v) => total + v.priority + 2 ** 31, 0)
  const earliest = (c: Candidate) => {
    const starts = c.victims.filter((v) => v.priority === highest(c)).map(startOf)
    return starts.sort()[0] ?? ''
  }
  let best: Candidate | undefined
  for (const c of candidates) {
    if (best === undefined) best = c
    else {
      const order =
        c.violations - best.violations || highest(c) - highest(best) || sum(c) - sum(best) || c.victims.length - best.victims.length
      if (order < 0 || (order === 0 && earliest(c) > earliest(best))) best = c
    }
  }
  return best
}
