import { byText } from '../../base/by-text.ts'
import { Pace, type Steps } from '../../base/steps.ts'
import { equalJson } from '../equal.ts'
import { type FieldError, faultText, forbidden, invalid, MAX_FAULTS, required } from '../field-error.ts'
import type { ChildPath } from './check-schema.ts'
import { compilePattern } from './pattern.ts'
import { isEmbedded, isIntOrString, itemsOf, preserves, propertiesOf, propertyOf, type SchemaProps, valuesOf } from './schema-props.ts'

type Level = 'root' | 'item' | 'field'

/**
 * What a schema must be to be structural: every field has one type, declared in one place, and patterns are regular expressions. In steps;
 * it ends with the fault that is reported last. Faults are in the order of their texts.
 */
export function* checkStructural(schema: SchemaProps, path: string): Steps<FieldError[]> {
  const found = new FaultCollector()
  yield* invariants(schema, 'root', path, found)
  yield* completeness(schema, path, found)
  return found.faults.sort((a, b) => byText(faultText(a), faultText(b)))
}

/** What one level costs, in microseconds; and one whose pattern is compiled. */
const WORK_OF_LEVEL = 2
const WORK_OF_PATTERN = 30

class FaultCollector {
  readonly faults: FieldError[] = []
  readonly #pace = new Pace()

  get full(): boolean {
    return this.faults.length >= MAX_FAULTS
  }

  /** A level is looked at; true: others are to have a turn. */
  due(pattern = ''): boolean {
    return this.#pace.due(pattern === '' ? WORK_OF_LEVEL : WORK_OF_PATTERN + pattern.length)
  }
}

const EMPTY_AT: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
}

function* invariants(s: SchemaProps, level: Level, path: string, found: FaultCollector): Steps<void> {
  if (found.full) return
  if (found.due(s.pattern)) yield
  const { faults } = found
  const at = (name: string) => `${path}.${name}`
  const items = itemsOf(s)
  const embedded = isEmbedded(s)
  const noItems = s.items === undefined || s.items === null || (Array.isArray(s.items) && s.items.length === 0)
  if (s.type === 'array' && noItems) faults.push(required(at('items'), 'must be specified'))
  if (items !== undefined) yield* invariants(items, 'item', at('items'), found)
  for (const [name, property] of propertiesOf(s)) yield* invariants(property, 'field', at(`properties[${name}]`), found)
  const values = valuesOf(s)
  const additional = s.additionalProperties !== undefined && s.additionalProperties !== null
  if (additional && level === 'root') faults.push(forbidden(at('additionalProperties'), 'must not be used at the root'))
  if (values !== undefined) yield* invariants(values, 'field', at('additionalProperties'), found)
  if (isIntOrString(s) && preserves(s))
    faults.push(invalid(at('x-kubernetes-preserve-unknown-fields'), true, 'must be false if x-kubernetes-int-or-string is true'))
  if (isIntOrString(s) && embedded)
    faults.push(invalid(at('x-kubernetes-embedded-resource'), true, 'must be false if x-kubernetes-int-or-string is true'))
  yield* junctors(
    s,
    path,
    { anyOf: intOrStringAnyOf(s.anyOf), inFirstAllOf: isIntOrString(s) && intOrStringAnyOf(s.allOf?.[0]?.anyOf) },
    found,
  )
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
  faults.push(...patternFaults(s, at))
}

function patternFaults({ pattern }: SchemaProps, at: ChildPath): FieldError[] {
  const compiled = pattern ? compilePattern(pattern) : undefined
  return typeof compiled === 'string' ? [invalid(at('pattern'), pattern, `must be a valid regular expression, but isn't: ${compiled}`)] : []
}

function typeMetaFaults(s: SchemaProps, at: ChildPath): FieldError[] {
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

/** In the metadata of the object itself, only names may be restricted. */
function rootMetadata(s: SchemaProps, at: ChildPath): FieldError[] {
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

/** The one pattern in which `anyOf` may contain types: `[{type: integer}, {type: string}]`. */
function intOrStringAnyOf(anyOf: SchemaProps[] | undefined): boolean {
  return anyOf?.length === 2 && equalJson(anyOf[0], { type: 'integer' }) && equalJson(anyOf[1], { type: 'string' })
}

/** Where the one pattern is that is exempt. */
interface Exempt {
  readonly anyOf: boolean
  readonly inFirstAllOf: boolean
}

function* junctors(s: SchemaProps, path: string, exempt: Exempt, found: FaultCollector): Steps<void> {
  const at = (name: string) => `${path}.${name}`
  if (!isIntOrString(s) || !exempt.anyOf)
    for (const [i, each] of (s.anyOf ?? []).entries()) yield* nested(each, at(`anyOf[${i}]`), false, found)
  for (const [i, each] of (s.allOf ?? []).entries()) yield* nested(each, at(`allOf[${i}]`), exempt.inFirstAllOf && i === 0, found)
  for (const [i, each] of (s.oneOf ?? []).entries()) yield* nested(each, at(`oneOf[${i}]`), false, found)
  if (s.not !== undefined && s.not !== null) yield* nested(s.not, at('not'), false, found)
}

/** Inside of junctors, values are restricted and nothing is declared. */
function* nested(s: SchemaProps, path: string, skipAnyOf: boolean, found: FaultCollector): Steps<void> {
  if (found.full) return
  if (found.due(s.pattern)) yield
  const at = (name: string) => `${path}.${name}`
  const { faults } = found
  if (!skipAnyOf) for (const [i, each] of (s.anyOf ?? []).entries()) yield* nested(each, at(`anyOf[${i}]`), false, found)
  for (const [i, each] of (s.allOf ?? []).entries()) yield* nested(each, at(`allOf[${i}]`), false, found)
  for (const [i, each] of (s.oneOf ?? []).entries()) yield* nested(each, at(`oneOf[${i}]`), false, found)
  if (s.not !== undefined && s.not !== null) yield* nested(s.not, at('not'), false, found)
  const items = itemsOf(s)
  if (items !== undefined) yield* nested(items, at('items'), false, found)
  for (const [name, property] of propertiesOf(s)) yield* nested(property, at(`properties[${name}]`), false, found)
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
  faults.push(...patternFaults(s, at))
}

/** Every field that a junctor at the root restricts is declared outside of it. (Kubernetes looks at the root alone.) */
const completeness = (s: SchemaProps, path: string, found: FaultCollector): Steps<void> => restricted(s, s, { path, from: path }, found)

interface RestrictedField {
  readonly path: string
  /** Where the field is restricted. */
  readonly from: string
}

function* restricted(v: SchemaProps, s: SchemaProps, { path, from }: RestrictedField, found: FaultCollector): Steps<void> {
  for (const word of ['allOf', 'anyOf', 'oneOf'] as const)
    for (const [i, each] of (v[word] ?? []).entries()) yield* declared(each, s, { path, from: `${from}.${word}[${i}]` }, found)
  if (v.not !== undefined && v.not !== null) yield* declared(v.not, s, { path, from: `${from}.not` }, found)
}

function* declared(v: SchemaProps, s: SchemaProps | undefined, { path, from }: RestrictedField, found: FaultCollector): Steps<void> {
  if (found.full) return
  if (found.due()) yield
  if (s === undefined) return void found.faults.push(required(path, `because it is defined in ${from}`))
  yield* restricted(v, s, { path, from }, found)
  const items = itemsOf(v)
  if (items !== undefined) yield* declared(items, itemsOf(s), { path: `${path}.items`, from: `${from}.items` }, found)
  for (const [name, property] of propertiesOf(v)) {
    const at = `properties[${name}]`
    yield* declared(property, propertyOf(s, name), { path: `${path}.${at}`, from: `${from}.${at}` }, found)
  }
}
