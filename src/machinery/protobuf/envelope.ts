import type { JsonObject } from '../object.ts'
import type { StructSchema } from '../schema/schema.ts'
import { writeObject } from './message.ts'
import { MAGIC } from './opaque.ts'
import { BYTES, ProtobufError, Reader, ReverseWriter } from './wire.ts'

/** An object in its envelope (`runtime.Unknown`). */
export interface Envelope {
  readonly apiVersion: string
  readonly kind: string
  /** The message of the object. */
  readonly raw: Buffer
  /** `''` is protobuf. */
  readonly contentType: string
  readonly contentEncoding: string
}

/** Wraps a message in the envelope that clients expect: `k8s\0`, apiVersion, kind and the bytes. */
export function wrapMessage(type: VersionAndKind, message: Uint8Array): Buffer {
  const writer = new ReverseWriter(message.length + type.apiVersion.length + type.kind.length + 64)
  return writeEnvelope(writer, type, () => writer.raw(message))
}

interface VersionAndKind {
  readonly apiVersion: string
  readonly kind: string
}

/** `writeMessage`: writes the message of the object. */
function writeEnvelope(writer: ReverseWriter, type: VersionAndKind, writeMessage: () => void): Buffer {
  writer.string('')
  writer.tag(4, BYTES)
  writer.string('')
  writer.tag(3, BYTES)
  const behind = writer.length
  writeMessage()
  writer.varint(writer.length - behind)
  writer.tag(2, BYTES)
  const before = writer.length
  writer.string(type.kind)
  writer.tag(2, BYTES)
  writer.string(type.apiVersion)
  writer.tag(1, BYTES)
  writer.varint(writer.length - before)
  writer.tag(1, BYTES)
  writer.raw(MAGIC)
  return writer.finish()
}

/** Encodes an object by its schema, in its envelope, as a request or response body. */
export function encodeProtobuf(schema: StructSchema, object: JsonObject & VersionAndKind): Buffer {
  const writer = new ReverseWriter(USUAL_BYTES)
  return writeEnvelope(writer, object, () => writeObject(schema, object, writer))
}

/** Most objects are no larger. */
const USUAL_BYTES = 2048

/** Opens an envelope; read `raw` with `decodeMessage` by the schema of its kind. Throws {@link ProtobufError}. */
export function openEnvelope(bytes: Uint8Array): Envelope {
  if (!isProtobuf(bytes)) {
    throw new ProtobufError('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]')
  }
  const reader = new Reader(bytes, MAGIC.length)
  const out = { apiVersion: '', kind: '', raw: Buffer.alloc(0) as Buffer, contentType: '', contentEncoding: '' }
  while (!reader.done) {
    const key = reader.varint()
    if (key === 8 + BYTES) readTypeMeta(out, reader.message())
    else if (key === 16 + BYTES) out.raw = reader.bytes()
    else if (key === 24 + BYTES) out.contentEncoding = reader.string()
    else if (key === 32 + BYTES) out.contentType = reader.string()
    else reader.skip(key % 8)
  }
  return out
}

function readTypeMeta(out: { apiVersion: string; kind: string }, reader: Reader) {
  while (!reader.done) {
    const key = reader.varint()
    if (key === 8 + BYTES) out.apiVersion = reader.string()
    else if (key === 16 + BYTES) out.kind = reader.string()
    else reader.skip(key % 8)
  }
}

/** True if these bytes begin like an object in protobuf. */
export const isProtobuf = (bytes: Uint8Array): boolean => bytes.length >= 4 && MAGIC.equals(bytes.subarray(0, 4))

/**
 * A list of encoded messages (each object is encoded once): `header` is the message of the list without items, which are field 2, as in
 * every list of Kubernetes.
 */
export function encodeList(type: VersionAndKind, header: Uint8Array, items: readonly Uint8Array[]): Buffer {
  let size = header.length
  for (const item of items) size += item.length + 6
  const writer = new ReverseWriter(size)
  for (let i = items.length - 1; i >= 0; i--) {
    const item = items[i]
    if (item === undefined) continue
    writer.bytes(item)
    writer.tag(2, BYTES)
  }
  writer.raw(header)
  return wrapMessage(type, writer.finish())
}

/** One frame of a watch: four bytes of length, and a WatchEvent around the enveloped object. */
export function encodeWatchFrame(type: string, enveloped: Uint8Array): Buffer {
  const writer = new ReverseWriter(enveloped.length + type.length + 32)
  writer.bytes(enveloped)
  writer.tag(1, BYTES)
  writer.varint(writer.length)
  writer.tag(2, BYTES)
  writer.string(type)
  writer.tag(1, BYTES)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(writer.length)
  writer.raw(length)
  return writer.finish()
}

/** Opens one frame of a watch, without its length. */
export function decodeWatchEvent(bytes: Uint8Array): { readonly type: string; readonly object: Buffer } {
  const reader = new Reader(bytes)
  let type = ''
  let object: Buffer = Buffer.alloc(0)
  while (!reader.done) {
    const key = reader.varint()
    if (key === 8 + BYTES) type = reader.string()
    else if (key === 16 + BYTES) {
      const raw = reader.message()
      while (!raw.done) {
        const inner = raw.varint()
        if (inner === 8 + BYTES) object = raw.bytes()
        else raw.skip(inner % 8)
      }
    } else reader.skip(key % 8)
  }
  return { type, object }
}
