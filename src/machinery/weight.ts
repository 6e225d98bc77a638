import { getOwn } from './object.ts'

/** Objects that are nested deeper than this are not taken: whatever works on an object recurses as deep. */
export const MOST_DEPTH = 1000

/** Whether lists and maps are nested in each other deeper than `limit`. */
export function isDeeper(value: unknown, limit: number): boolean {
  const todo: [value: object, depth: number][] = typeof value === 'object' && value !== null ? [[value, 1]] : []
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const [container, depth] = next
    if (depth > limit) return true
    for (const item of Object.values(container)) if (typeof item === 'object' && item !== null) todo.push([item, depth + 1])
  }
  return false
}

/** Values and characters that are done with quickly, whatever is done with them: some milliseconds for a whole write. */
const LIGHT_VALUES = 2000
const LIGHT_CHARACTERS = 128 * 1024
/** What a value costs beside its characters. */
const CHARACTERS_PER_VALUE = Math.floor(LIGHT_CHARACTERS / LIGHT_VALUES)

/**
 * Whether a value is so large that each stage of working on it should have a turn of the event loop to itself. Looks no further than it
 * needs: a light value is looked at whole, which is quick because it is light.
 */
export function isHeavy(value: unknown): boolean {
  return left(value, LIGHT_CHARACTERS) < 0
}

/** How many values a light value has (characters count too); undefined of a heavy one, which is to be worked on in steps. */
export function lightWeight(value: unknown): number | undefined {
  if (typeof value !== 'object' || value === null) return typeof value === 'string' ? 1 + value.length / CHARACTERS_PER_VALUE : 1
  const rest = left(value, LIGHT_CHARACTERS)
  return rest < 0 ? undefined : (LIGHT_CHARACTERS - rest) / CHARACTERS_PER_VALUE
}

/**
 * The same of an update whose old state is light: what it has in common with that (fields, and those of its metadata) is not looked at
 * again.
 */
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
  return rest
}
