import { giveTurn } from '../../base/turns.ts'
import type { Verdict } from '../framework/verdict.ts'
import type { Change } from './change.ts'
import { byCost, IDEAS, ORDER } from './ideas.ts'
import type { Scratch } from './scratch.ts'

/** Changes of a set at most. */
const MAX_SET = 6
/** Nodes, those with the fewest obstacles, for which a set is searched. */
const MAX_SET_ROWS = 16
/** A trial may hold a search for devices of `STEPS_AT_ONCE` steps. */
const TRIALS_PER_TURN = 4
/** Changes that are tried for one place of a set, the cheapest first. */
const MAX_STEP_TRIALS = 40

/**
 * Changes that let the pod in together, for when no single one does: of the node that needs the fewest. Each is needed, and all filters
 * were run with them. Empty when none was found.
 */
export async function smallestSet(scratch: Scratch, obstacles: ReadonlyMap<number, readonly Verdict[]>): Promise<readonly Change[]> {
  const rows = [...obstacles].sort(([, a], [, b]) => a.length - b.length).slice(0, MAX_SET_ROWS)
  let best: readonly Change[] = []
  for (const [row] of rows) {
    const found = withoutNeedless(scratch, row, await setFor(scratch, row))
    if (found.length > 0 && (best.length === 0 || costOfSet(found) < costOfSet(best))) best = found
  }
  return best
}

/** One change after the other, each against an obstacle that is left. */
async function setFor(scratch: Scratch, row: number): Promise<readonly Change[]> {
  const made: { readonly change: Change; readonly undo: () => void }[] = []
  try {
    for (let left = scratch.obstacles(row); left.length > 0; left = scratch.obstacles(row)) {
      const next = made.length < MAX_SET ? await stepFor(scratch, row, left) : undefined
      if (next === undefined) return []
      made.push({ change: next, undo: next.make(scratch) })
    }
    return made.map(({ change }) => change)
  } finally {
    for (const { undo } of made.reverse()) undo()
  }
}

/** The cheapest change that takes an obstacle away; else one after which less is left to do (one of two taints). */
async function stepFor(scratch: Scratch, row: number, left: readonly Verdict[]): Promise<Change | undefined> {
  const changes = changesFor(scratch, row, left)
  let part: Change | undefined
  for (const [i, change] of changes.slice(0, MAX_STEP_TRIALS).entries()) {
    if (i % TRIALS_PER_TURN === TRIALS_PER_TURN - 1) await giveTurn()
    const undo = change.make(scratch)
    const after = scratch.obstacles(row)
    const isLess = after.length === left.length && changesFor(scratch, row, after).length < changes.length
    undo()
    if (after.length < left.length) return change
    if (isLess) part ??= change
  }
  return part
}

function changesFor(scratch: Scratch, row: number, left: readonly Verdict[]): readonly Change[] {
  const ideas = new Set(left.flatMap(({ plugin }) => IDEAS[plugin] ?? []))
  return [...ideas].flatMap((idea) => idea(scratch, row)).sort(byCost)
}

/** The set without the changes that the others make needless. */
function withoutNeedless(scratch: Scratch, row: number, set: readonly Change[]): readonly Change[] {
  const needless = set.find((change) =>
    fitsWith(
      scratch,
      row,
      set.filter((other) => other !== change),
    ),
  )
  return needless === undefined
    ? set
    : withoutNeedless(
        scratch,
        row,
        set.filter((other) => other !== needless),
      )
}

function fitsWith(scratch: Scratch, row: number, changes: readonly Change[]): boolean {
  const undo = changes.map((change) => change.make(scratch))
  const fits = scratch.obstacles(row).length === 0
  for (const back of undo.reverse()) back()
  return fits
}

/** Fewer changes before smaller ones. */
const costOfSet = (set: readonly Change[]) => set.reduce((sum, { kind }) => sum + ORDER.length + ORDER.indexOf(kind), 0)
