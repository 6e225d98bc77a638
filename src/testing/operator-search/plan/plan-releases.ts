import { callText } from '../../operator-trial/operator-calls.ts'
import type { SearchHistory } from '../history.ts'
import { resourceKey } from '../run/operator-seam.ts'
import type { HeldFault } from './planned-fault.ts'

/** An operator that writes more while it does not see its first write has a loop. */
const MOST_POINTS = 12

/**
 * Events that an operator missed since its own write may reach it between any of those writes that it then sends: what it had read before
 * is not what it reads next. `history`: what it did while they were held back until everything was at rest.
 */
export function planReleases(fault: HeldFault, { calls }: SearchHistory): HeldFault[] {
  if (fault.fromWrite !== true || fault.untilWrite !== undefined) return []
  const writes = calls.filter((c) => c.writes && c.step === fault.step)
  const held = writes.slice(writes.findIndex((c) => resourceKey(c.target) === fault.resource))
  const texts = held.map(callText)
  return texts
    .flatMap((text, i): HeldFault[] => {
      if (i === 0 || texts.indexOf(text) < i) return []
      return [{ ...fault, untilWrite: i, what: `${fault.what}, until ${text}`, cause: `${fault.cause} until ${text}` }]
    })
    .slice(0, MOST_POINTS)
}
