import type { Field, Schema, StructSchema } from '../../schema/schema.ts'
import { BOOL, BYTES, type CelType, DOUBLE, DURATION, DYN, INT, listOf, mapOf, type ObjectType, STRING, TIMESTAMP } from '../types.ts'
import { escapeFieldName } from './field-names.ts'

export interface CelTypeOptions {
  /** The name of the type in messages; inner types are named by their path from it. */
  readonly name?: string
  /** The value is a whole object: it has `apiVersion`, `kind` and `metadata` even if the schema does not list them. */
  readonly root?: boolean
}

/**
 * The CEL type of the values of a schema. Undefined if expressions cannot access the value (a schema without a type). Types of fields are
 * made lazily, so recursive types are possible.
 */
export function celTypeOf(schema: Schema, options: CelTypeOptions = {}): CelType | undefined {
  return typeAt(schema, options.name ?? 'object', options.root === true)
}

/** The scalar format of a structural schema (`date-time`), or of a built-in type. */
export function formatOf(schema: Schema): string {
  const format = schema.constraints?.format
  return typeof format === 'string' ? format : ''
}

function typeAt(schema: Schema, name: string, root: boolean): CelType | undefined {
  switch (schema.type) {
    case 'any':
      return schema.embedded === true ? objectType(EMPTY, name, true) : undefined
    case 'scalar':
      return scalarType(schema.scalar, formatOf(schema))
    case 'list': {
      const element = typeAt(schema.items, `${name}.@idx`, schemaIsEmbedded(schema.items))
      return element && listOf(element)
    }
    case 'map': {
      const value = typeAt(schema.values, `${name}.@elem`, schemaIsEmbedded(schema.values))
      return value && mapOf(STRING, value)
    }
    case 'struct':
      return objectType(schema, name, root || schema.embedded === true)
  }
}

export const schemaIsEmbedded = (s: Schema) => (s.type === 'struct' || s.type === 'any') && s.embedded === true
const EMPTY: StructSchema = { type: 'struct', fields: new Map(), required: [] }

function scalarType(scalar: string, format: string): CelType {
  switch (scalar) {
    case 'string':
      if (format === 'byte') return BYTES
      if (format === 'duration') return DURATION
      return format === 'date' || format === 'date-time' ? TIMESTAMP : STRING
    case 'bytes':
      return BYTES
    case 'bool':
      return BOOL
    case 'int32':
    case 'int64':
    case 'integer':
      return INT
    case 'float64':
    case 'number':
      return DOUBLE
    case 'time':
    case 'microtime':
      return TIMESTAMP
    case 'duration':
      return STRING
    default:
      return DYN
  }
}

function objectType(schema: StructSchema, name: string, root: boolean): ObjectType {
  const known = new Map<string, CelType | undefined>()
  let escaped: Map<string, readonly [string, Field]> | undefined
  const byEscapedName = () => {
    escaped ??= new Map(
      [...schema.fields].flatMap(([n, f]) => (escapeFieldName(n) === undefined ? [] : [[escapeFieldName(n) ?? '', [n, f]]])),
    )
    return escaped
  }
  return {
    kind: 'object',
    name,
    field(requested) {
      if (known.has(requested)) return known.get(requested)
      const found = byEscapedName().get(requested)
      const type =
        root && requested === 'metadata'
          ? metadataType(found?.[1].schema, `${name}.metadata`)
          : found && typeAt(found[1].schema, `${name}.${requested}`, schemaIsEmbedded(found[1].schema))
      const answer = type ?? (root && (requested === 'apiVersion' || requested === 'kind') ? STRING : undefined)
      known.set(requested, answer)
      return answer
    },
  }
}

/** In custom resources, expressions can access only the names in metadata, whatever the schema contains. */
function metadataType(schema: Schema | undefined, name: string): ObjectType {
  const own = schema?.type === 'struct' ? objectType(schema, name, false) : undefined
  const builtin = schema?.go !== undefined
  return {
    kind: 'object',
    name,
    field: (requested) => (builtin ? own?.field(requested) : requested === 'name' || requested === 'generateName' ? STRING : undefined),
  }
}
