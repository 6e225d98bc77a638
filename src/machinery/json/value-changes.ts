import { equalJson } from '../equal.ts'
import { isObject } from '../object.ts'
import { encodeJson } from './strict-json.ts'

/** A value that differs between two states of an object, for people: values as JSON, cut. */
export interface ValueChange {
  /** `spec.containers[main].image`; list items are named by their `name` where each has one, else by their index. */
  readonly path: string
  /** Absent: it was not there. */
  readonly from?: string
  /** Absent: it is no longer there. */
  readonly to?: string
}

/** At most so many changes, with values of at most so many characters. */
export interface ChangeLimits {
  readonly most: number
  readonly mostText: number
}

/** The values that differ; those beyond the limit are counted. A part that is there in one state alone is one change. */
export function valueChanges(before: unknown, after: unknown, limits: ChangeLimits): { changes: ValueChange[]; unlisted: number } {
  const changes: ValueChange[] = []
  let unlisted = 0
  const note = (path: string, from: unknown, to: unknown) => {
    if (changes.length >= limits.most) unlisted++
    else changes.push({ path, ...(from !== undefined && { from: text(from, limits) }), ...(to !== undefined && { to: text(to, limits) }) })
  }
  compare('', before, after, note)
  return { changes, unlisted }
}

function compare(path: string, before: unknown, after: unknown, note: (path: string, from: unknown, to: unknown) => void): void {
  if (before === undefined || after === undefined) {
    if (before !== after) note(path, before, after)
    return
  }
  const pair = membersOf(before, after)
  if (pair === undefined) {
    if (!equalJson(before, after)) note(path, before, after)
    return
  }
  const [old, present, isList] = pair
  for (const [key, value] of old) compare(memberPath(path, key, isList), value, present.get(key), note)
  for (const [key, value] of present) if (!old.has(key)) compare(memberPath(path, key, isList), undefined, value, note)
}

type Members = ReadonlyMap<string, unknown>

/** The members of two objects or of two lists by name; undefined for values that are compared as a whole. */
function membersOf(before: unknown, after: unknown): readonly [Members, Members, isList: boolean] | undefined {
  if (isObject(before) && isObject(after)) return [new Map(Object.entries(before)), new Map(Object.entries(after)), false]
  if (!Array.isArray(before) || !Array.isArray(after)) return undefined
  const [old, present] = [itemsByName(before), itemsByName(after)]
  return old !== undefined && present !== undefined ? [old, present, true] : [byIndex(before), byIndex(after), true]
}

/** By what items of a list are called in paths. */
export const itemKeys = (items: readonly unknown[]): readonly string[] => [...(itemsByName(items) ?? byIndex(items)).keys()]

/** The items of a list by name; undefined unless each has a name of its own. */
export function itemsByName(items: readonly unknown[]): Members | undefined {
  const named = new Map<string, unknown>()
  for (const item of items) {
    if (!isObject(item) || typeof item.name !== 'string' || named.has(item.name)) return undefined
    named.set(item.name, item)
  }
  return named
}

const byIndex = (items: readonly unknown[]): Members => new Map(items.map((item, i) => [String(i), item]))

/** The path of a member. A key that is no plain word is quoted: `metadata.labels["a.b/c"]`. */
export function memberPath(path: string, key: string, isList: boolean): string {
  if (isList) return `${path}[${key}]`
  if (!/^[\w-]+$/.test(key)) return `${path}[${JSON.stringify(key)}]`
  return path === '' ? key : `${path}.${key}`
}

function text(value: unknown, { mostText }: ChangeLimits): string {
  const json = encodeJson(value)
  return json.length > mostText ? `${json.slice(0, mostText)}… (${json.length} characters)` : json
}
