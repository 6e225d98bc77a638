import { isObject, type Json, type JsonObject } from '../../src/machinery/object.ts'
import type { Draw } from './draw.ts'

/** Types below this depth are scalars. */
const DEEPEST = 3
const NAMES = ['a', 'b', 'c', 'd']

/** A structural schema of a custom resource's object, with `spec` and sometimes `status`. */
export function drawRootSchema(draw: Draw): JsonObject {
  const open = draw.chance(0.1) ? { 'x-kubernetes-preserve-unknown-fields': true } : {}
  const status = draw.chance(0.3) ? { status: objectSchema(draw, 2) } : {}
  return { type: 'object', ...open, properties: { spec: objectSchema(draw, 0), ...status } }
}

/** The schema with one property somewhere redrawn or removed. */
export function changeSchema(draw: Draw, schema: JsonObject, depth = 0): JsonObject {
  const { properties } = schema
  const name = isObject(properties) ? draw.pick(Object.keys(properties)) : undefined
  if (!isObject(properties) || name === undefined || (depth > 1 && draw.chance(0.4))) return drawSchema(draw, depth)
  const { [name]: changed, ...others } = properties
  if (depth > 0 && draw.chance(0.15)) return { ...schema, properties: others }
  return { ...schema, properties: { ...others, [name]: changeSchema(draw, isObject(changed) ? changed : {}, depth + 1) } }
}

function drawSchema(draw: Draw, depth: number): JsonObject {
  const plain = [text, text, integer, number, truth]
  const make = draw.pick(depth > DEEPEST ? plain : [...plain, intOrString, anything, embedded, objectSchema, objectSchema, map, list, list])
  const schema = (make ?? text)(draw, depth)
  return draw.chance(0.1) ? { ...schema, nullable: true } : schema
}

const text = (draw: Draw): JsonObject => ({
  type: 'string',
  ...draw.pick<JsonObject>([
    {},
    {},
    { maxLength: 3 },
    { minLength: 1 },
    { pattern: '^[a-z]*$' },
    { enum: ['a', 'b', ''] },
    { format: draw.pick(['date-time', 'byte', 'date', 'uuid', 'ipv4', 'duration', 'password']) },
    { 'x-kubernetes-validations': [{ rule: "self != 'b'" }] },
  ]),
  ...(draw.chance(0.15) && { default: 'a' }),
})

const integer = (draw: Draw): JsonObject => ({
  type: 'integer',
  ...draw.pick<JsonObject>([{}, {}, { minimum: 1 }, { maximum: 80, exclusiveMaximum: true }, { multipleOf: 2 }, { format: 'int32' }]),
  ...(draw.chance(0.15) && { default: 2 }),
})

const number = (draw: Draw): JsonObject => ({ type: 'number', ...draw.pick<JsonObject>([{}, { minimum: 0.5 }, { multipleOf: 0.5 }]) })
const truth = (draw: Draw): JsonObject => ({ type: 'boolean', ...(draw.chance(0.2) && { default: true }) })
const intOrString = (): JsonObject => ({ 'x-kubernetes-int-or-string': true })
const anything = (): JsonObject => ({ 'x-kubernetes-preserve-unknown-fields': true })

const embedded = (draw: Draw): JsonObject => ({
  type: 'object',
  'x-kubernetes-embedded-resource': true,
  ...(draw.chance(0.5) ? { 'x-kubernetes-preserve-unknown-fields': true } : { properties: { spec: { type: 'object' } } }),
})

function objectSchema(draw: Draw, depth: number): JsonObject {
  const names = draw.some(NAMES, depth === 0 ? 0.8 : 0.4)
  const properties = Object.fromEntries(names.map((name) => [name, drawSchema(draw, depth + 1)]))
  const required = draw.chance(0.2) ? names.slice(0, 1) : []
  return {
    type: 'object',
    ...(names.length > 0 && { properties }),
    ...(required.length > 0 && { required }),
    ...(draw.chance(0.15) && { 'x-kubernetes-preserve-unknown-fields': true }),
    ...(draw.chance(0.1) && { 'x-kubernetes-map-type': draw.pick(['atomic', 'granular']) }),
    ...(required.length === 0 && draw.chance(0.1) && { default: {} }),
    ...(draw.chance(0.1) && { maxProperties: 2 }),
  }
}

const map = (draw: Draw, depth: number): JsonObject => ({
  type: 'object',
  additionalProperties: draw.chance(0.1) ? true : drawSchema(draw, depth + 1),
  ...(draw.chance(0.1) && { 'x-kubernetes-map-type': 'atomic' }),
})

function list(draw: Draw, depth: number): JsonObject {
  const size = draw.pick<JsonObject>([{}, {}, { maxItems: 2 }, { minItems: 1 }])
  if (draw.chance(0.3))
    return { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: draw.pick(['string', 'integer']) }, ...size }
  if (draw.chance(0.5)) return { type: 'array', items: drawSchema(draw, depth + 1), ...size }
  const items = objectSchema(draw, depth + 1)
  const properties: JsonObject = { ...(items.properties as JsonObject | undefined), k: { type: 'string' } }
  const port: Readonly<Record<string, Json>> = draw.chance(0.3) ? { p: { type: 'integer', default: 80 } } : {}
  const { default: _, ...rest } = items
  return {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['k', ...Object.keys(port)],
    items: { ...rest, properties: { ...properties, ...port }, required: ['k'] },
    ...size,
  }
}
