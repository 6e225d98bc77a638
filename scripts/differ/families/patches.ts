import type { Json, JsonObject } from '../../../src/machinery/object.ts'
import type { Place } from '../change-value.ts'
import { drawValue } from '../draw-value.ts'
import { isObject, memberSchema } from '../schema.ts'
import type { Subject } from '../subject.ts'

const escaped = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1')

const nameOf = ({ path }: Place) => path.findLast((name) => !/^\d+$/.test(name)) ?? ''

/** A new value for a place: often the one it has. */
function valueFor({ draw, source }: Subject, place: Place): Json {
  return draw.chance(0.4) ? place.value : drawValue(source, place.schema, nameOf(place), place.path.length)
}

/** One to three operations of RFC 6902. */
export function jsonPatch(subject: Subject, places: readonly Place[]): Json {
  const { draw } = subject
  const pointer = () => `/${(draw.pick(places)?.path ?? []).map(escaped).join('/')}`
  return draw.several(1, 3, (): Json => {
    const place = draw.pick(places)
    const path = `/${(place?.path ?? []).map(escaped).join('/')}`
    const op = draw.pick(['add', 'add', 'replace', 'replace', 'remove', 'test', 'copy', 'move'])
    if (op === 'copy' || op === 'move') return { op, from: pointer(), path }
    if (op === 'remove' || place === undefined) return { op, path }
    if (op === 'add' && Array.isArray(place.value))
      return {
        op,
        path: `${path}/-`,
        value: drawValue(subject.source, memberSchema(subject.source.schemas.resolve(place.schema).schema, '0'), nameOf(place), 3),
      }
    return { op, path, value: valueFor(subject, place) }
  })
}

/** The value of a place, within the members that lead to it; lists around it are written whole. */
export function mergePatch(subject: Subject, places: readonly Place[]): Json {
  const place = subject.draw.pick(places.filter(({ path }) => path.every((name) => !/^\d+$/.test(name))))
  if (place === undefined) return {}
  return nested(place.path, subject.draw.chance(0.25) ? null : valueFor(subject, place))
}

const nested = (path: readonly string[], value: Json): Json => path.reduceRight<Json>((inner, name) => ({ [name]: inner }), value)

/** A merge patch whose lists have some items, and directives. */
export function strategicPatch(subject: Subject, places: readonly Place[]): Json {
  const { draw } = subject
  const place = draw.pick(places.filter(({ path, value }) => typeof value === 'object' && path.every((name) => !/^\d+$/.test(name))))
  if (place === undefined) return {}
  const { path, value } = place
  if (Array.isArray(value)) return nested(path.slice(0, -1), listPatch(subject, path.at(-1) ?? '', value))
  return nested(path, isObject(value) ? objectPatch(subject, value) : value)
}

function objectPatch({ draw }: Subject, value: JsonObject): JsonObject {
  const entries = draw.some(Object.entries(value), 0.6)
  const changed: JsonObject = Object.fromEntries(entries.map(([name, member]) => [name, draw.chance(0.2) ? null : member]))
  if (draw.chance(0.2)) return { ...changed, $patch: draw.pick(['delete', 'replace', 'merge']) }
  if (draw.chance(0.2)) return { ...changed, $retainKeys: Object.keys(changed) }
  return changed
}

function listPatch(subject: Subject, name: string, items: readonly Json[]): JsonObject {
  const { draw } = subject
  const some = draw.some(items, 0.7).map((item) => (isObject(item) && draw.chance(0.5) ? objectPatch(subject, item) : item))
  if (draw.chance(0.15)) return { [name]: [...some, { $patch: 'replace' }] }
  if (draw.chance(0.15)) return { [`$deleteFromPrimitiveList/${name}`]: some }
  if (draw.chance(0.2)) return { [`$setElementOrder/${name}`]: items.toReversed(), [name]: some }
  return { [name]: some }
}
