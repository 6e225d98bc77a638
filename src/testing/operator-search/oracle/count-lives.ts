import { isNamedByChance } from '../../operator-trial/state.ts'
import type { ObjectChange } from '../history.ts'
import { isPrecious, kindOf, type Symptom } from './symptom.ts'

interface Lives {
  created: number
  deleted: number
}

const RULE = 'no object is created or deleted more often than without the fault'
const LEFT = 'what has to go is deleted, whatever was seen meanwhile'
/** Controllers of the cluster create and delete these at will. */
const UNCOUNTED = new Set(['Pod', 'Job'])

/** How strictly lives are counted. */
export interface LifeRules {
  /** Whether an object that is usually deleted has to be deleted. */
  readonly mustGo: (change: ObjectChange) => boolean
  /** Whether objects may be made and deleted more often: the garbage collector deletes what is made for an owner that is gone. */
  readonly mayRepeat: boolean
}

/** Objects that were created or deleted more often than in the undisturbed run, or less often. */
export function lifeSymptoms(
  expected: readonly ObjectChange[],
  found: readonly ObjectChange[],
  { mustGo, mayRepeat }: LifeRules,
): Symptom[] {
  return [...leftSymptoms(expected, found, mustGo), ...(mayRepeat ? [] : moreSymptoms(livesOf(expected), livesOf(found)))]
}

/** Objects of before that usually go, and stay. One that is made and deleted in between may never have been made. */
function leftSymptoms(expected: readonly ObjectChange[], found: readonly ObjectChange[], mustGo: LifeRules['mustGo']): Symptom[] {
  const uids = (changes: readonly ObjectChange[]) => new Set(changes.map(({ object }) => object.metadata.uid))
  const made = uids(expected.filter(({ type }) => type === 'ADDED'))
  const gone = uids(found.filter(endsLife))
  const left = expected
    .filter((c) => isCounted(c) && endsLife(c) && mustGo(c))
    .filter(({ object: { metadata } }) => !made.has(metadata.uid))
  return left
    .filter(({ object }) => !gone.has(object.metadata.uid))
    .map(({ key }) => ({ harm: 'wrong', rule: LEFT, text: `${key} is deleted never, not once` }))
}

function moreSymptoms(usual: ReadonlyMap<string, Lives>, seen: ReadonlyMap<string, Lives>): Symptom[] {
  return [...seen].flatMap(([key, { created, deleted }]): Symptom[] => {
    const { created: c = 0, deleted: d = 0 } = usual.get(key) ?? {}
    if (deleted > d) {
      const harm = isPrecious(kindOf(key)) ? 'data lost' : 'wrong'
      return [{ harm, rule: RULE, text: `${key} is deleted ${times(deleted)}, not ${times(d)}` }]
    }
    return created > c ? [{ harm: 'noisy', rule: RULE, text: `${key} is created ${times(created)}, not ${times(c)}` }] : []
  })
}

function times(n: number): string {
  return n === 0 ? 'never' : n === 1 ? 'once' : `${n} times`
}

function livesOf(changes: readonly ObjectChange[]): ReadonlyMap<string, Lives> {
  const lives = new Map<string, Lives>()
  for (const change of changes.filter(isCounted)) {
    const of = lives.get(change.key) ?? { created: 0, deleted: 0 }
    if (change.type === 'ADDED') of.created++
    if (endsLife(change)) of.deleted++
    lives.set(change.key, of)
  }
  return lives
}

const isCounted = ({ object }: ObjectChange) => !isNamedByChance(object) && !UNCOUNTED.has(object.kind)

/** A deletion counts when it begins. */
const endsLife = ({ type, object, before }: ObjectChange) =>
  before?.metadata.deletionTimestamp === undefined && (type === 'DELETED' || object.metadata.deletionTimestamp !== undefined)

const APART = 'what was made for one object is not deleted with another'

/**
 * Objects that were there before, and were deleted in steps in which only other objects came and went. `before`: the changes until
 * the first such step; `during`: those of such steps.
 */
export function touchedLives(before: readonly ObjectChange[], during: readonly ObjectChange[]): Symptom[] {
  const was = livesOf(before)
  return [...livesOf(during)].flatMap(([key, { deleted }]): Symptom[] => {
    const { created = 0, deleted: gone = 0 } = was.get(key) ?? {}
    if (created <= gone || deleted === 0) return []
    return [{ harm: isPrecious(kindOf(key)) ? 'data lost' : 'wrong', rule: APART, text: `${key} is deleted ${times(deleted)}, not never` }]
  })
}
