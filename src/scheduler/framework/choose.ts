import type { PodInfo } from '../cache/pod-info.ts'
import type { DecideOptions } from './decide-options.ts'
import { NO_SCORES, type ScoreTable } from './explanation.ts'
import type { ExternalScores } from './external-plugin.ts'
import { feasibleRows } from './feasible-rows.ts'
import type { PreparedScore } from './prepared.ts'
import type { Profile } from './profile.ts'
import type { ShapeEntry } from './shape-cache.ts'

export interface Choice {
  readonly row: number
  readonly feasible: number
  readonly ties: number
  /** Built on demand: a score of each node, for each attempt, is more work than the choice. */
  readonly scores: () => ScoreTable
}

const noScores = () => NO_SCORES

export const onlyChoice = (row: number): Choice => ({ row, feasible: 1, ties: 1, scores: noScores })

export interface Contest {
  readonly pod: PodInfo
  readonly shape: ShapeEntry
  readonly verdicts: Int32Array
  /** What external plugins add to the totals, by the name that explanations show. */
  readonly externalScores: ReadonlyMap<string, ExternalScores>
}

interface ReadyScore {
  readonly name: string
  readonly weight: number
  readonly score: PreparedScore
}

/** The best of the nodes that fit; of several best ones, one drawn once. */
export function choose(profile: Profile, contest: Contest, options: DecideOptions): Choice | undefined {
  const { table } = profile.context
  const { pod, shape, verdicts, externalScores } = contest
  let found: Int32Array | undefined
  const rows = () => {
    found ??= feasibleRows(verdicts, table.rows)
    return found
  }
  const prepared: ReadyScore[] = []
  for (const { plugin, weight } of profile.otherScores) {
    const score = plugin.score?.(pod, profile.context, rows)
    // One that gives every node 0 is shown, and changes no choice.
    if (score !== undefined && (score.nothing !== true || options.keepScores)) prepared.push({ name: plugin.name, weight, score })
  }
  // If a plugin scores all nodes the same, its normalized score is constant, and changes no choice.
  const raw = shape.raw.filter((r) => r.nonZero > 0 || options.keepScores)
  if (raw.length === 0 && prepared.length === 0 && externalScores.size === 0 && !options.keepScores) {
    if (verdicts !== shape.verdicts) return bestOfKept(shape.ranking.totals, verdicts, options)
    const { total, ties, candidates } = shape.ranking.best()
    if (candidates === 0) return undefined
    return { row: shape.ranking.nth(ties === 1 ? 0 : options.random.int(ties), total), feasible: candidates, ties, scores: noScores }
  }
  const at = rows()
  const [first] = at
  if (first === undefined) return undefined
  if (at.length === 1) return onlyChoice(first)
  const sum = new Sum(shape.ranking.totals, at, options.keepScores)
  for (const { plugin, weight, normalize, column } of raw) {
    const scores = new Float64Array(at.length)
    for (let i = 0; i < at.length; i++) scores[i] = column[at[i] ?? 0] ?? 0
    stretch(scores, normalize)
    sum.add(plugin.name, weight, scores)
  }
  for (const { name, weight, score } of prepared) sum.add(name, weight, scoresOf(score, at))
  if (options.keepScores) {
    for (const { plugin, weight, prepared: score } of shape.scored) {
      if (score.normalize === undefined)
        sum.keep(
          plugin.name,
          Float64Array.from(at, (row) => weight * score.of(row)),
        )
    }
  }
  for (const [name, scores] of externalScores) sum.addNamed(name, scores, table.names)
  const choice = best(sum.totals, at, options)
  if (choice === undefined || !options.keepScores) return choice
  const names = table.namesNow()
  return { ...choice, scores: () => sum.table(names) }
}

/** Totals of the rows that fit, and what they are made of when that is to be kept. */
class Sum {
  readonly totals: Float64Array
  readonly #rows: Int32Array
  readonly #kept: { readonly name: string; readonly scores: Float64Array }[] = []
  readonly #keeps: boolean

  constructor(start: Int32Array, rows: Int32Array, keeps: boolean) {
    this.#rows = rows
    this.#keeps = keeps
    this.totals = Float64Array.from(rows, (row) => start[row] ?? 0)
  }

  add(name: string, weight: number, scores: Float64Array): void {
    for (let i = 0; i < scores.length; i++) this.totals[i] = (this.totals[i] ?? 0) + weight * (scores[i] ?? 0)
    if (this.#keeps)
      this.keep(
        name,
        scores.map((s) => s * weight),
      )
  }

  keep(name: string, scores: Float64Array): void {
    this.#kept.push({ name, scores })
  }

  addNamed(name: string, { byNode, shown = byNode }: ExternalScores, names: readonly (string | undefined)[]): void {
    const kept = new Float64Array(this.#rows.length).fill(Number.NaN)
    for (let i = 0; i < this.#rows.length; i++) {
      const node = names[this.#rows[i] ?? 0] ?? ''
      this.totals[i] = (this.totals[i] ?? 0) + (byNode.get(node) ?? 0)
      kept[i] = shown.get(node) ?? Number.NaN
    }
    if (this.#keeps) this.keep(name, kept)
  }

  table(names: readonly (string | undefined)[]): ScoreTable {
    const table = new Map<string, Readonly<Record<string, number>>>()
    for (let i = 0; i < this.#rows.length; i++) {
      const scores: Record<string, number> = {}
      for (const { name, scores: column } of this.#kept) if (!Number.isNaN(column[i])) scores[name] = column[i] ?? 0
      table.set(names[this.#rows[i] ?? 0] ?? '', { ...scores, total: this.totals[i] ?? 0 })
    }
    return table
  }
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
    if (verdicts[row] === 0 && totals[row] === highest && skip-- === 0) return { row, feasible, ties, scores: noScores }
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
  return row === undefined ? undefined : { row, feasible: rows.length, ties, scores: noScores }
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
