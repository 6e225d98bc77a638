import { type FieldError, faultText, invalid, required } from '../field-error.ts'
import { goJsonWord } from '../go/go-json-word.ts'
import { dns1035Label, pathSegmentName } from '../names.ts'
import { isObject, type Json, type JsonObject, type ObjectMeta, parseApiVersion } from '../object.ts'
import { DecodeError, decodeObject } from '../schema/decode.ts'
import type { Schema } from '../schema/schema.ts'
import { sortedKeys } from '../sorted-keys.ts'
import { validateObjectMeta } from '../validation/object-meta.ts'
import { anyInside } from './any-inside.ts'
import { isEmbedded, itemsOf, propertyOf, type SchemaProps, valuesOf } from './schema-props.ts'

/** Visits every embedded object in a value (`x-kubernetes-embedded-resource`); the value itself only if `root`. */
function eachEmbedded(
  value: unknown,
  schema: SchemaProps | undefined,
  at: { path: string; root: boolean },
  visit: (object: JsonObject, path: string) => void,
): void {
  if (schema === undefined || !hasEmbedded(schema)) {
    if (at.root && isObject(value)) visit(value, at.path)
    return
  }
  if (Array.isArray(value)) {
    const items = itemsOf(schema)
    for (const [i, item] of value.entries()) eachEmbedded(item, items, { path: `${at.path}[${i}]`, root: false }, visit)
    return
  }
  if (!isObject(value)) return
  if (at.root || isEmbedded(schema)) visit(value, at.path)
  for (const [name, below] of Object.entries(value)) {
    const property = propertyOf(schema, name)
    const path = property === undefined ? `${at.path}[${name}]` : at.path === '' ? name : `${at.path}.${name}`
    eachEmbedded(below, property ?? valuesOf(schema), { path, root: false }, visit)
  }
}

const hasEmbedded = anyInside(isEmbedded)

/** A field of an embedded object has a wrong type. */
export class EmbeddedTypeError extends DecodeError {
  readonly fault: FieldError

  constructor(fault: FieldError) {
    super('type', faultText(fault))
    this.fault = fault
  }
}

export interface CoerceOptions {
  /** The path of the value; default none. */
  readonly path?: string
  /** The value itself is an object with metadata. */
  readonly root?: boolean
  /** Gets the paths of unknown fields. */
  readonly found?: string[]
}

/**
 * Brings the metadata of embedded objects into Go's form, in place. Unknown fields are dropped.
 * Throws `EmbeddedTypeError` for the first field of a wrong type.
 */
export function coerceEmbedded(value: unknown, schema: SchemaProps, objectMeta: Schema, options: CoerceOptions = {}): void {
  const { path = '', root = false, found } = options
  eachEmbedded(value, schema, { path, root }, (object, at) => coerceObject(object, at, objectMeta, found))
}

/** The same; what has a wrong type stays as it is, for {@link checkEmbedded} to find. */
export function coerceReadable(value: unknown, schema: SchemaProps, objectMeta: Schema): void {
  eachEmbedded(value, schema, { path: '', root: false }, (object, path) => {
    try {
      coerceObject(object, path, objectMeta)
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error
    }
  })
}

function coerceObject(object: JsonObject, path: string, objectMeta: Schema, found?: string[]): void {
  for (const name of ['apiVersion', 'kind']) {
    if (Object.hasOwn(object, name) && typeof object[name] !== 'string')
      throw new EmbeddedTypeError(invalid(`${path}.${name}`, object[name], 'must be a string'))
  }
  if (Object.hasOwn(object, 'metadata')) object.metadata = coerceMeta(object.metadata ?? null, objectMeta, `${path}.metadata`, found)
}

/** Metadata in Go's form. */
export function coerceMeta(metadata: Json, objectMeta: Schema, path: string, found?: string[]): JsonObject {
  if (metadata === null) return {}
  if (!isObject(metadata)) {
    const why = `json: cannot unmarshal ${goJsonWord(metadata)} into Go value of type v1.ObjectMeta`
    throw path === 'metadata' ? new DecodeError('type', why) : new EmbeddedTypeError(invalid(path, metadata, why))
  }
  const { object, warnings } = decodeMeta(metadata, objectMeta, { path, tracked: found !== undefined })
  for (const text of warnings) found?.push(`${path}.${/"(.*)"/.exec(text)?.[1] ?? ''}`)
  return object
}

/** Metadata in Go's form, without the fields that cannot be read as their types. */
export function readableMeta(metadata: Json, objectMeta: Schema): JsonObject {
  if (!isObject(metadata)) return {}
  const fields = Object.entries(metadata).filter(([name, value]) => unreadable({ [name]: value }, objectMeta) === undefined)
  return coerceMeta(Object.fromEntries(fields), objectMeta, 'metadata')
}

/** Why metadata cannot be read. */
function unreadable(metadata: JsonObject, objectMeta: Schema): string | undefined {
  try {
    decodeObject(objectMeta, metadata)
    return undefined
  } catch (error) {
    if (error instanceof DecodeError) return error.message
    throw error
  }
}

function decodeMeta(metadata: JsonObject, objectMeta: Schema, { path, tracked }: { readonly path: string; readonly tracked: boolean }) {
  try {
    return decodeObject(objectMeta, metadata, { fieldValidation: tracked ? 'Warn' : 'Ignore' })
  } catch (error) {
    if (!(error instanceof DecodeError) || path === 'metadata') throw error
    throw new EmbeddedTypeError(invalid(path, sortedKeys(metadata), error.message))
  }
}

/** Faults of embedded objects: they must name their kind, and have valid metadata; with `objectMeta`, of its type. */
export function checkEmbedded(
  value: unknown,
  schema: SchemaProps,
  options: { readonly path?: string; readonly root?: boolean; readonly objectMeta?: Schema } = {},
): FieldError[] {
  const faults: FieldError[] = []
  eachEmbedded(value, schema, { path: options.path ?? '', root: options.root === true }, (object, path) => {
    const at = (name: string) => (path === '' ? name : `${path}.${name}`)
    const { apiVersion, kind } = object
    if (apiVersion === undefined) faults.push(required(at('apiVersion')))
    else if (typeof apiVersion !== 'string') faults.push(invalid(at('apiVersion'), apiVersion, 'must be a string'))
    else if (apiVersion === '') faults.push(invalid(at('apiVersion'), apiVersion, 'must not be empty'))
    else if (parseApiVersion(apiVersion) === undefined)
      faults.push(invalid(at('apiVersion'), apiVersion, `unexpected GroupVersion string: ${apiVersion}`))
    if (kind === undefined) faults.push(required(at('kind')))
    else if (typeof kind !== 'string') faults.push(invalid(at('kind'), kind, 'must be a string'))
    else if (kind === '') faults.push(invalid(at('kind'), kind, 'must not be empty'))
    else {
      const wrong = dns1035Label(kind.toLowerCase())
      if (wrong.length > 0) faults.push(invalid(at('kind'), kind, `may have mixed case, but should otherwise match: ${wrong.join(',')}`))
    }
    const { metadata } = object
    if (!isObject(metadata) || Object.keys(metadata).length === 0) return
    const why = options.objectMeta && unreadable(metadata, options.objectMeta)
    if (why === undefined) faults.push(...metaFaults(metadata as ObjectMeta, at('metadata')))
    else faults.push(invalid(at('metadata'), sortedKeys(metadata), why))
  })
  return faults
}

/** A name is not required. */
function metaFaults(metadata: ObjectMeta, path: string): FieldError[] {
  const named = metadata.name ? metadata : { ...metadata, name: 'fakename' }
  return validateObjectMeta(named, { namespaced: Boolean(metadata.namespace), validateName: pathSegmentName }, path)
}
