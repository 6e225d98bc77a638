import { Pace, type Steps } from '../../../base/steps.ts'
import { tooLargeForEtcd } from '../../../machinery/status-error.ts'
import type { Work } from './work.ts'

/** The canonical form of an object may be a little smaller than what was sent: only what exceeds the limit by a third is refused here. */
const MARGIN = 4 / 3
/** Where the store has its own limit, in bytes of another form. */
const MOST_CHARACTERS = 6 * 1024 * 1024

/**
 * Refuses an object that cannot be stored before anything looks at all of it: defaults make megabytes of a list of empty items, and
 * validating them would take a long turn. The commit has the exact limit.
 */
export function* fit({ deps, draft, heavy }: Work): Steps<void> {
  if (!heavy) return
  const budget = { left: Math.min(deps.watchCache.maxObjectBytes * MARGIN, MOST_CHARACTERS) }
  yield* count(draft, budget, new Pace())
  if (budget.left < 0) throw tooLargeForEtcd()
}

/** Counts at least the quotes, names, separators and texts of the value's JSON. */
function* count(value: unknown, budget: { left: number }, pace: Pace): Steps<void> {
  if (pace.due()) yield
  budget.left -= typeof value === 'string' ? value.length + 2 : 1
  if (typeof value !== 'object' || value === null) return
  for (const key of Object.keys(value)) {
    if (budget.left < 0) return
    const member = (value as Record<string, unknown>)[key]
    if (member === undefined) continue
    budget.left -= Array.isArray(value) ? 1 : key.length + 4
    if (typeof member === 'object' && member !== null) yield* count(member, budget, pace)
    else budget.left -= typeof member === 'string' ? member.length + 2 : 1
    if (pace.due()) yield
  }
}
