import { Pace, type Steps } from '../../base/steps.ts'
import { isObject } from '../object.ts'
import { MOST_WORK, matchesPattern, worstWork } from './pattern.ts'
import { itemsOf, propertiesOf, propertyOf, type SchemaProps, valuesOf } from './schema-props.ts'

/** Cheaper matches are left to the validation itself. */
const LITTLE_WORK = 200_000
/** As much work of a match counts as one value of a `Pace`: a turn has some 40 ms of it. */
const WORK_PER_VALUE = 800

/** True if a text matches a pattern; computed in advance. */
export type Matches = (pattern: string, text: string) => boolean

/** Matches long texts against their patterns before validation, which cannot be interrupted. Undefined if all matches are cheap. */
export function* matchPatterns(schema: SchemaProps, value: unknown): Steps<Matches | undefined> {
  if (!hasPatterns(schema)) return undefined
  const matcher = new LongMatcher()
  yield* matcher.visit(schema, value)
  const { known } = matcher
  return known.size === 0 ? undefined : (pattern, text) => known.get(pattern)?.get(text) ?? matchesPattern(pattern, text)
}

class LongMatcher {
  readonly known = new Map<string, Map<string, boolean>>()
  readonly #pace = new Pace()

  #match(pattern: string, text: string): void {
    const work = worstWork(pattern, text)
    if (work < LITTLE_WORK || work > MOST_WORK) return
    const texts = this.known.get(pattern) ?? new Map<string, boolean>()
    this.known.set(pattern, texts)
    if (texts.has(text)) return
    texts.set(text, matchesPattern(pattern, text))
    this.#pace.spend(work / WORK_PER_VALUE)
  }

  /** The texts with their patterns, including those in alternatives of a schema: each value is visited once for each of them. */
  *visit(schema: SchemaProps, value: unknown): Steps<void> {
    if (this.#pace.due()) yield
    if (typeof value === 'string' && schema.pattern) this.#match(schema.pattern, value)
    for (const alternative of alternativesOf(schema)) if (hasPatterns(alternative)) yield* this.visit(alternative, value)
    if (Array.isArray(value)) {
      const items = itemsOf(schema)
      if (items !== undefined && hasPatterns(items)) for (const item of value) yield* this.visit(items, item)
    } else if (isObject(value)) {
      for (const name in value) {
        const below = propertyOf(schema, name) ?? valuesOf(schema)
        if (below !== undefined && hasPatterns(below)) yield* this.visit(below, value[name])
      }
    }
  }
}

const NONE: readonly SchemaProps[] = []

function alternativesOf({ anyOf, oneOf, allOf, not }: SchemaProps): readonly SchemaProps[] {
  if (anyOf === undefined && oneOf === undefined && allOf === undefined && not === undefined) return NONE
  return [...(anyOf ?? NONE), ...(oneOf ?? NONE), ...(allOf ?? NONE), ...(not === undefined ? NONE : [not])]
}

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
