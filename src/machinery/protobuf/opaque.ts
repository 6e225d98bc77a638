import { messageOf } from '../../base/message-of.ts'
import type { Json } from '../object.ts'
import { BYTES, ProtobufError, type Reader, type ReverseWriter } from './wire.ts'

/** The first four bytes of an object in protobuf. */
export const MAGIC: Buffer = Buffer.from('k8s\0')

/** RawExtension, FieldsV1 and JSON: messages whose first field is JSON text. */
export function writeOpaque(value: Json, writer: ReverseWriter) {
  const before = writer.length
  if (value !== null) {
    writer.string(jsonOf(value))
    writer.tag(1, BYTES)
  }
  writer.varint(writer.length - before)
}

/** Clients may send a whole object in protobuf here, which `readEmbedded` decodes. */
export function readOpaque(reader: Reader, readEmbedded: ((envelope: Uint8Array) => Json) | undefined): Json {
  const message = reader.message()
  let out: Json = null
  while (!message.done) {
    const key = message.varint()
    if (key !== 8 + BYTES) {
      message.skip(key % 8)
      continue
    }
    const raw = message.bytes()
    if (raw.subarray(0, 4).equals(MAGIC)) {
      if (readEmbedded === undefined) throw new ProtobufError('an object in protobuf where only JSON is understood')
      out = readEmbedded(raw)
    } else out = raw.length === 0 ? null : parse(raw)
  }
  return out
}

function parse(raw: Buffer): Json {
  try {
    return JSON.parse(raw.toString('utf8')) as Json
  } catch (error) {
    throw new ProtobufError(`an embedded value is no JSON: ${messageOf(error)}`)
  }
}

/** Almost no value has large integers, and asking for each value what it is takes longer than all else. */
function jsonOf(value: Json): string {
  try {
    return JSON.stringify(value)
  } catch {
    return JSON.stringify(value, plainIntegers)
  }
}

const plainIntegers = (_key: string, value: unknown) => (typeof value === 'bigint' ? Number(value) : value)
