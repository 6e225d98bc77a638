import type { Json, JsonObject } from '../../src/machinery/object.ts'
import { drawValue, type Source } from './draw-value.ts'
import { isObject, memberSchema, membersOf, type Schema } from './schema.ts'

/** A place in a value: the path of names and indexes, what is there, and its schema. */
export interface Place {
  readonly path: readonly string[]
  readonly value: Json
  readonly schema: Schema
}

/** Every place in a value but the root and what names the object: `apiVersion`, `kind`, `metadata.name`. */
export function placesOf({ schemas }: Source, root: Json, of: Schema): Place[] {
  const places: Place[] = []
  const visit = (value: Json, schema: Schema, path: readonly string[]) => {
    if (path.length > 0 && !/^(apiVersion|kind|metadata\/name)$/.test(path.join('/'))) places.push({ path, value, schema })
    for (const [name, member] of membersOf(value)) visit(member, memberSchema(schemas.resolve(schema).schema, name), [...path, name])
  }
  visit(root, of, [])
  return places
}

/** A copy with another value at a path; undefined removes what is there. */
export function replaceAt(root: Json, path: readonly string[], value: Json | undefined): Json {
  const [name, ...rest] = path
  if (name === undefined) return value ?? null
  if (Array.isArray(root)) {
    if (rest.length === 0 && value === undefined) return root.toSpliced(Number(name), 1)
    return root.with(Number(name), replaceAt(root[Number(name)] ?? null, rest, value))
  }
  const { [name]: member, ...others } = isObject(root) ? root : {}
  if (rest.length === 0 && value === undefined) return others
  return { ...others, [name]: replaceAt(member ?? null, rest, value) }
}

/** A copy of a value with one change somewhere: a member added, removed, of another value or of another type, a list in another order. */
export function changeValue(source: Source, root: Json, of: Schema): Json {
  const place = source.draw.pick(placesOf(source, root, of))
  return place === undefined ? root : replaceAt(root, place.path, changed(source, place))
}

const OTHER_TYPES: readonly [Json, ...Json[]] = [null, 'text', '', 5, true, [], {}, ['a'], { a: 'b' }]

function changed(source: Source, place: Place): Json | undefined {
  const { draw } = source
  const { value, path } = place
  if (draw.chance(0.12)) return undefined
  if (draw.chance(0.06)) return draw.pick(OTHER_TYPES)
  if (isObject(value) && draw.chance(0.8)) return withMember(source, value, place.schema)
  if (Array.isArray(value) && draw.chance(0.6)) return draw.pick([[...value, ...value.slice(0, 1)], value.toReversed(), value.slice(1)])
  return drawValue(source, place.schema, path.findLast((name) => !/^\d+$/.test(name)) ?? '', path.length)
}

function withMember(source: Source, value: JsonObject, of: Schema): JsonObject {
  const { draw, schemas } = source
  if (draw.chance(0.03)) return { ...value, unknown: 'a' }
  const { properties = {}, additionalProperties } = schemas.resolve(of).schema
  if (typeof additionalProperties === 'object') {
    const key = String(source.vocabulary.plain(draw, 'key', 'string'))
    return { ...value, [key]: drawValue(source, additionalProperties, key, 2) }
  }
  const missing = Object.keys(properties).filter((name) => !(name in value) && name !== 'status')
  const name = draw.pick(missing)
  return name === undefined ? value : { ...value, [name]: drawValue(source, properties[name] ?? {}, name, 2) }
}
