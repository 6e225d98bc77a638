import type { ObjectChange } from '../history.ts'
import { isPrecious, kindOf, type Symptom } from './symptom.ts'

interface Lives {
  created: number
  deleted: number
}

const RULE = 'no object is created or deleted more often than without the fault'
/** Controllers of the cluster create and delete these at will. */
const UNCOUNTED = new Set(['Pod', 'Job'])

/** Objects that were created or deleted more often than in the undisturbed run. */
export function lifeSymptoms(expected: readonly ObjectChange[], found: readonly ObjectChange[]): Symptom[] {
  const [usual, seen] = [livesOf(expected), livesOf(found)]
  return [...seen].flatMap(([key, { created, deleted }]): Symptom[] => {
    const { created: c = 0, deleted: d = 0 } = usual.get(key) ?? {}
    if (deleted > d) {
      const harm = isPrecious(kindOf(key)) ? 'data lost' : 'wrong'
      return [{ harm, rule: RULE, text: `${key} is deleted ${times(deleted)}, not ${times(d)}` }]
    }
    return created > c ? [{ harm: 'noisy', rule: RULE, text: `${key} is created ${times(created)}, not ${times(c)}` }] : []
  })
}

const times = (n: number) => (n === 0 ? 'never' : n === 1 ? 'once' : `${n} times`)

function livesOf(changes: readonly ObjectChange[]): ReadonlyMap<string, Lives> {
  const lives = new Map<string, Lives>()
  for (const { key, type, object, before } of changes) {
    if (object.metadata.generateName !== undefined || UNCOUNTED.has(object.kind)) continue
    const of = lives.get(key) ?? { created: 0, deleted: 0 }
    const wasDeleted = before?.metadata.deletionTimestamp !== undefined
    if (type === 'ADDED') of.created++
    // The deletion counts when it begins.
    if (!wasDeleted && (type === 'DELETED' || object.metadata.deletionTimestamp !== undefined)) of.deleted++
    lives.set(key, of)
  }
  return lives
}
