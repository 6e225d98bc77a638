import { byText } from '../../../base/by-text.ts'
import { Pace, type Steps, sortedInSteps } from '../../../base/steps.ts'
import { isObject, type Json, type JsonObject, setOwn } from '../../../machinery/object.ts'
import { sortedKeysInSteps } from '../../../machinery/sorted-keys.ts'

/**
 * Go's patch library decodes an object when it first looks into it, and writes it with sorted keys from then on; everything else keeps the
 * order that it was sent or stored in.
 */

/** A document patched by JSON patch: objects that a path of the patch led into are sorted. */
export function* openedOrder(after: Json, opened: WeakSet<object>, pace = new Pace()): Steps<Json> {
  if (pace.due()) yield
  if (after === null || typeof after !== 'object' || !opened.has(after)) return after
  if (!Array.isArray(after)) return yield* sortedBy(after, (_, member) => openedOrder(member, opened, pace))
  const items: Json[] = []
  for (const item of after) items.push(yield* openedOrder(item, opened, pace))
  return items
}

/** A document patched by merge patch: objects that were merged, and values that replaced anything but an object, are sorted. */
export function* mergedOrder(before: Json | undefined, patch: Json, after: Json, pace = new Pace()): Steps<Json> {
  if (pace.due()) yield
  if (!isObject(before)) return yield* sortedKeysInSteps(after, pace)
  if (!isObject(patch) || !isObject(after)) return after
  return yield* sortedBy(after, (name, member) => {
    const wanted = Object.hasOwn(patch, name) ? patch[name] : undefined
    return wanted === undefined ? undefined : mergedOrder(Object.hasOwn(before, name) ? before[name] : undefined, wanted, member, pace)
  })
}

/** An object with sorted members; `each` orders the value of one, or leaves it. */
function* sortedBy(object: JsonObject, each: (name: string, member: Json) => Steps<Json> | undefined): Steps<JsonObject> {
  const sorted: JsonObject = {}
  for (const name of yield* sortedInSteps(Object.keys(object), byText)) {
    const member = object[name] ?? null
    const steps = each(name, member)
    setOwn(sorted, name, steps === undefined ? member : yield* steps)
  }
  return sorted
}
