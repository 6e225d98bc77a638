import { isDeepStrictEqual } from 'node:util'
import { isObject } from '../../../machinery/object.ts'

/**
 * The merge patch that turns what was applied before into what is applied now, as `kubectl apply` computes it; undefined: no merge patch
 * can, since null means something in it.
 */
export function applyPatch(before: unknown, now: unknown): Record<string, unknown> | undefined {
  return JSON.stringify(now).includes(':null') ? undefined : patchOf(asObject(before), asObject(now))
}

const asObject = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? value : {})

function patchOf(before: Readonly<Record<string, unknown>>, now: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const gone = Object.keys(before).filter((name) => now[name] === undefined)
  const changed = Object.entries(now).filter(([name, value]) => !isDeepStrictEqual(before[name], value))
  return {
    ...Object.fromEntries(gone.map((name) => [name, null])),
    ...Object.fromEntries(
      changed.map(([name, value]) => [name, isObject(value) && isObject(before[name]) ? patchOf(before[name], value) : value]),
    ),
  }
}
