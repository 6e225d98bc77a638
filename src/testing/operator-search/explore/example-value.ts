import { isObject } from '../../../machinery/object.ts'
import { matchesPattern } from '../../../machinery/structural/pattern.ts'
import type { JSONSchemaProps } from '../../../resources/types/apiextensions.ts'

/** Texts of common forms; the first that a schema accepts is taken. */
const TEXTS = ['x', 'xxxxxxxx', '1', '10m', '1Gi', '1h', 'a.b', 'v1.0.0', 'https://example.com', 'x/y', 'x:1', '10.0.0.1', '50%', 'X']
const FORMATS: Readonly<Record<string, string>> = {
  'date-time': '2026-01-01T00:00:00Z',
  date: '2026-01-01',
  duration: '1h',
  ipv4: '10.0.0.1',
  ipv6: '::1',
  cidr: '10.0.0.0/8',
  uri: 'https://example.com',
  email: 'a@example.com',
  uuid: '00000000-0000-4000-8000-000000000000',
  byte: 'eA==',
}
/** A schema that requires more levels is not followed. */
const DEEPEST = 10

/** The smallest value that a schema accepts, as far as that can be seen from it; undefined: none is known. */
export function exampleValue(schema: JSONSchemaProps, depth = 0): unknown {
  if (depth > DEEPEST) return undefined
  if (schema.default !== undefined) return schema.default
  if (schema.enum !== undefined) return schema.enum[0]
  if (schema['x-kubernetes-int-or-string'] === true) return schema.pattern === undefined ? 1 : exampleText(schema)
  switch (schema.type) {
    case 'boolean':
      return true
    case 'integer':
    case 'number':
      return exampleNumber(schema)
    case 'string':
      return exampleText(schema)
    case 'array':
      return exampleItems(schema, depth)
    case 'object':
      return exampleObject(schema, depth)
    default:
      return undefined
  }
}

/** Whether a text fits what its schema says of it. */
export function fitsText({ pattern, minLength = 0, maxLength = Number.POSITIVE_INFINITY }: JSONSchemaProps, text: string): boolean {
  return text.length >= minLength && text.length <= maxLength && (pattern === undefined || matchesPattern(pattern, text))
}

function exampleText(schema: JSONSchemaProps): string | undefined {
  const known = schema.format === undefined ? undefined : FORMATS[schema.format]
  return known ?? TEXTS.find((text) => fitsText(schema, text))
}

function exampleNumber({ minimum, maximum, exclusiveMinimum, multipleOf = 1 }: JSONSchemaProps): number {
  const least = (minimum ?? Math.min(1, maximum ?? 1)) + (exclusiveMinimum === true ? 1 : 0)
  return Math.ceil(least / multipleOf) * multipleOf
}

function exampleItems({ items, minItems = 1 }: JSONSchemaProps, depth: number): unknown {
  const item = isObject(items) ? exampleValue(items as JSONSchemaProps, depth + 1) : undefined
  return item === undefined ? undefined : Array.from({ length: Math.max(1, minItems) }, () => item)
}

function exampleObject({ properties = {}, required = [], additionalProperties }: JSONSchemaProps, depth: number): unknown {
  const fields = required.map((name) => [name, exampleValue(properties[name] ?? {}, depth + 1)] as const)
  if (fields.some(([, value]) => value === undefined)) return undefined
  if (fields.length > 0 || Object.keys(properties).length > 0) return Object.fromEntries(fields)
  const entry = isObject(additionalProperties) ? exampleValue(additionalProperties as JSONSchemaProps, depth + 1) : undefined
  return entry === undefined ? {} : { x: entry }
}
