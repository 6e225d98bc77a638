import type { Json, JsonObject } from '../../src/machinery/object.ts'
import type { Draw } from './draw.ts'
import type { Schema, Schemas } from './schema.ts'
import { TYPED, type Vocabulary } from './vocabulary.ts'

/** What values are drawn with. */
export interface Source {
  readonly draw: Draw
  readonly schemas: Schemas
  readonly vocabulary: Vocabulary
}

/** Deeper objects have their required members only. */
const DEEPEST = 5

/** A value of a schema, for a member of this name: mostly valid. */
export function drawValue(source: Source, of: Schema, name: string, depth = 0): Json {
  const { draw, schemas, vocabulary } = source
  const { schema, type } = schemas.resolve(of)
  const typed = TYPED[schema['x-kubernetes-int-or-string'] === true ? 'IntOrString' : type]
  if (typed !== undefined) return draw.pick(typed) ?? null
  if (schema.enum !== undefined && draw.chance(0.9)) return draw.pick(schema.enum) ?? null
  const { items } = schema
  if (items !== undefined) return draw.several(depth > DEEPEST ? 0 : 1, 2, () => drawValue(source, items, name, depth + 1))
  if (schema.type === 'object' || schema.properties !== undefined) return drawObject(source, schema, depth)
  return vocabulary.plain(draw, name, schema.type ?? 'string')
}

function drawObject(source: Source, schema: Schema, depth: number): JsonObject {
  const { draw, vocabulary } = source
  const { properties = {}, required = [], additionalProperties } = schema
  if (typeof additionalProperties === 'object') {
    const keys = draw.several(1, 2, () => String(vocabulary.plain(draw, 'key', 'string')))
    return Object.fromEntries(keys.map((key) => [key, drawValue(source, additionalProperties, key, depth + 1)]))
  }
  const optional = depth > DEEPEST ? 0 : 1 / (1 + depth) / Math.max(1, Math.sqrt(Object.keys(properties).length))
  const names = Object.keys(properties).filter((name) => required.includes(name) || draw.chance(optional))
  return Object.fromEntries(names.map((name) => [name, drawValue(source, properties[name] ?? {}, name, depth + 1)]))
}
