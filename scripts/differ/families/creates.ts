import type { Step } from '../case.ts'
import { changedSample, type Subject, withOptions } from '../subject.ts'

/** Creations of changed objects, in a dry run. */
export function creates(subject: Subject): Step[] {
  const { draw, kind } = subject
  const options = { fieldValidation: ['Strict', 'Warn', 'Ignore'], fieldManager: ['m'] }
  return draw.several(5, 5, () => ({
    do: 'POST',
    path: withOptions(draw, `${kind.collection}?dryRun=All`, options),
    body: changedSample(subject, 2),
  }))
}
