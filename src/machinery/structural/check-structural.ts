import { equalJson } from '../equal.ts'
import { type FieldError, forbidden, invalid, required } from '../field-error.ts'
import { isEmbedded, isIntOrString, itemsOf, preserves, propertiesOf, propertyOf, type SchemaProps, valuesOf } from './schema-props.ts'

type Level = 'root' | 'item' | 'field'

/** What a schema must be to be structural: every field has one type, declared in one place. */
export function checkStructural(schema: SchemaProps, path: string): FieldError[] {
  return [...invariants(schema, 'root', path), ...completeness(schema, path)]
}

const EMPTY_AT: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
}

function invariants(s: SchemaProps, level: Level, path: string): FieldError[] {
  const faults: FieldError[] = []
  const at = (name: string) => `${path}.${name}`
  const items = itemsOf(s)
  const embedded = isEmbedded(s)
  const noItems = s.items === undefined || s.items === null || (Array.isArray(s.items) && s.items.length === 0)
  if (s.type === 'array' && noItems) faults.push(required(at('items'), 'must be specified'))
  if (items !== undefined) faults.push(...invariants(items, 'item', at('items')))
  for (const [name, property] of propertiesOf(s)) faults.push(...invariants(property, 'field', at(`properties[${name}]`)))
  const values = valuesOf(s)
  const additional = s.additionalProperties !== undefined && s.additionalProperties !== null
  if (additional && level === 'root') faults.push(forbidden(at('additionalProperties'), 'must not be used at the root'))
  if (values !== undefined) faults.push(...invariants(values, 'field', at('additionalProperties')))
  if (isIntOrString(s) && preserves(s))
    faults.push(invalid(at('x-kubernetes-preserve-unknown-fields'), true, 'must be false if x-kubernetes-int-or-string is true'))
  if (isIntOrString(s) && embedded)
    faults.push(invalid(at('x-kubernetes-embedded-resource'), true, 'must be false if x-kubernetes-int-or-string is true'))
  faults.push(...junctors(s, path, intOrStringAnyOf(s.anyOf), isIntOrString(s) && intOrStringAnyOf(s.allOf?.[0]?.anyOf)))
  if (embedded && s.type !== 'object') {
    const detail = 'must be object if x-kubernetes-embedded-resource is true'
    faults.push(s.type ? invalid(at('type'), s.type, detail) : required(at('type'), detail))
  } else if (!s.type && !isIntOrString(s) && !preserves(s)) {
    faults.push(required(at('type'), EMPTY_AT[level]))
  }
  if (embedded && additional)
    faults.push(forbidden(at('additionalProperties'), 'must not be used if x-kubernetes-embedded-resource is set'))
  if (level === 'root' && s.type && s.type !== 'object') faults.push(invalid(at('type'), s.type, 'must be object at the root'))
  if (level === 'root' || embedded) faults.push(...typeMetaFaults(s, at))
  if (level === 'root') faults.push(...rootMetadata(s, at))
  if (embedded && !preserves(s) && Object.keys(s.properties ?? {}).length === 0)
    faults.push(
      required(
        at('properties'),
        'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
      ),
    )
  return faults
}

type At = (name: string) => string

function typeMetaFaults(s: SchemaProps, at: At): FieldError[] {
  const faults: FieldError[] = []
  for (const [name, type] of [
    ['kind', 'string'],
    ['apiVersion', 'string'],
    ['metadata', 'object'],
  ] as const) {
    const property = propertyOf(s, name)
    if (property !== undefined && property.type !== type)
      faults.push(invalid(at(`properties[${name}].type`), property.type ?? '', `must be ${type}`))
  }
  return faults
}

/** Of the metadata of the object itself, only names may be restricted. */
function rootMetadata(s: SchemaProps, at: At): FieldError[] {
  const metadata = propertyOf(s, 'metadata')
  if (metadata === undefined) return []
  const { type: _type, default: _default, properties = {}, description: _d, ...rest } = metadata
  const foreign = Object.keys(properties).filter((name) => name !== 'name' && name !== 'generateName')
  const said = Object.entries(rest).filter(
    ([, value]) => value !== undefined && value !== false && !equalJson(value, []) && !equalJson(value, {}),
  )
  if (foreign.length === 0 && said.length === 0 && !metadata.description && !metadata.title) return []
  return [
    forbidden(
      at('properties[metadata]'),
      'must not specify anything other than name and generateName, but metadata is implicitly specified',
    ),
  ]
}

/** The one pattern by which types are allowed in `anyOf`: `[{type: integer}, {type: string}]`. */
function intOrStringAnyOf(anyOf: SchemaProps[] | undefined): boolean {
  return anyOf?.length === 2 && equalJson(anyOf[0], { type: 'integer' }) && equalJson(anyOf[1], { type: 'string' })
}

function junctors(s: SchemaProps, path: string, skipAnyOf: boolean, skipFirstAllOf: boolean): FieldError[] {
  const faults: FieldError[] = []
  const exempt = isIntOrString(s) && skipAnyOf
  if (!exempt) for (const [i, each] of (s.anyOf ?? []).entries()) faults.push(...nested(each, `${path}.anyOf[${i}]`, false))
  for (const [i, each] of (s.allOf ?? []).entries()) faults.push(...nested(each, `${path}.allOf[${i}]`, skipFirstAllOf && i === 0))
  for (const [i, each] of (s.oneOf ?? []).entries()) faults.push(...nested(each, `${path}.oneOf[${i}]`, false))
  if (s.not !== undefined && s.not !== null) faults.push(...nested(s.not, `${path}.not`, false))
  return faults
}

/** Inside of junctors, values are restricted and nothing is declared. */
function nested(s: SchemaProps, path: string, skipAnyOf: boolean): FieldError[] {
  const at = (name: string) => `${path}.${name}`
  const faults: FieldError[] = []
  if (!skipAnyOf) for (const [i, each] of (s.anyOf ?? []).entries()) faults.push(...nested(each, at(`anyOf[${i}]`), false))
  for (const [i, each] of (s.allOf ?? []).entries()) faults.push(...nested(each, at(`allOf[${i}]`), false))
  for (const [i, each] of (s.oneOf ?? []).entries()) faults.push(...nested(each, at(`oneOf[${i}]`), false))
  if (s.not !== undefined && s.not !== null) faults.push(...nested(s.not, at('not'), false))
  const items = itemsOf(s)
  if (items !== undefined) faults.push(...nested(items, at('items'), false))
  for (const [name, property] of propertiesOf(s)) faults.push(...nested(property, at(`properties[${name}]`), false))
  const must = (name: keyof SchemaProps, what: string, said: boolean) => {
    if (said) faults.push(forbidden(at(name), `must be ${what} to be structural`))
  }
  const some = (value: unknown) => value !== undefined && value !== null
  must('type', 'empty', !!s.type)
  must('additionalProperties', 'undefined', some(s.additionalProperties))
  must('default', 'undefined', some(s.default))
  must('title', 'empty', !!s.title)
  must('description', 'empty', !!s.description)
  must('nullable', 'false', s.nullable === true)
  must('x-kubernetes-preserve-unknown-fields', 'false', preserves(s))
  must('x-kubernetes-embedded-resource', 'false', isEmbedded(s))
  must('x-kubernetes-int-or-string', 'false', isIntOrString(s))
  must('x-kubernetes-list-map-keys', 'empty', (s['x-kubernetes-list-map-keys'] ?? []).length > 0)
  must('x-kubernetes-list-type', 'undefined', some(s['x-kubernetes-list-type']))
  must('x-kubernetes-map-type', 'undefined', some(s['x-kubernetes-map-type']))
  must('x-kubernetes-validations', 'empty', (s['x-kubernetes-validations'] ?? []).length > 0)
  if (propertyOf(s, 'metadata') !== undefined)
    faults.push(forbidden(at('properties[metadata]'), 'must not be specified in a nested context'))
  return faults
}

/** Every field that a junctor at the root restricts is declared outside of it. (Kubernetes looks at the root alone.) */
const completeness = (s: SchemaProps, path: string): FieldError[] => restricted(s, s, path, path)

function restricted(v: SchemaProps, s: SchemaProps, path: string, from: string): FieldError[] {
  const faults: FieldError[] = []
  for (const word of ['allOf', 'anyOf', 'oneOf'] as const)
    for (const [i, each] of (v[word] ?? []).entries()) faults.push(...declared(each, s, path, `${from}.${word}[${i}]`))
  if (v.not !== undefined && v.not !== null) faults.push(...declared(v.not, s, path, `${from}.not`))
  return faults
}

function declared(v: SchemaProps, s: SchemaProps | undefined, path: string, from: string): FieldError[] {
  if (s === undefined) return [required(path, `because it is defined in ${from}`)]
  const faults = restricted(v, s, path, from)
  const items = itemsOf(v)
  if (items !== undefined) faults.push(...declared(items, itemsOf(s), `${path}.items`, `${from}.items`))
  for (const [name, property] of propertiesOf(v))
    faults.push(...declared(property, propertyOf(s, name), `${path}.properties[${name}]`, `${from}.properties[${name}]`))
  return faults
}
