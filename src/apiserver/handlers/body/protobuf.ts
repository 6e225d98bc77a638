import { type Json, type JsonObject, parseApiVersion } from '../../../machinery/object.ts'
import { encodeProtobuf, openEnvelope } from '../../../machinery/protobuf/envelope.ts'
import { decodeMessage } from '../../../machinery/protobuf/message.ts'
import { ProtobufError } from '../../../machinery/protobuf/wire.ts'
import { decodeObject } from '../../../machinery/schema/decode.ts'
import type { StructSchema } from '../../../machinery/schema/schema.ts'
import { builtinSchema, isBuiltinKind, schemaByOpenapiName } from '../../../resources/schema.ts'

export { ProtobufError } from '../../../machinery/protobuf/wire.ts'

/** The schema of a built-in kind, lists and the kinds of `meta.k8s.io` included. */
function schemaOf(apiVersion: string, kind: string): StructSchema | undefined {
  const gv = parseApiVersion(apiVersion)
  if (gv === undefined) return undefined
  const found = isBuiltinKind(gv.group, gv.version, kind)
    ? builtinSchema(gv.group, gv.version, kind)()
    : schemaByOpenapiName(`io.k8s.apimachinery.pkg.apis.meta.v1.${kind}`)
  return found?.type === 'struct' ? found : undefined
}

/** A body in protobuf as JSON with apiVersion and kind. Throws {@link ProtobufError}. */
export function protobufToJson(bytes: Uint8Array): JsonObject {
  const { apiVersion, kind, raw, contentType } = openEnvelope(bytes)
  if (contentType === 'application/json') return JSON.parse(raw.toString()) as JsonObject
  const schema = schemaOf(apiVersion, kind)
  if (schema === undefined) return { apiVersion, kind }
  return { ...decodeMessage(schema, raw, embedded), apiVersion, kind }
}

const embedded = (envelope: Uint8Array): Json => {
  const json = protobufToJson(envelope)
  const schema = schemaOf(String(json.apiVersion), String(json.kind))
  return schema === undefined ? json : { ...decodeObject(schema, json).object, apiVersion: json.apiVersion, kind: json.kind }
}

/** An object in its envelope. Throws for kinds that have no protobuf. */
export function jsonToProtobuf(object: JsonObject): Buffer {
  const apiVersion = String(object.apiVersion)
  const kind = String(object.kind)
  const schema = schemaOf(apiVersion, kind)
  if (schema === undefined) throw new ProtobufError(`${kind} has no protobuf form`)
  return encodeProtobuf(schema, { ...object, apiVersion, kind })
}
