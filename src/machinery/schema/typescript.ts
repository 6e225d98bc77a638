import type { Json } from '../object.ts'
import type { ScalarSchema, Schema, StructSchema } from './schema.ts'

export interface TypescriptOptions {
  readonly apiVersion: string
  readonly kind: string
}

/**
 * TypeScript declarations for the objects of a custom resource: one interface a kind, and one for each struct in it, named after the path.
 * What the schema leaves open is `unknown`. The text needs nothing but the `ObjectMeta` that it declares itself to import.
 */
export function typescriptTypes(schema: Schema, { apiVersion, kind }: TypescriptOptions): string {
  const writer = new Writer()
  const fields = schema.type === 'struct' ? [...schema.fields].filter(([name]) => !OBJECT_FIELDS.has(name)) : []
  const required = new Set(schema.type === 'struct' ? schema.required : [])
  writer.reserve(kind)
  const members = [
    `  apiVersion: ${literal(apiVersion)}`,
    `  kind: ${literal(kind)}`,
    '  metadata: ObjectMeta',
    ...fields.map(([name, field]) =>
      member(name, writer.type(field.schema, `${kind}${pascal(name)}`), required.has(name), describe(field.schema, field.description)),
    ),
    ...(schema.type === 'struct' && schema.preserveUnknown === true ? ['  [field: string]: unknown'] : []),
  ]
  const head = `${comment(schema.description, '')}export interface ${kind} {\n${members.join('\n')}\n}\n`
  return [`import type { ObjectMeta } from 'bowsprit'\n`, head, ...writer.declarations].join('\n')
}

const OBJECT_FIELDS = new Set(['apiVersion', 'kind', 'metadata'])

/** Collects the interfaces of structs, each under a name of its own. */
class Writer {
  readonly declarations: string[] = []
  readonly #names = new Set<string>(['ObjectMeta'])

  /** A name that is not taken: `X`, `X2`, `X3`. */
  reserve(wanted: string): string {
    let name = wanted
    for (let i = 2; this.#names.has(name); i++) name = `${wanted}${i}`
    this.#names.add(name)
    return name
  }

  type(schema: Schema, path: string): string {
    const type = this.#plain(schema, path)
    return schema.nullable === true ? `${type} | null` : type
  }

  #plain(schema: Schema, path: string): string {
    switch (schema.type) {
      case 'struct':
        return schema.fields.size === 0 ? 'Record<string, unknown>' : this.#struct(schema, path)
      case 'map':
        return `Record<string, ${this.type(schema.values, `${path}Value`)}>`
      case 'list': {
        const item = this.type(schema.items, singular(path))
        return /[ |]/.test(item) ? `(${item})[]` : `${item}[]`
      }
      case 'scalar':
        return scalar(schema)
      case 'any':
        return 'unknown'
    }
  }

  #struct(schema: StructSchema, path: string): string {
    const name = this.reserve(path)
    const at = this.declarations.push('') - 1
    const required = new Set(schema.required)
    const members = [...schema.fields].map(([field, { schema: type, description }]) =>
      member(field, this.type(type, `${name}${pascal(field)}`), required.has(field), describe(type, description)),
    )
    if (schema.preserveUnknown === true) members.push('  [field: string]: unknown')
    this.declarations[at] = `${comment(schema.description, '')}export interface ${name} {\n${members.join('\n')}\n}\n`
    return name
  }
}

function scalar(schema: ScalarSchema): string {
  if (schema.enum !== undefined && schema.enum.length > 0) return schema.enum.map(literal).join(' | ')
  switch (schema.scalar) {
    case 'bool':
      return 'boolean'
    case 'int32':
    case 'int64':
    case 'integer':
    case 'float64':
    case 'number':
      return 'number'
    case 'int-or-string':
    case 'quantity':
      return 'number | string'
    default:
      return 'string'
  }
}

const describe = (schema: Schema, description: string | undefined) => description ?? schema.description

function member(name: string, type: string, required: boolean, description: string | undefined): string {
  const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name)
  return `${comment(description, '  ')}  ${key}${required ? '' : '?'}: ${type}`
}

function comment(text: string | undefined, indent: string): string {
  if (text === undefined || text.trim() === '') return ''
  const lines = text.replaceAll('*/', '*\\/').trim().split('\n')
  return lines.length === 1
    ? `${indent}/** ${lines[0]} */\n`
    : `${indent}/**\n${lines.map((l) => `${indent} * ${l}`.trimEnd()).join('\n')}\n${indent} */\n`
}

/** A literal in single quotes, as this house writes them. */
const literal = (value: Json): string =>
  typeof value === 'string'
    ? `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
    : String(JSON.stringify(value))

const pascal = (name: string) =>
  name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => `${word[0]?.toUpperCase() ?? ''}${word.slice(1)}`)
    .join('')
const singular = (path: string) => (/[^s]s$/.test(path) ? path.slice(0, -1) : `${path}Item`)
