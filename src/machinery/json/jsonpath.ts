import { isObject, type Json } from '../object.ts'
import { JsonPathError, type Path, type PathStep, parsePath } from './jsonpath-parser.ts'

export { JsonPathError } from './jsonpath-parser.ts'

/** A compiled path of Kubernetes' JSONPath, as printer columns use it. Missing keys are no errors. */
export interface JsonPath {
  /** All values of the path. @throws {JsonPathError} for an index beyond the end, or a list step on something else */
  find(root: Json): Json[]
  /** The first value; undefined if there is none, the path cannot be followed, or `visits` are used up. */
  first(root: Json, visits?: Visits): Json | undefined
}

/** Most values that one evaluation visits: more than any table shows. Bounds paths such as `..a..a..a`. */
const maxVisits = 100_000

/** Counts the visited values of one evaluation, or of several that share them. */
export class Visits {
  #left = maxVisits

  take(count: number): void {
    this.#left -= count
    if (this.#left < 0) throw new JsonPathError('too many results')
  }
}

/**
 * Compiles a path without its braces: `.status.conditions[?(@.type=="Ready")].status`.
 * @throws {JsonPathError} in Kubernetes' words
 */
export function compileJsonPath(text: string): JsonPath {
  const path = parsePath(text)
  return {
    find: (root) => follow([root], path, new Visits()),
    first(root, visits = new Visits()) {
      try {
        return follow([root], path, visits)[0]
      } catch (error) {
        if (error instanceof JsonPathError) return undefined
        throw error
      }
    },
  }
}

function follow(start: readonly Json[], path: Path, visits: Visits): Json[] {
  let values: Json[] = [...start]
  for (const step of path) values = take(values, step, visits)
  return values
}

function take(values: readonly Json[], step: PathStep, visits: Visits): Json[] {
  visits.take(values.length)
  switch (step.kind) {
    case 'field':
      return values.flatMap((value) => fieldOf(value, step.name))
    case 'wildcard':
      return gather(values, visits, children)
    case 'recursive':
      return gather(values, visits, (value) => descend(value, visits))
    case 'slice':
      return gather(values, visits, (value) => slice(value, step.from, step.to))
    case 'union':
      return step.paths.flatMap((path) => follow(values, path, visits))
    case 'filter':
      return values.flatMap((value) => filter(value, step, visits))
    case 'value':
      return values.length === 0 ? [] : [step.value]
    default:
      throw new JsonPathError(`unrecognized identifier ${step.name}`)
  }
}

/** The results of `each` for all values, in order; counts visits before the list grows. */
function gather(values: readonly Json[], visits: Visits, each: (value: Json) => readonly Json[]): Json[] {
  const gathered: Json[] = []
  for (const value of values) {
    const found = each(value)
    visits.take(found.length)
    for (const item of found) gathered.push(item)
  }
  return gathered
}

function fieldOf(value: Json, name: string): Json[] {
  if (!isObject(value) || !Object.hasOwn(value, name)) return []
  const found = value[name]
  return found === undefined ? [] : [found]
}

function children(value: Json): Json[] {
  if (Array.isArray(value)) return value
  return isObject(value) ? Object.values(value).filter((item) => item !== undefined) : []
}

/** All non-empty lists and objects from here down. */
function descend(value: Json, visits: Visits, found: Json[] = []): Json[] {
  const below = children(value)
  if (below.length === 0) return found
  visits.take(below.length)
  found.push(value)
  for (const item of below) if (typeof item === 'object') descend(item, visits, found)
  return found
}

function slice(value: Json, from: number | undefined, to: number | undefined): Json[] {
  if (value === null) return []
  if (!Array.isArray(value)) throw new JsonPathError(`${typeof value} is not array or slice`)
  const length = value.length
  const start = from === undefined ? 0 : from < 0 ? from + length : from
  const end = to === undefined ? length : to < 0 ? to + length : to
  if (end !== start && start >= length) throw new JsonPathError(`array index out of bounds: index ${start}, length ${length}`)
  if (end !== start && end > length) throw new JsonPathError(`array index out of bounds: index ${end - 1}, length ${length}`)
  if (start < 0 || end < start) throw new JsonPathError(`array index out of bounds: index ${start}, length ${length}`)
  return value.slice(start, end)
}

function filter(value: Json, { left, operator, right }: Extract<PathStep, { kind: 'filter' }>, visits: Visits): Json[] {
  if (!Array.isArray(value)) throw new JsonPathError('value is not array or slice and cannot be filtered')
  return value.filter((item) => {
    const lefts = follow([item], left, visits)
    if (operator === 'exists') return lefts.length > 0
    const rights = follow([item], right, visits)
    if (lefts.length === 0) return false
    if (lefts.length !== 1 || rights.length !== 1) throw new JsonPathError('can only compare one element at a time')
    return compare(lefts[0] ?? null, operator, rights[0] ?? null)
  })
}

function compare(a: Json, operator: string, b: Json): boolean {
  const comparable = typeof a === typeof b && (typeof a === 'string' || typeof a === 'number' || typeof a === 'boolean')
  if (!comparable || a === null || b === null) throw new JsonPathError('incompatible types for comparison')
  switch (operator) {
    case '==':
      return a === b
    case '!=':
      return a !== b
    case '<':
      return a < b
    case '<=':
      return a <= b
    case '>':
      return a > b
    case '>=':
      return a >= b
    default:
      throw new JsonPathError(`unrecognized filter operator ${operator}`)
  }
}
