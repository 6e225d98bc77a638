import { Pace, type Steps } from '../../base/steps.ts'
import { type FieldError, forbidden, invalid, MAX_FAULTS, notSupportedText, required } from '../field-error.ts'
import { givenEmpty } from '../schema/given-empty.ts'
import { isEmbedded, itemsOf, propertiesOf, type SchemaProps, valuesOf } from './schema-props.ts'

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string']
const OF_EVERY_OBJECT = new Set(['metadata', 'kind', 'apiVersion'])

interface LevelContext {
  /** This is the schema of the whole object. */
  readonly root: boolean
  readonly insideMeta: boolean
  /** Why defaults are not allowed here. */
  readonly noDefaults: string
}

/**
 * Faults of a schema in a CustomResourceDefinition, in steps. `unsound`: the levels with a fault at or below them. Both end with the last
 * reported fault.
 */
export function* checkSchema(
  schema: SchemaProps,
  path: string,
): Steps<{ readonly faults: FieldError[]; readonly unsound: ReadonlySet<SchemaProps> }> {
  const found: Found = { faults: [], unsound: new Set(), pace: new Pace() }
  yield* visit(schema, path, { root: true, insideMeta: false, noDefaults: '' }, found)
  return found
}

interface Found {
  readonly faults: FieldError[]
  readonly unsound: Set<SchemaProps>
  readonly pace: Pace
}

/** What one level costs, in microseconds. */
const WORK_OF_LEVEL = 2

function* visit(s: SchemaProps, path: string, context: LevelContext, found: Found): Steps<void> {
  if (found.faults.length >= MAX_FAULTS) return
  if (found.pace.due(WORK_OF_LEVEL)) yield
  const before = found.faults.length
  found.faults.push(...own(s, path, context))
  for (const [schema, at, inner] of levelsBelow(s, context)) yield* visit(schema, `${path}.${at}`, inner, found)
  if (found.faults.length > before) found.unsound.add(s)
}

function* levelsBelow(
  s: SchemaProps,
  { root, ...rest }: LevelContext,
): Generator<readonly [schema: SchemaProps, at: string, inner: LevelContext]> {
  const inner = { ...rest, root: false }
  const values = valuesOf(s)
  if (values !== undefined) yield [values, 'additionalProperties', inner]
  for (const [name, property] of propertiesOf(s)) {
    const meta = (root || isEmbedded(s)) && OF_EVERY_OBJECT.has(name)
    const noDefaults = root ? `in top-level ${name}` : inner.noDefaults
    yield [property, `properties[${name}]`, meta ? { root: false, insideMeta: true, noDefaults } : inner]
  }
  if (s.not !== undefined && s.not !== null) yield [s.not, 'not', inner]
  for (const word of ['allOf', 'oneOf', 'anyOf'] as const)
    for (const [i, each] of (s[word] ?? []).entries()) yield [each, `${word}[${i}]`, inner]
  for (const [name, each] of Object.entries(s.definitions ?? {})) yield [each, `definitions[${name}]`, inner]
  const items = itemsOf(s)
  if (items !== undefined) yield [items, 'items', inner]
  if (Array.isArray(s.items)) for (const [i, each] of s.items.entries()) yield [each, `items[${i}]`, inner]
  for (const [name, each] of Object.entries(s.dependencies ?? {}))
    if (each !== null && !Array.isArray(each)) yield [each, `dependencies[${name}]`, inner]
}

function own(s: SchemaProps, path: string, context: LevelContext): FieldError[] {
  const faults: FieldError[] = []
  const at = (name: string) => `${path}.${name}`
  const refuse = (name: string, when: boolean) => {
    if (when) faults.push(forbidden(at(name), `${name} is not supported`))
  }
  if (s.default !== undefined && s.default !== null && context.noDefaults !== '')
    faults.push(forbidden(at('default'), `must not be set ${context.noDefaults}`))
  refuse('id', s.id !== undefined && s.id !== '')
  refuse('additionalItems', s.additionalItems !== undefined && s.additionalItems !== null)
  refuse('patternProperties', Object.keys(s.patternProperties ?? {}).length > 0)
  refuse('definitions', Object.keys(s.definitions ?? {}).length > 0)
  // Kubernetes checks whether the map exists, not whether it has members.
  refuse('dependencies', (s.dependencies ?? givenEmpty(s, 'dependencies') ?? null) !== null)
  refuse('$ref', s.$ref !== undefined && s.$ref !== null)
  if (s.type === 'null') faults.push(forbidden(at('type'), 'type cannot be set to null, use nullable as an alternative'))
  // An empty list of schemas is the same as none.
  if (Array.isArray(s.items) && s.items.length > 0) faults.push(forbidden(at('items'), 'items must be a schema object and not an array'))
  if (s.type && !TYPES.includes(s.type)) faults.push(notSupportedText(at('type'), s.type, TYPES))
  if (context.insideMeta && isEmbedded(s))
    faults.push(forbidden(at('x-kubernetes-embedded-resource'), 'must not be used inside of resource meta'))
  if (s.uniqueItems === true)
    faults.push(forbidden(at('uniqueItems'), 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic'))
  const additional = s.additionalProperties
  if (additional !== undefined && additional !== null && additional !== true && Object.keys(s.properties ?? {}).length > 0)
    faults.push(forbidden(at('additionalProperties'), 'additionalProperties and properties are mutual exclusive'))
  if (s['x-kubernetes-preserve-unknown-fields'] === false)
    faults.push(invalid(at('x-kubernetes-preserve-unknown-fields'), false, 'must be true or undefined'))
  faults.push(...checkMapType(s, at), ...checkListType(s, at))
  return faults
}

/** The path of a keyword at the level that is checked. */
export type ChildPath = (name: string) => string

/** A keyword that requires one type. */
function needsType(s: SchemaProps, at: ChildPath, type: string, detail: string): FieldError[] {
  if (s.type === type) return []
  return [s.type ? invalid(at('type'), s.type, detail) : required(at('type'), detail)]
}

function checkMapType(s: SchemaProps, at: ChildPath): FieldError[] {
  const type = s['x-kubernetes-map-type']
  if (type === undefined || type === null) return []
  const faults = needsType(s, at, 'object', 'must be object if x-kubernetes-map-type is specified')
  if (type !== 'atomic' && type !== 'granular') faults.push(notSupportedText(at('x-kubernetes-map-type'), type, ['atomic', 'granular']))
  return faults
}

function checkListType(s: SchemaProps, at: ChildPath): FieldError[] {
  const type = s['x-kubernetes-list-type'] ?? undefined
  const keys = s['x-kubernetes-list-map-keys'] ?? []
  const faults = type === 'set' && s.type === 'array' ? checkSetItems(itemsOf(s), at) : []
  if (type !== undefined && s.type !== 'array')
    faults.push(...needsType(s, at, 'array', 'must be array if x-kubernetes-list-type is specified'))
  if (type !== undefined && !['atomic', 'set', 'map'].includes(type))
    faults.push(notSupportedText(at('x-kubernetes-list-type'), type, ['atomic', 'set', 'map']))
  if (keys.length > 0 && type !== 'map') {
    const detail = 'must be map if x-kubernetes-list-map-keys is non-empty'
    faults.push(type === undefined ? required(at('x-kubernetes-list-type'), detail) : invalid(at('x-kubernetes-list-type'), type, detail))
  }
  if (type === 'map') faults.push(...checkListMap(s, keys, at))
  return [...faults, ...checkListItems(s, type, keys, at)]
}

function checkListMap(s: SchemaProps, keys: readonly string[], at: ChildPath): FieldError[] {
  const faults: FieldError[] = []
  const items = itemsOf(s)
  if (keys.length === 0) faults.push(required(at('x-kubernetes-list-map-keys'), 'must not be empty if x-kubernetes-list-type is map'))
  if (s.items === undefined) faults.push(required(at('items'), 'must have a schema if x-kubernetes-list-type is map'))
  if (s.items === null || Array.isArray(s.items))
    faults.push(
      invalid(
        at('items'),
        { Schema: null, JSONSchemas: s.items?.length === 0 ? [] : null },
        'must only have a single schema if x-kubernetes-list-type is map',
      ),
    )
  if (items === undefined) return faults
  if (items.type !== 'object') {
    faults.push(invalid(at('items.type'), items.type ?? '', "must be object if parent array's x-kubernetes-list-type is map"))
    return faults
  }
  const seen = new Set<string>()
  for (const key of keys) {
    const property = items.properties !== undefined && Object.hasOwn(items.properties, key) ? items.properties[key] : undefined
    if (property === undefined) faults.push(invalid(at('x-kubernetes-list-map-keys'), keys, 'entries must all be names of item properties'))
    else if (property.type === 'array' || property.type === 'object')
      faults.push(
        invalid(at(`items.properties[${key}].type`), items.type, "must be a scalar type if parent array's x-kubernetes-list-type is map"),
      )
    if (seen.has(key)) faults.push(invalid(at('x-kubernetes-list-map-keys'), keys, 'must not contain duplicate entries'))
    seen.add(key)
  }
  return faults
}

/** Lists and objects in a set are compared as wholes. */
function checkSetItems(items: SchemaProps | undefined, at: ChildPath): FieldError[] {
  const fault = (word: string, shown: unknown) =>
    invalid(at(`items.${word}`), shown, 'must be atomic as item of a list with x-kubernetes-list-type=set')
  // Kubernetes shows no type of a map, whatever is given.
  if (items?.type === 'object' && items['x-kubernetes-map-type'] !== 'atomic') return [fault('x-kubernetes-map-type', null)]
  const listType = items?.['x-kubernetes-list-type'] ?? 'atomic'
  return items?.type === 'array' && listType !== 'atomic' ? [fault('x-kubernetes-list-type', listType)] : []
}

/** Items of sets and maps, and keys of maps, always have a value. */
function checkListItems(s: SchemaProps, type: string | undefined, keys: readonly string[], at: ChildPath): FieldError[] {
  const items = itemsOf(s)
  if (items === undefined) return []
  const faults: FieldError[] = []
  if (type === 'set' && items.nullable === true)
    faults.push(forbidden(at('items.nullable'), 'cannot be nullable when x-kubernetes-list-type is set'))
  if (type === 'map') {
    if (items.nullable === true) faults.push(forbidden(at('items.nullable'), 'cannot be nullable when x-kubernetes-list-type is map'))
    for (const key of keys) {
      const property = items.properties !== undefined && Object.hasOwn(items.properties, key) ? items.properties[key] : undefined
      if (property === undefined) continue
      const fixed = (items.required ?? []).includes(key) || (property.default !== undefined && property.default !== null)
      if (!fixed)
        faults.push(
          required(
            at(`items.properties[${key}].default`),
            'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
          ),
        )
      if (property.nullable === true)
        faults.push(
          forbidden(at(`items.properties[${key}].nullable`), 'this property is in x-kubernetes-list-map-keys, so it cannot be nullable'),
        )
    }
  }
  return faults
}
