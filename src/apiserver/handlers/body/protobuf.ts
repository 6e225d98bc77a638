import { decodeJson, JsonSyntaxError } from '../../../machinery/json/strict-json.ts'
import { apiVersionOf, type GroupVersionKind, isObject, type Json, type JsonObject, parseApiVersion } from '../../../machinery/object.ts'
import { encodeProtobuf, isProtobuf, openEnvelope } from '../../../machinery/protobuf/envelope.ts'
import { decodeMessage, encodeMessage } from '../../../machinery/protobuf/message.ts'
import { MAGIC } from '../../../machinery/protobuf/opaque.ts'
import { ProtobufError } from '../../../machinery/protobuf/wire.ts'
import { decodeObject } from '../../../machinery/schema/decode.ts'
import type { StructSchema } from '../../../machinery/schema/schema.ts'
import type { Kinds } from '../../kinds.ts'

export { ProtobufError } from '../../../machinery/protobuf/wire.ts'

/** The schema of a built-in kind, including lists and the kinds of `meta.k8s.io`. */
function schemaOf(kinds: Kinds, apiVersion: string, kind: string): StructSchema | undefined {
  const gv = parseApiVersion(apiVersion)
  if (gv === undefined) return undefined
  const found = kinds.has(gv.group, gv.version, kind)
    ? kinds.schema(gv.group, gv.version, kind)
    : kinds.byOpenapiName(`io.k8s.apimachinery.pkg.apis.meta.v1.${kind}`)
  if (found?.type !== 'struct') return undefined
  return kind === 'PartialObjectMetadataList' && gv.version === 'v1beta1' ? itemsFirst(found) : found
}

const reordered = new WeakMap<StructSchema, StructSchema>()

/** The one list of Kubernetes whose items are field 1 in protobuf: that of metadata in `v1beta1`. */
function itemsFirst(schema: StructSchema): StructSchema {
  const known = reordered.get(schema)
  if (known !== undefined) return known
  const fields = [...schema.fields].map(([name, field]) => [name, field.tag > 0 ? { ...field, tag: 3 - field.tag } : field] as const)
  const made: StructSchema = { ...schema, fields: new Map(fields) }
  reordered.set(schema, made)
  return made
}

/** What a body is read as. */
export interface ExpectedMessage {
  /** The type of an envelope that does not name one, or whose apiVersion is none. */
  readonly gvk: GroupVersionKind
  /** Of any other kind the message is not read. */
  readonly alone?: boolean
}

/** The envelope of an object could be read, its message not. */
export class ProtobufMessageError extends ProtobufError {
  /** What the envelope names, or what was expected. */
  readonly named: GroupVersionKind
  constructor(message: string, named: GroupVersionKind) {
    super(message)
    this.named = named
  }
}

/** A body in protobuf as JSON with apiVersion and kind. Throws {@link ProtobufError}, and {@link ProtobufMessageError} for its message. */
export function protobufToJson(kinds: Kinds, bytes: Uint8Array, expected?: ExpectedMessage): JsonObject {
  if (bytes.length === 0) throw new ProtobufError('empty data')
  if (bytes.length === MAGIC.length && isProtobuf(bytes)) throw new ProtobufError('empty body')
  const { apiVersion, kind, raw } = openEnvelope(bytes)
  const named = namedBy({ apiVersion, kind }, expected?.gvk)
  const type = { apiVersion: apiVersionOf(named), kind: named.kind }
  const isRead = expected?.alone !== true || named.kind === expected.gvk.kind
  const schema = isRead ? schemaOf(kinds, type.apiVersion, type.kind) : undefined
  if (schema === undefined) return type
  try {
    return { ...decodeMessage(schema, raw, (envelope) => embedded(kinds, envelope, 1)), ...type }
  } catch (error) {
    throw error instanceof ProtobufError ? new ProtobufMessageError(error.message, named) : error
  }
}

function namedBy(envelope: { readonly apiVersion: string; readonly kind: string }, expected?: GroupVersionKind): GroupVersionKind {
  const { group = '', version = '' } = parseApiVersion(envelope.apiVersion) ?? {}
  const gv = group === '' && version === '' && expected !== undefined ? expected : { group, version }
  return { group: gv.group, version: gv.version, kind: envelope.kind === '' && expected !== undefined ? expected.kind : envelope.kind }
}

/** An object in a value without a type. */
function embeddedObject(kinds: Kinds, bytes: Uint8Array, depth: number): JsonObject {
  if (depth > MOST_ENVELOPES) throw new ProtobufError('exceeded max depth of embedded objects')
  const { apiVersion, kind, raw, contentType } = openEnvelope(bytes)
  if (contentType === 'application/json') return embeddedJson(raw)
  const schema = schemaOf(kinds, apiVersion, kind)
  if (schema === undefined) return { apiVersion, kind }
  return { ...decodeMessage(schema, raw, (envelope) => embedded(kinds, envelope, depth + 1)), apiVersion, kind }
}

/** Objects may be nested in envelopes (`runtime.Unknown`) to this depth. */
const MOST_ENVELOPES = 16

function embeddedJson(raw: Buffer): JsonObject {
  try {
    const { value } = decodeJson(raw)
    if (isObject(value)) return value
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error
    throw new ProtobufError(`couldn't get version/kind; json parse error: ${error.message}`)
  }
  throw new ProtobufError('an embedded object in JSON has to be an object')
}

const embedded = (kinds: Kinds, envelope: Uint8Array, depth: number): Json => {
  const json = embeddedObject(kinds, envelope, depth)
  const schema = schemaOf(kinds, String(json.apiVersion), String(json.kind))
  return schema === undefined ? json : { ...decodeObject(schema, json).object, apiVersion: json.apiVersion, kind: json.kind }
}

/** An object as a message, without an envelope. Throws for kinds that have no protobuf. */
export function messageOf(kinds: Kinds, object: JsonObject): Buffer {
  const apiVersion = String(object.apiVersion)
  const kind = String(object.kind)
  const schema = schemaOf(kinds, apiVersion, kind)
  if (schema === undefined) throw new ProtobufError(`${kind} has no protobuf form`)
  return encodeMessage(schema, { ...object, apiVersion, kind })
}

/** An object in its envelope. Throws for kinds that have no protobuf. */
export function jsonToProtobuf(kinds: Kinds, object: JsonObject): Buffer {
  // The list of versions at `/api` has none.
  const apiVersion = String(object.apiVersion ?? '')
  const kind = String(object.kind)
  const schema = schemaOf(kinds, apiVersion, kind)
  if (schema === undefined) throw new ProtobufError(`${kind} has no protobuf form`)
  return encodeProtobuf(schema, { ...object, apiVersion, kind })
}
