import type { SearchHistory } from '../history.ts'
import type { Symptom } from './symptom.ts'

/** What is wrong with a run whatever others do: crashes, and no rest. */
export function conductSymptoms({ deaths, rests }: SearchHistory): Symptom[] {
  const crashes = deaths.slice(0, 1).map((text): Symptom => ({ harm: 'stuck', rule: 'the operator does not crash', text }))
  const restless = rests.flatMap(({ restless: text }): Symptom[] =>
    text === undefined ? [] : [{ harm: 'stuck', rule: 'the operator comes to rest', text }],
  )
  return [...crashes, ...restless.slice(0, 1)]
}
