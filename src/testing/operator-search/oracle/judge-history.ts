import type { SearchHistory } from '../history.ts'
import type { WorkStep } from '../work-step.ts'
import type { Symptom } from './symptom.ts'

/** What is wrong with a run whatever others do: crashes, no rest, and writes that are refused for ever. */
export function conductSymptoms({ deaths, rests }: SearchHistory, steps: readonly WorkStep[]): Symptom[] {
  const crashes = deaths.slice(0, 1).map((text): Symptom => ({ harm: 'stuck', rule: 'the operator does not crash', text }))
  const restless = rests.flatMap(({ restless: text }): Symptom[] =>
    text === undefined ? [] : [{ harm: 'stuck', rule: 'the operator comes to rest', text }],
  )
  const failing = rests.flatMap(({ failing: text, step }): Symptom[] =>
    // What comes of an input that may make no sense is not judged before it is taken back.
    text === undefined || (steps[step]?.input ?? 'plain') !== 'plain'
      ? []
      : [{ harm: 'stuck', rule: 'no write is refused for ever', text }],
  )
  return [...crashes, ...restless.slice(0, 1), ...failing.slice(0, 1)]
}
