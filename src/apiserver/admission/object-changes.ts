import { valueChanges } from '../../machinery/json/value-changes.ts'
import { ValueSnapshot } from '../../machinery/json/value-snapshot.ts'
import type { RecordedStep } from '../request/trail.ts'

/** What is listed of the changes of one step. */
const LIMITS = { most: 32, mostText: 512 }
/** A larger object is not compared: each step would hold up other requests for a tenth of a millisecond. */
const MOST_PARTS = 4096

/** An object as it was before a step; undefined: it is too large. */
export const snapshotOf = (object: unknown): ValueSnapshot | undefined => ValueSnapshot.of(object, MOST_PARTS)

/** What a step has changed. */
export function changesSince(before: ValueSnapshot, object: unknown): Pick<RecordedStep, 'changes' | 'unlisted'> {
  const { changes, unlisted } = valueChanges(before.value(), object, LIMITS)
  return changes.length === 0 ? {} : { changes, ...(unlisted > 0 && { unlisted }) }
}
