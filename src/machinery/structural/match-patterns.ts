import type { Steps } from '../../base/steps.ts'
import { isObject } from '../object.ts'
import { MOST_WORK, matchesPattern, worstWork } from './pattern.ts'
import { itemsOf, propertiesOf, propertyOf, type SchemaProps, valuesOf } from './schema-props.ts'

/** Cheaper matches are left to the validation itself. */
const LITTLE_WORK = 200_000
/** Work in one step, some 40 ms. */
const WORK_PER_STEP = 5_000_000

/** True if a text matches a pattern; computed in advance. */
export type Matches = (pattern: string, text: string) => boolean

/** Matches long texts against their patterns before validation, which cannot be interrupted. Undefined if all matches are cheap. */
export function* matchPatterns(schema: SchemaProps, value: unknown): Steps<Matches | undefined> {
  if (!hasPatterns(schema)) return undefined
  const known = new Map<string, Map<string, boolean>>()
  let work = 0
  for (const [pattern, text] of places(schema, value)) {
    const mine = worstWork(pattern, text)
    if (mine < LITTLE_WORK || mine > MOST_WORK) continue
    const texts = known.get(pattern) ?? new Map<string, boolean>()
    known.set(pattern, texts)
    if (texts.has(text)) continue
    texts.set(text, matchesPattern(pattern, text))
    work += mine
    if (work < WORK_PER_STEP) continue
    work = 0
    yield
  }
  return known.size === 0 ? undefined : (pattern, text) => known.get(pattern)?.get(text) ?? matchesPattern(pattern, text)
}

/** The texts with their patterns, including those in alternatives of a schema. */
function* places(schema: SchemaProps, value: unknown): Generator<readonly [pattern: string, text: string]> {
  if (!hasPatterns(schema)) return
  if (typeof value === 'string' && schema.pattern) yield [schema.pattern, value]
  for (const alternative of alternativesOf(schema)) yield* places(alternative, value)
  if (Array.isArray(value)) {
    const items = itemsOf(schema)
    if (items !== undefined) for (const item of value) yield* places(items, item)
  } else if (isObject(value)) {
    for (const name in value) {
      const below = propertyOf(schema, name) ?? valuesOf(schema)
      if (below !== undefined) yield* places(below, value[name])
    }
  }
}

const alternativesOf = (s: SchemaProps): readonly SchemaProps[] => [
  ...(s.anyOf ?? []),
  ...(s.oneOf ?? []),
  ...(s.allOf ?? []),
  ...(s.not === undefined ? [] : [s.not]),
]

const presence = new WeakMap<SchemaProps, boolean>()

function hasPatterns(schema: SchemaProps): boolean {
  let known = presence.get(schema)
  if (known === undefined) {
    const items = itemsOf(schema)
    const values = valuesOf(schema)
    known =
      (schema.pattern !== undefined && schema.pattern !== '') ||
      propertiesOf(schema).some(([, p]) => hasPatterns(p)) ||
      alternativesOf(schema).some(hasPatterns) ||
      (items !== undefined && hasPatterns(items)) ||
      (values !== undefined && hasPatterns(values))
    presence.set(schema, known)
  }
  return known
}
