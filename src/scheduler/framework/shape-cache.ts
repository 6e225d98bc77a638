import type { NodeTable } from '../cache/node-table.ts'
import type { PodInfo } from '../cache/pod-info.ts'
import { DEAD } from './explanation.ts'
import type { Plugin } from './plugin.ts'
import type { PluginContext, PreparedFilter, PreparedScore } from './prepared.ts'
import { Ranking } from './ranking.ts'
import { unresolvable, type VerdictBook } from './verdict.ts'

export interface WeightedPlugin {
  readonly plugin: Plugin
  readonly weight: number
}

/** A score kept per row before it is normalized over the nodes that fit. */
export interface RawScores {
  readonly plugin: Plugin
  readonly weight: number
  readonly normalize: 'highest' | 'lowest'
  readonly column: Int32Array
  /** How many rows have something else than 0: with none, normalizing is constant. */
  nonZero: number
}

/**
 * The results of all node-local plugins for pods of one shape: a verdict and a sum of scores per row, updated for the rows that changed. A
 * pod of a known shape costs only the changes since the last one.
 */
export class ShapeEntry {
  readonly verdicts: Int32Array
  /** The sum of weighted scores that need no normalizing; −1 where the verdict is not 0. */
  readonly ranking: Ranking
  readonly raw: readonly RawScores[]
  readonly refusal: PreparedFilter['refuse']
  readonly #table: NodeTable
  readonly #book: VerdictBook
  /** The verdict of the node-local plugins for a row, computed again. */
  readonly check: NonNullable<PreparedFilter['check']>
  readonly #sum: PreparedScore['of']
  readonly #rawOf: readonly (PreparedScore['of'] | undefined)[]
  readonly #keepsRaw: boolean
  /** For explanations: the score plugins. */
  readonly scored: readonly { readonly plugin: Plugin; readonly weight: number; readonly prepared: PreparedScore }[]
  readonly layout: number
  readonly epochs: string
  #position = -1
  #snapshot: Int32Array | undefined

  constructor(
    pod: PodInfo,
    filters: readonly Plugin[],
    scores: readonly WeightedPlugin[],
    context: PluginContext,
    book: VerdictBook,
    epochs: string,
  ) {
    const { table } = context
    this.#table = table
    this.#book = book
    this.epochs = epochs
    const prepared = filters.map((plugin) => ({ plugin, filter: plugin.filter?.(pod, context) }))
    this.refusal = prepared.find(({ filter }) => filter?.refuse !== undefined)?.filter?.refuse
    const checks = prepared.flatMap(({ filter }) => filter?.check ?? [])
    this.check = firstOf(nodesCheck(prepared, table, checks))
    this.scored = scores.flatMap(({ plugin, weight }) => {
      const score = plugin.score?.(pod, context, NO_ROWS)
      return score === undefined ? [] : [{ plugin, weight, prepared: score }]
    })
    this.#sum = sumOf(
      this.scored
        .filter((s) => s.prepared.normalize === undefined && !s.prepared.nothing)
        .map((s) => ({ weight: s.weight, of: s.prepared.of })),
    )
    const normalized = this.scored.flatMap(({ plugin, weight, prepared: score }) =>
      score.normalize === 'highest' || score.normalize === 'lowest'
        ? [{ plugin, weight, normalize: score.normalize, of: score.nothing ? undefined : score.of }]
        : [],
    )
    this.#rawOf = normalized.map((n) => n.of)
    this.#keepsRaw = this.#rawOf.some((of) => of !== undefined)
    // Read after preparing: a plugin may have made the table add a column.
    this.layout = table.layout
    const size = table.alive.length
    this.verdicts = new Int32Array(size)
    this.ranking = new Ranking(size)
    this.raw = normalized.map(({ plugin, weight, normalize, of }) => ({
      plugin,
      weight,
      normalize,
      column: of === undefined ? NOTHING : new Int32Array(size),
      nonZero: 0,
    }))
  }

  /** An immutable copy of the current verdicts: shared by all readers until a verdict changes. */
  snapshot(): Int32Array {
    if (this.#snapshot?.length !== this.#table.rows) this.#snapshot = this.verdicts.slice(0, this.#table.rows)
    return this.#snapshot
  }

  /** Judges again what changed. */
  refresh(): void {
    const table = this.#table
    if (this.#position === -1 || !table.forEachTouched(this.#position, (row) => this.#judge(row))) {
      for (let row = 0; row < table.rows; row++) this.#judge(row)
    }
    this.#position = table.logEnd
  }

  #judge(row: number): void {
    if (this.#table.alive[row] !== 1) {
      if (this.verdicts[row] !== DEAD) this.#snapshot = undefined
      this.verdicts[row] = DEAD
      this.ranking.set(row, -1)
      if (this.#keepsRaw) this.#setRaw(row, true)
      return
    }
    const verdict = this.#book.id(this.check(row))
    if (this.verdicts[row] !== verdict) this.#snapshot = undefined
    this.verdicts[row] = verdict
    if (this.#keepsRaw) this.#setRaw(row, verdict !== 0)
    if (verdict !== 0) {
      this.ranking.set(row, -1)
      return
    }
    this.ranking.set(row, this.#sum(row))
  }

  #setRaw(row: number, clear: boolean): void {
    for (let i = 0; i < this.raw.length; i++) {
      const raw = this.raw[i]
      const of = this.#rawOf[i]
      if (raw === undefined || of === undefined) continue
      const next = clear ? 0 : of(row)
      const old = raw.column[row] ?? 0
      if (old !== 0) raw.nonZero--
      if (next !== 0) raw.nonZero++
      raw.column[row] = next
    }
  }
}

/** The first verdict of several checks, as one function; the common numbers without a loop. */
export function firstOf(checks: readonly NonNullable<PreparedFilter['check']>[]): NonNullable<PreparedFilter['check']> {
  const [a, b] = checks
  if (a === undefined) return () => undefined
  if (b === undefined) return a
  if (checks.length === 2) return (row) => a(row) ?? b(row)
  return (row) => {
    for (const check of checks) {
      const verdict = check(row)
      if (verdict !== undefined) return verdict
    }
    return undefined
  }
}

function sumOf(scores: readonly { readonly weight: number; readonly of: PreparedScore['of'] }[]): PreparedScore['of'] {
  const [a, b] = scores
  if (a === undefined) return () => 0
  if (b === undefined) return (row) => a.weight * a.of(row)
  if (scores.length === 2) {
    const [first, second] = [a.of, b.of]
    return (row) => a.weight * first(row) + b.weight * second(row)
  }
  return (row) => {
    let total = 0
    for (const score of scores) total += score.weight * score.of(row)
    return total
  }
}

const NOTHING = new Int32Array(0)
const NO_ROWS = () => new Int32Array(0)

/** Filters that name the nodes which can do come before all checks: the others were never looked at. */
function nodesCheck(
  prepared: readonly { readonly plugin: Plugin; readonly filter: PreparedFilter | undefined }[],
  table: NodeTable,
  checks: readonly NonNullable<PreparedFilter['check']>[],
): readonly NonNullable<PreparedFilter['check']>[] {
  const naming = prepared.filter(({ filter }) => filter?.nodes !== undefined)
  if (naming.length === 0) return checks
  const names = naming
    .map(({ plugin }) => plugin.name)
    .sort()
    .join(' ')
  const outside = unresolvable('', `node(s) didn't satisfy plugin(s) [${names}]`)
  const sets = naming.map(({ filter }) => filter?.nodes)
  return [(row) => (sets.every((set) => set?.has(table.names[row] ?? '')) ? undefined : outside), ...checks]
}

const MAX_SHAPES = 256

/** The shapes used most lately. */
export class ShapeCache {
  readonly #entries = new Map<string, ShapeEntry>()
  readonly #make: (pod: PodInfo, epochs: string) => ShapeEntry

  constructor(make: (pod: PodInfo, epochs: string) => ShapeEntry) {
    this.#make = make
  }

  clear(): void {
    this.#entries.clear()
  }

  get(pod: PodInfo, layout: number, epochs: string): ShapeEntry {
    let entry = this.#entries.get(pod.shape)
    if (entry !== undefined && (entry.layout !== layout || entry.epochs !== epochs)) entry = undefined
    this.#entries.delete(pod.shape)
    entry ??= this.#make(pod, epochs)
    this.#entries.set(pod.shape, entry)
    if (this.#entries.size > MAX_SHAPES) for (const oldest of this.#entries.keys()) if (this.#entries.delete(oldest)) break
    return entry
  }
}
