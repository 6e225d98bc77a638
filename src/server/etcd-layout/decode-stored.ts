import { encodeObject, orderedMeta, parseJson } from '../../apiserver/cache/object-bytes.ts'
import { messageOf } from '../../base/message-of.ts'
import { isObject, type Json, type JsonObject, type KubeObject } from '../../machinery/object.ts'
import { isProtobuf, openEnvelope } from '../../machinery/protobuf/envelope.ts'
import { decodeMessage } from '../../machinery/protobuf/message.ts'
import { decodeObject } from '../../machinery/schema/decode.ts'
import { StatusError } from '../../machinery/status-error.ts'
import { decodeYaml } from '../../machinery/yaml/yaml.ts'
import { STORED_DEFINITION, servedDefinition } from './definition-form.ts'
import type { StoredKinds } from './stored-kinds.ts'

/** The watch cache's JSON of what is stored under that key. @throws {StatusError} 500 */
export function decodeStored(kinds: StoredKinds, stored: Uint8Array, key: string): Buffer {
  try {
    const { object, custom } = read(kinds, stored)
    kinds.assertKind(object, key)
    return encodeObject(kinds.current(withMetadata(object, custom)), custom)
  } catch (error) {
    throw new StatusError({ code: 500, message: messageOf(error), cause: error })
  }
}

function read(kinds: StoredKinds, stored: Uint8Array): { object: JsonObject; custom: boolean } {
  const raw = isProtobuf(stored) ? protobufObject(kinds, stored) : textObject(stored)
  const object = raw.apiVersion === STORED_DEFINITION ? servedDefinition(raw) : raw
  const { apiVersion, kind } = object
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') throw new Error("Object 'Kind' is missing in what is stored")
  const schema = kinds.schemaOf(apiVersion, kind)
  if (schema !== undefined) return { object: { ...decodeObject(schema, object).object, apiVersion, kind }, custom: false }
  if (kinds.has(apiVersion, kind)) throw unregistered(apiVersion, kind)
  return { object, custom: true }
}

function protobufObject(kinds: StoredKinds, stored: Uint8Array): JsonObject {
  const { apiVersion, kind, raw } = openEnvelope(stored)
  const schema = kinds.schemaOf(apiVersion, kind)
  if (apiVersion === '' && raw.length === 0) throw new Error('empty body')
  if (schema === undefined) throw unregistered(apiVersion, kind)
  return { ...decodeMessage(schema, raw), apiVersion, kind }
}

const OPEN = 0x7b

function textObject(stored: Uint8Array): JsonObject {
  const value = stored[0] === OPEN ? parseJson(textOf(stored)) : decodeYaml(stored).value
  // Go reads a bare text as the bytes of a raw extension.
  if (typeof value === 'string') throw new Error(`illegal base64 data at input byte ${Math.max(0, value.search(/[^A-Za-z0-9+/=\r\n]/))}`)
  if (!isObject(value as Json)) throw new Error('what is stored is no object')
  return value as JsonObject
}

function withMetadata(object: JsonObject, custom: boolean): KubeObject {
  const { metadata } = object
  const { resourceVersion: _, selfLink: __, ...rest } = isObject(metadata ?? null) ? (metadata as JsonObject) : {}
  return { ...(object as unknown as KubeObject), metadata: orderedMeta(rest, { custom, resourceVersion: '' }) }
}

const unregistered = (apiVersion: string, kind: string) =>
  new Error(`no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`)

export const textOf = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()
