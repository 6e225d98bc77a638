import type { Json, JsonObject } from '../../src/machinery/object.ts'
import { compilePattern } from '../../src/machinery/structural/pattern.ts'
import { isEmbedded, isIntOrString, itemsOf, propertyOf, type SchemaProps, valuesOf } from '../../src/machinery/structural/schema-props.ts'

/** The way to a value inside an object: names of fields, and `[]` for the one item of a list. */
export type SamplePath = readonly string[]

/**
 * The smallest value that a schema (without its rules) takes, with everything on the way to `wanted`. Texts for patterns are guessed, so
 * that a value may still be refused.
 */
export function sampleOf(schema: SchemaProps, wanted: SamplePath = []): Json {
  const reported = chosen(schema)
  if (wanted.length === 0) {
    if (reported.enum?.length) return reported.enum.find((e) => e !== '') ?? reported.enum[0] ?? null
    if (reported.default !== undefined && reported.default !== null) return reported.default
  }
  if (isIntOrString(reported)) return Math.max(1, reported.minimum ?? 1)
  switch (reported.type) {
    case 'object':
      return sampleObject(reported, wanted)
    case 'array':
      return sampleList(reported, wanted)
    case 'string':
      return sampleText(reported)
    case 'integer':
    case 'number':
      return sampleNumber(reported)
    case 'boolean':
      return true
    default:
      return {}
  }
}

/** A schema with the first of its alternatives, and all that it must be besides, written into it. */
function chosen(schema: SchemaProps): SchemaProps {
  if (isIntOrString(schema)) return schema
  const { oneOf, anyOf, allOf, ...own } = schema
  const parts = [...(oneOf?.slice(0, 1) ?? []), ...(anyOf?.slice(0, 1) ?? []), ...(allOf ?? [])].map(chosen)
  return parts.reduce(merged, own)
}

function merged(a: SchemaProps, b: SchemaProps): SchemaProps {
  const properties = { ...a.properties }
  for (const [name, below] of Object.entries(b.properties ?? {})) {
    const known = propertyOf(a, name)
    properties[name] = known === undefined ? below : merged(known, below)
  }
  const { not: _, ...words } = b
  return {
    ...a,
    ...words,
    ...(Object.keys(properties).length > 0 && { properties }),
    required: [...new Set([...(a.required ?? []), ...(b.required ?? [])])],
  }
}

function sampleObject(schema: SchemaProps, wanted: SamplePath): JsonObject {
  const [next, ...rest] = wanted
  const made: JsonObject = isEmbedded(schema) ? { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'sample' } } : {}
  for (const name of new Set([...(schema.required ?? []), ...(next === undefined ? [] : [next])])) {
    const below = propertyOf(schema, name) ?? valuesOf(schema)
    if (below !== undefined && !Object.hasOwn(made, name)) made[name] = sampleOf(below, name === next ? rest : [])
  }
  const names = Object.keys(schema.properties ?? {}).filter((name) => !Object.hasOwn(made, name))
  for (let i = Object.keys(made).length; i < (schema.minProperties ?? 0); i++) {
    const name = names.shift() ?? `key${i}`
    const below = propertyOf(schema, name) ?? valuesOf(schema)
    made[name] = below === undefined ? 'value' : sampleOf(below)
  }
  return made
}

function sampleList(schema: SchemaProps, [next, ...rest]: SamplePath): Json[] {
  const items = itemsOf(schema)
  const count = Math.max(schema.minItems ?? 0, next === undefined ? 0 : 1)
  return items === undefined ? [] : Array.from({ length: count }, () => sampleOf(items, rest))
}

function sampleNumber({ minimum, exclusiveMinimum, maximum, multipleOf }: SchemaProps): number {
  const least = minimum === undefined ? Math.min(1, maximum ?? 1) : minimum + (exclusiveMinimum === true ? 1 : 0)
  return multipleOf === undefined ? least : Math.ceil(least / multipleOf) * multipleOf
}

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': '2026-01-02T03:04:05Z',
  date: '2026-01-02',
  duration: '5m',
  uri: 'https://example.com/',
  ipv4: '10.0.0.1',
  ipv6: 'fd00::1',
  cidr: '10.0.0.0/24',
  email: 'somebody@example.com',
  hostname: 'example.com',
  uuid: '123e4567-e89b-42d3-a456-426614174000',
  byte: 'AAAA',
}

/** Tried where a pattern or a length is asked for. */
const GUESSES = [
  'sample',
  'a',
  'v1',
  '1',
  '1.0',
  'v1.2.3',
  '10m',
  '1h',
  '5s',
  '10.0.0.1',
  '10.0.0.0/24',
  'fd00::1',
  'example.com',
  'example.com/name',
  'https://example.com',
  'https://example.com/a.git',
  'oci://example.com/a',
  '/path',
  './path',
  'ami-0123456789abcdef0',
  'sg-0123456789abcdef0',
  'subnet-0123456789abcdef0',
  'arn:aws:iam::123456789012:role/sample',
  'projects/a/locations/b',
  'Sample',
  'SAMPLE',
  '50%',
  'true',
  '0',
  'sample@v1',
  'a@sha256:0000000000000000000000000000000000000000000000000000000000000000',
  '123456789012345678901234567890123456',
  '2026-01-02T03:04:05Z',
  'aa:bb:cc:dd:ee:ff',
  '',
]

function sampleText(schema: SchemaProps): string {
  const { format = '', pattern, minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema
  const known = Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined
  const compiled = pattern === undefined ? undefined : compilePattern(pattern)
  const fits = (text: string) =>
    text.length >= minLength && text.length <= maxLength && (compiled === undefined || typeof compiled === 'string' || compiled.test(text))
  return [...(known === undefined ? [] : [known]), ...GUESSES, 'x'.repeat(minLength)].find(fits) ?? 'sample'
}

/** What is looked for in a schema. */
export type Searched = 'enum' | 'typed'

/** The shortest way to a text with listed values, or to a number or truth value, in the part of an object that its author writes. */
export function pathTo(searched: Searched, root: SchemaProps): SamplePath | undefined {
  let level: { readonly schema: SchemaProps; readonly path: SamplePath }[] = Object.entries(root.properties ?? {})
    .filter(([name]) => !['apiVersion', 'kind', 'metadata', 'status'].includes(name))
    .map(([name, schema]) => ({ schema, path: [name] }))
  while (level.length > 0) {
    const found = level.find(({ schema }) => isSearched(searched, schema))
    if (found !== undefined) return found.path
    level = level.flatMap(({ schema, path }) => {
      const items = itemsOf(schema)
      if (items !== undefined) return [{ schema: items, path: [...path, '[]'] }]
      return Object.entries(schema.properties ?? {}).map(([name, below]) => ({ schema: below, path: [...path, name] }))
    })
  }
  return undefined
}

function isSearched(searched: Searched, schema: SchemaProps): boolean {
  if (searched === 'enum') return schema.type === 'string' && (schema.enum?.length ?? 0) > 0
  return !isIntOrString(schema) && ['boolean', 'integer', 'number'].includes(schema.type ?? '')
}

/** Puts a value where a path leads, in place. */
export function putAt(object: Json, path: SamplePath, value: Json): void {
  let at = object as Record<string, Json>
  for (const step of path.slice(0, -1)) at = at[step === '[]' ? '0' : step] as Record<string, Json>
  const last = path.at(-1) ?? ''
  at[last === '[]' ? '0' : last] = value
}
