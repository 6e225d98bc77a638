import type { Schema } from '../../schema/schema.ts'
import type { SizeLookup } from '../cost-estimate.ts'
import { formatOf } from './cel-type.ts'
import { unescapeFieldName } from './field-names.ts'

/** No request is longer, so no value is. */
const REQUEST_BYTES = 3 * 1024 * 1024

/** Least and greatest length of the JSON of strings with a format, quotes included. */
const FORMATS: Readonly<Record<string, readonly [min: number, max: number]>> = { duration: [3, 32], date: [12, 12], 'date-time': [21, 32] }

/** The possible sizes of the values of a schema: limited by the schema, or else by the largest request. All variables have this schema. */
export function sizesOf(schema: Schema): SizeLookup {
  return (path) => {
    let at: Schema | undefined = schema
    let key = false
    for (const step of path.slice(1)) {
      key = false
      if (at === undefined) return undefined
      if (step === '@items' || step === '@values') at = at.type === 'map' ? at.values : at.type === 'list' ? at.items : undefined
      else if (step === '@keys') {
        key = at.type === 'map'
        if (!key) return undefined
      } else at = at.type === 'struct' ? at.fields.get(unescapeFieldName(step))?.schema : undefined
    }
    if (at === undefined) return undefined
    return { min: 0, max: key ? 0 : largest(at) }
  }
}

/** The greatest number of values of this schema in one object. */
export const mostOccurrences = (schema: Schema): number => Math.floor(REQUEST_BYTES / (shortest(schema) + 1))

/** The most characters, elements or entries of a value. */
function largest(schema: Schema): number {
  switch (schema.type) {
    case 'list':
      return limit(schema, 'maxItems') ?? Math.floor((REQUEST_BYTES - 2) / (shortest(schema.items) + 1))
    case 'map':
      return limit(schema, 'maxProperties') ?? Math.floor((REQUEST_BYTES - 2) / (shortest(schema.values) + 6))
    case 'scalar':
      return schema.scalar === 'int-or-string' ? REQUEST_BYTES - 2 : isText(schema) ? longestText(schema) : 0
    default:
      return 0
  }
}

const isText = (schema: Schema & { type: 'scalar' }) =>
  ['string', 'bytes', 'time', 'microtime', 'duration', 'quantity'].includes(schema.scalar)

function longestText(schema: Schema & { type: 'scalar' }): number {
  const format = formatOf(schema)
  const byFormat = Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined
  if (byFormat !== undefined) return byFormat[1]
  const given = limit(schema, 'maxLength')
  // A limit counts characters, each of up to four bytes.
  if (given !== undefined) return format === 'byte' ? given : given * 4
  const values = schema.enum ?? schema.constraints?.enum
  if (format !== 'byte' && Array.isArray(values) && values.length > 0)
    return Math.max(0, ...values.map((v) => (typeof v === 'string' ? Buffer.byteLength(v) : 0)))
  return REQUEST_BYTES - 2
}

function limit(schema: Schema, keyword: string): number | undefined {
  const value = schema.constraints?.[keyword]
  return typeof value === 'number' || typeof value === 'bigint' ? Math.max(0, Number(value)) : undefined
}

const shortestKnown = new WeakMap<Schema, number>()

/** The least length of the JSON of a value. */
function shortest(schema: Schema): number {
  let known = shortestKnown.get(schema)
  if (known === undefined) {
    // A recursive type is reached again during its own computation.
    shortestKnown.set(schema, 2)
    known = measure(schema)
    shortestKnown.set(schema, known)
  }
  return known
}

function measure(schema: Schema): number {
  if (schema.type === 'struct') {
    let size = 2
    for (const name of schema.required) {
      const field = schema.fields.get(name)?.schema
      if (field !== undefined && field.default === undefined) size += name.length + shortest(field) + 4
    }
    return size
  }
  if (schema.type !== 'scalar') return 2
  if (schema.scalar === 'bool') return 4
  if (!isText(schema)) return 1
  const format = formatOf(schema)
  return (Object.hasOwn(FORMATS, format) ? FORMATS[format]?.[0] : undefined) ?? 2
}
