import type { Pace, Steps } from '../base/steps.ts'
import { cloneJson, type Json, type JsonObject, setOwn } from './object.ts'
import { lightWeight } from './weight.ts'

/** A deep copy, as `cloneJson` makes it: light values at once, the members of heavy ones one after the other. */
export function* clonedInSteps(value: Json, pace: Pace): Steps<Json> {
  const weight = lightWeight(value)
  if (weight !== undefined || value === null || typeof value !== 'object') {
    if (pace.due(weight)) yield
    return cloneJson(value)
  }
  if (Array.isArray(value)) {
    const items: Json[] = []
    for (const item of value) items.push(yield* clonedInSteps(item, pace))
    return items
  }
  const copy: JsonObject = {}
  for (const key of Object.keys(value)) setOwn(copy, key, yield* clonedInSteps(value[key] ?? null, pace))
  return copy
}
