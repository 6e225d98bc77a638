import { getOwn } from './object.ts'

/** Deeper objects are rejected: all functions on objects recurse as deep. */
export const MOST_DEPTH = 1000

/** True if lists and maps are nested deeper than `limit`. */
export function isDeeper(value: unknown, limit: number): boolean {
  const todo: [value: object, depth: number][] = typeof value === 'object' && value !== null ? [[value, 1]] : []
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const [container, depth] = next
    if (depth > limit) return true
    for (const item of Object.values(container)) if (typeof item === 'object' && item !== null) todo.push([item, depth + 1])
  }
  return false
}

/** A light value: every operation on it is fast, some milliseconds for a whole write. */
const LIGHT_VALUES = 2000
const LIGHT_CHARACTERS = 128 * 1024
/** The cost of a value beside its characters. */
const CHARACTERS_PER_VALUE = Math.floor(LIGHT_CHARACTERS / LIGHT_VALUES)

/** Values that were found to be heavy: V8 lists all keys of a large map before it yields the first one, each time. */
const heavy = new WeakSet<object>()

/** True if a value is so large that each stage of a write should get its own turn of the event loop. Stops as soon as it is known. */
export function isHeavy(value: unknown): boolean {
  return typeof value === 'string' ? value.length > LIGHT_CHARACTERS : lightWeight(value) === undefined
}

/** The number of values of a light value (characters count, too); undefined for a heavy one, which must be processed in steps. */
export function lightWeight(value: unknown): number | undefined {
  if (typeof value !== 'object' || value === null) return typeof value === 'string' ? 1 + value.length / CHARACTERS_PER_VALUE : 1
  const rest = left(value, LIGHT_CHARACTERS)
  if (rest >= 0) return (LIGHT_CHARACTERS - rest) / CHARACTERS_PER_VALUE
  heavy.add(value)
  return undefined
}

/** The same for an update of a light object: parts that both share (fields, and those of the metadata) are not counted again. */
export function isHeavyBeside(value: { readonly metadata: object }, old: { readonly metadata: object }): boolean {
  return leftBeside(value.metadata, old.metadata, leftBeside(value, old, LIGHT_CHARACTERS, 'metadata')) < 0
}

function leftBeside(value: object, old: object, budget: number, except?: string): number {
  let rest = budget
  for (const [key, member] of Object.entries(value))
    if (key !== except && member !== getOwn(old, key)) rest = left(member, rest - CHARACTERS_PER_VALUE)
  return rest
}

function left(value: unknown, budget: number): number {
  if (typeof value === 'string') return budget - value.length
  if (typeof value !== 'object' || value === null) return budget
  if (heavy.has(value)) return -1
  let rest = budget - CHARACTERS_PER_VALUE
  if (Array.isArray(value)) {
    rest -= value.length * CHARACTERS_PER_VALUE
    for (let i = 0; i < value.length && rest >= 0; i++) rest = left(value[i], rest)
    return rest
  }
  for (const key in value) {
    rest = left((value as Record<string, unknown>)[key], rest - key.length - CHARACTERS_PER_VALUE)
    if (rest < 0) break
  }
  // What makes up most of a heavy value is looked at next, alone.
  if (rest < 0 && budget - rest > LIGHT_CHARACTERS / 2) heavy.add(value)
  return rest
}
