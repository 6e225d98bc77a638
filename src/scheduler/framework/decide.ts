import type { PodInfo } from '../cache/pod-info.ts'
import type { Decision, Explanation } from './decision.ts'
import { type Diagnosis, fitErrorText } from './fit-error.ts'
import type { PreparedFilter, PreparedScore } from './plugin.ts'
import type { DecideOptions, Profile } from './profile.ts'
import { DEAD, firstOf, type ShapeEntry } from './shape-cache.ts'
import type { Verdict } from './verdict.ts'

/** Kubernetes' text for a cluster without nodes. */
const NO_NODES = 'no nodes available to schedule pods'

/** Places a pod, or says why it cannot be. Reads the table; changes nothing that lasts. */
export function decide(profile: Profile, pod: PodInfo, options: DecideOptions): Decision {
  const { table } = profile.context
  if (table.count === 0) return noNodes()
  const shape = profile.shape(pod)
  const others = prepareOthers(profile, pod)
  const refusal = shape.refusal ?? others.refusal
  if (refusal !== undefined) return failed(profile, pod, shape, { refusal, verdicts: shape.verdicts, others, options })

  const plain = !others.any && !options.hasNominations()
  const verdicts = plain ? shape.verdicts : judgeAll(profile, pod, shape, others, options)
  const promised = promisedRow(pod, verdicts, table.rowOf.bind(table))
  const choice = promised !== undefined ? only(promised) : choose(profile, pod, shape, verdicts, options)
  if (choice === undefined) return failed(profile, pod, shape, { refusal: undefined, verdicts, others, options })
  return {
    kind: 'placed',
    node: table.names[choice.row] ?? '',
    row: choice.row,
    feasible: choice.feasible,
    ties: choice.ties,
    explain: { verdicts: () => verdictsByNode(profile, verdicts), scores: () => choice.scores },
  }
}

/** The filters that look beyond one node, made ready for this pod. */
interface Others {
  readonly refusal: Verdict | undefined
  /** False when every node passes. */
  readonly any: boolean
  readonly check: NonNullable<PreparedFilter['check']>
}

const PASS: Others = { refusal: undefined, any: false, check: () => undefined }

function prepareOthers(profile: Profile, pod: PodInfo): Others {
  const checks: NonNullable<PreparedFilter['check']>[] = []
  for (const plugin of profile.otherFilters) {
    const prepared = plugin.filter?.(pod, profile.context)
    if (prepared?.refuse !== undefined) return { ...PASS, refusal: prepared.refuse }
    if (prepared?.check !== undefined) checks.push(prepared.check)
  }
  return checks.length === 0 ? PASS : { refusal: undefined, any: true, check: firstOf(checks) }
}

/** A copy of the shape's verdicts in which the nodes that passed were put to the other filters, and to the pods that are to come. */
function judgeAll(profile: Profile, pod: PodInfo, shape: ShapeEntry, others: Others, options: DecideOptions): Int32Array {
  const { table } = profile.context
  const verdicts = shape.verdicts.slice(0, table.rows)
  const nominations = options.hasNominations()
  for (let row = 0; row < table.rows; row++) {
    if (verdicts[row] !== 0) continue
    let verdict = others.check(row)
    if (verdict === undefined && nominations) verdict = withNominated(profile, pod, shape, row, options.nominatedOn(row, pod))
    if (verdict !== undefined) verdicts[row] = profile.book.id(verdict)
  }
  return verdicts
}

/** Whether the pod still fits when those are counted that were promised the node. */
function withNominated(profile: Profile, pod: PodInfo, shape: ShapeEntry, row: number, nominated: readonly PodInfo[]): Verdict | undefined {
  if (nominated.length === 0) return undefined
  const { table } = profile.context
  const node = table.names[row] ?? ''
  for (const other of nominated) table.addPod(other, node)
  try {
    return shape.check(row) ?? prepareOthers(profile, pod).check(row)
  } finally {
    for (const other of nominated) table.removePod(other, node)
  }
}

function feasibleRows(verdicts: Int32Array, rows: number): Int32Array {
  const found = new Int32Array(rows)
  let n = 0
  for (let row = 0; row < rows; row++) if (verdicts[row] === 0) found[n++] = row
  return found.subarray(0, n)
}

interface Choice {
  readonly row: number
  readonly feasible: number
  readonly ties: number
  readonly scores: ReturnType<Explanation['scores']>
}

const NO_SCORES: ReturnType<Explanation['scores']> = new Map()

const only = (row: number): Choice => ({ row, feasible: 1, ties: 1, scores: NO_SCORES })

/** The node that was cleared for this pod, when the pod fits there now. */
function promisedRow(pod: PodInfo, verdicts: Int32Array, rowOf: (name: string) => number | undefined): number | undefined {
  const promised = pod.pod.status?.nominatedNodeName
  const row = promised ? rowOf(promised) : undefined
  return row !== undefined && verdicts[row] === 0 ? row : undefined
}

/** The best of the nodes that fit; of several best ones, one drawn once. */
function choose(profile: Profile, pod: PodInfo, shape: ShapeEntry, verdicts: Int32Array, options: DecideOptions): Choice | undefined {
  const { table } = profile.context
  let found: Int32Array | undefined
  const rows = () => {
    found ??= feasibleRows(verdicts, table.rows)
    return found
  }
  const prepared: { readonly name: string; readonly weight: number; readonly score: PreparedScore }[] = []
  for (const { plugin, weight } of profile.otherScores) {
    const score = plugin.score?.(pod, profile.context, rows)
    if (score !== undefined) prepared.push({ name: plugin.name, weight, score })
  }
  // With nothing to tell nodes apart, what is normalized is a constant, and changes no choice.
  const raw = shape.raw.filter((r) => r.nonZero > 0 || options.keepScores)
  if (raw.length === 0 && prepared.length === 0 && verdicts === shape.verdicts && !options.keepScores) {
    const { total, ties, candidates } = shape.ranking.best()
    if (candidates === 0) return undefined
    return { row: shape.ranking.nth(ties === 1 ? 0 : options.random.int(ties), total), feasible: candidates, ties, scores: NO_SCORES }
  }
  if (raw.length === 0 && prepared.length === 0 && !options.keepScores) return bestOfKept(shape.ranking.totals, verdicts, options)
  const at = rows()
  const [first] = at
  if (first === undefined) return undefined
  if (at.length === 1) return only(first)
  const totals = new Float64Array(at.length)
  for (let i = 0; i < at.length; i++) totals[i] = shape.ranking.totals[at[i] ?? 0] ?? 0
  const kept: { readonly name: string; readonly weighted: Float64Array }[] = []
  const add = (name: string, weight: number, scores: Float64Array) => {
    for (let i = 0; i < at.length; i++) totals[i] = (totals[i] ?? 0) + weight * (scores[i] ?? 0)
    if (options.keepScores) kept.push({ name, weighted: scores.map((s) => s * weight) })
  }
  for (const { plugin, weight, normalize, column } of raw) {
    const scores = new Float64Array(at.length)
    for (let i = 0; i < at.length; i++) scores[i] = column[at[i] ?? 0] ?? 0
    stretch(scores, normalize)
    add(plugin.name, weight, scores)
  }
  for (const { name, weight, score } of prepared) add(name, weight, scoresOf(score, at))
  if (options.keepScores) {
    for (const { plugin, weight, prepared: score } of shape.scored) {
      if (score.normalize === undefined) kept.push({ name: plugin.name, weighted: Float64Array.from(at, (row) => weight * score.of(row)) })
    }
  }
  const choice = best(totals, at, options)
  return choice === undefined || !options.keepScores ? choice : { ...choice, scores: scoreTable(profile, at, totals, kept) }
}

/** The best by the kept totals among the rows that still pass. */
function bestOfKept(totals: Int32Array, verdicts: Int32Array, options: DecideOptions): Choice | undefined {
  let highest = -1
  let ties = 0
  let feasible = 0
  for (let row = 0; row < verdicts.length; row++) {
    if (verdicts[row] !== 0) continue
    feasible++
    const total = totals[row] ?? 0
    if (total > highest) {
      highest = total
      ties = 1
    } else if (total === highest) ties++
  }
  let skip = ties === 1 || feasible === 0 ? 0 : options.random.int(ties)
  for (let row = 0; row < verdicts.length; row++) {
    if (verdicts[row] === 0 && totals[row] === highest && skip-- === 0) return { row, feasible, ties, scores: NO_SCORES }
  }
  return undefined
}

/** The row with the highest total; of several, one drawn once. */
function best(totals: Float64Array, rows: Int32Array, options: DecideOptions): Choice | undefined {
  let highest = Number.NEGATIVE_INFINITY
  let ties = 0
  for (const total of totals) {
    if (total > highest) {
      highest = total
      ties = 1
    } else if (total === highest) ties++
  }
  let skip = ties === 1 ? 0 : options.random.int(ties)
  let at = totals.indexOf(highest)
  while (skip-- > 0) at = totals.indexOf(highest, at + 1)
  const row = rows[at]
  return row === undefined ? undefined : { row, feasible: rows.length, ties, scores: NO_SCORES }
}

function scoresOf(prepared: PreparedScore, rows: Int32Array): Float64Array {
  const scores = new Float64Array(rows.length)
  for (let i = 0; i < rows.length; i++) scores[i] = prepared.of(rows[i] ?? 0)
  if (typeof prepared.normalize === 'function') prepared.normalize(scores, rows)
  else if (prepared.normalize !== undefined) stretch(scores, prepared.normalize)
  return scores
}

/** Stretches scores so that the highest is 100; `lowest` turns them round. */
function stretch(scores: Float64Array, how: 'highest' | 'lowest'): void {
  let max = 0
  for (const score of scores) if (score > max) max = score
  for (let i = 0; i < scores.length; i++) {
    const share = max === 0 ? 0 : Math.trunc((100 * (scores[i] ?? 0)) / max)
    scores[i] = how === 'lowest' ? 100 - share : share
  }
}

function scoreTable(
  profile: Profile,
  rows: Int32Array,
  totals: Float64Array,
  kept: readonly { readonly name: string; readonly weighted: Float64Array }[],
): ReturnType<Explanation['scores']> {
  const table = new Map<string, Readonly<Record<string, number>>>()
  for (let i = 0; i < rows.length; i++) {
    const scores: Record<string, number> = {}
    for (const { name, weighted } of kept) scores[name] = weighted[i] ?? 0
    table.set(profile.context.table.names[rows[i] ?? 0] ?? '', { ...scores, total: totals[i] ?? 0 })
  }
  return table
}

interface Failure {
  readonly refusal: Verdict | undefined
  readonly verdicts: Int32Array
  readonly others: Others
  readonly options: DecideOptions
}

function failed(profile: Profile, pod: PodInfo, shape: ShapeEntry, failure: Failure): Decision {
  const { table } = profile.context
  const { refusal, others } = failure
  const verdicts = failure.verdicts.slice(0, table.rows)
  const verdictOf = (row: number) => (verdicts[row] === DEAD ? undefined : profile.book.of(verdicts[row] ?? 0))
  const counts = new Map<Verdict, number>()
  if (refusal === undefined) {
    for (let row = 0; row < table.rows; row++) {
      const verdict = verdictOf(row)
      if (verdict !== undefined) counts.set(verdict, (counts.get(verdict) ?? 0) + 1)
    }
  }
  const plugins = new Set(refusal === undefined ? [...counts.keys()].flatMap((v) => pluginsOf(v)) : [refusal.plugin])
  // With filters that look beyond one node, what they prepared no longer holds once pods are taken away: they prepare anew.
  const fits = (row: number) =>
    shape.check(row) ??
    (!others.any ? undefined : prepareOthers(profile, pod).check(row)) ??
    (failure.options.hasNominations() ? withNominated(profile, pod, shape, row, failure.options.nominatedOn(row, pod)) : undefined)
  const messages: string[] = []
  let clearsNomination = false
  let nominated: { node: string; victims: readonly PodInfo[] } | undefined
  for (const plugin of profile.plugins.postFilter) {
    const result = plugin.postFilter?.({ pod, context: profile.context, verdictOf, refused: refusal !== undefined, fits })
    if (result === undefined) continue
    if (result.kind === 'nominated') {
      nominated = { node: result.node, victims: result.victims }
      messages.length = 0
      break
    }
    messages.push(result.message)
    if (result.clears) clearsNomination = true
    // An error of one plugin ends the line: what comes later is not asked.
    if (refusal !== undefined) break
  }
  const diagnosis: Diagnosis = {
    nodes: table.count,
    counts,
    postFilterMessage: messages.join(', '),
    ...(refusal === undefined ? {} : { podVerdict: refusal }),
  }
  return {
    kind: 'unschedulable',
    message: fitErrorText(diagnosis),
    diagnosis,
    plugins,
    nominated,
    clearsNomination,
    explain: { verdicts: () => verdictsByNode(profile, verdicts), scores: () => NO_SCORES },
  }
}

const pluginsOf = (verdict: Verdict): readonly string[] => (verdict.plugin === '' ? verdict.reasons.flatMap(namedIn) : [verdict.plugin])
const namedIn = (reason: string) => /\[(.*)\]/.exec(reason)?.[1]?.split(' ') ?? []

function noNodes(): Decision {
  return {
    kind: 'unschedulable',
    message: NO_NODES,
    diagnosis: { nodes: 0, counts: new Map(), postFilterMessage: '' },
    plugins: new Set(),
    nominated: undefined,
    clearsNomination: false,
    explain: { verdicts: () => new Map(), scores: () => NO_SCORES },
  }
}

function verdictsByNode(profile: Profile, verdicts: Int32Array): ReadonlyMap<string, Verdict> {
  const { table } = profile.context
  const byNode = new Map<string, Verdict>()
  for (let row = 0; row < verdicts.length; row++) {
    const verdict = verdicts[row] === DEAD ? undefined : profile.book.of(verdicts[row] ?? 0)
    if (verdict !== undefined) byNode.set(table.names[row] ?? '', verdict)
  }
  return byNode
}
