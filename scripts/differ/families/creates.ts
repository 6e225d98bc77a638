import type { Json } from '../../../src/machinery/object.ts'
import type { Step } from '../case.ts'
import type { Draw } from '../draw.ts'
import { looseText } from '../loose-text.ts'
import { changedSample, type Subject, withOptions } from '../subject.ts'

/** Creations of changed objects, in a dry run. */
export function creates(subject: Subject): Step[] {
  const { draw, kind } = subject
  const options = { fieldValidation: ['Strict', 'Warn', 'Ignore'], fieldManager: ['m'] }
  return draw.several(5, 5, () => ({
    do: 'POST',
    path: withOptions(draw, `${kind.collection}?dryRun=All`, options),
    ...sent(draw, changedSample(subject, 2)),
  }))
}

/** A body as a value, sometimes as a text that no encoder writes. */
const sent = (draw: Draw, body: Json): Pick<Step, 'body' | 'headers' | 'text'> =>
  draw.chance(0.1) ? { headers: { 'content-type': 'application/json' }, text: looseText(draw, body) } : { body }
