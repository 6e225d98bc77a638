import { byText } from '../../base/by-text.ts'
import { giveTurn } from '../../base/turns.ts'
import type { Verdict } from '../framework/verdict.ts'
import type { Change } from './change.ts'
import { IDEAS, ORDER } from './ideas.ts'
import type { Scratch } from './scratch.ts'

/** Changes of one kind that are tried; of the many that there may be, the cheapest. */
const MAX_TRIALS = 200
/** Nodes, those with the fewest obstacles, for which changes are thought of. */
const MAX_ROWS = 256
/** A trial may hold a search for devices of `STEPS_AT_ONCE` steps. */
const TRIALS_PER_TURN = 4

/**
 * The single changes after which the pod would fit: the cheapest of each kind, the smallest first. Each was made in the copy of the cluster
 * and all filters were run again. Empty when no single change is enough.
 */
export async function smallestChanges(scratch: Scratch, obstacles: ReadonlyMap<number, readonly Verdict[]>): Promise<readonly Change[]> {
  const rows = [...obstacles].sort(([, a], [, b]) => a.length - b.length).slice(0, MAX_ROWS)
  const ideas = rows.flatMap(([row, found]) => [...changesFor(scratch, row, found), ...newNode(scratch, row)])
  const found: Change[] = []
  let trials = 0
  for (const kind of ORDER) {
    const ofKind = ideas.filter((change) => change.kind === kind).sort((a, b) => a.cost - b.cost || byText(a.node, b.node))
    for (const change of ofKind.slice(0, MAX_TRIALS)) {
      if (++trials % TRIALS_PER_TURN === 0) await giveTurn()
      if (!helps(scratch, change)) continue
      found.push(change)
      break
    }
  }
  return found
}

/** A change helps against the verdict of one plugin, or of two with the same cause. */
function changesFor(scratch: Scratch, row: number, found: readonly Verdict[]): readonly Change[] {
  const plugins = new Set(found.map((v) => v.plugin))
  const ideas = new Set([...plugins].flatMap((plugin) => IDEAS[plugin] ?? []))
  return [...ideas].filter((idea) => [...plugins].every((plugin) => IDEAS[plugin]?.includes(idea))).flatMap((idea) => idea(scratch, row))
}

function helps(scratch: Scratch, change: Change): boolean {
  const undo = change.make(scratch)
  try {
    const row = scratch.table.rowOf(change.fitsOn ?? change.node)
    return row !== undefined && scratch.obstacles(row).length === 0
  } finally {
    undo()
  }
}

const HOSTNAME = 'kubernetes.io/hostname'

/** One more node like this one, with nothing on it. */
function newNode(scratch: Scratch, row: number): readonly Change[] {
  const like = scratch.table.nodes[row]
  if (like === undefined) return []
  const { name: old = '', labels = {} } = like.metadata
  const name = `${old}-more`
  const more = { ...like, metadata: { name, labels: { ...labels, ...(HOSTNAME in labels ? { [HOSTNAME]: name } : {}) } } }
  return [
    {
      kind: 'AddNode',
      node: old,
      cost: 1,
      message: `add a node like ${old}`,
      fitsOn: name,
      make: (trial) => {
        trial.table.setNode(more)
        trial.changed()
        return () => {
          trial.table.removeNode(name)
          trial.changed()
        }
      },
    },
  ]
}
