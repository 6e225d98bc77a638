import { differences, type State } from '../../operator-trial/state.ts'
import { isPrecious, kindOf, type Symptom } from './symptom.ts'

/** What differs between the state that is expected and the one that was found. */
export function stateSymptoms(rule: string, expected: State, found: State, masked: ReadonlySet<string>): Symptom[] {
  return differences(expected, found, masked).map((text) => ({ harm: harmOf(text), rule, text }))
}

function harmOf(text: string): Symptom['harm'] {
  if (text.endsWith(' is missing')) return isPrecious(kindOf(text)) ? 'data lost' : 'stuck'
  return /^Pod .*\.status\./.test(text) || text.includes('eadyReplicas') ? 'stuck' : 'wrong'
}
