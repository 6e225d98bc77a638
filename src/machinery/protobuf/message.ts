import { isObject, type Json, type JsonObject, setOwn } from '../object.ts'
import type { AnySchema, Field, ListSchema, MapSchema, ScalarSchema, Schema, StructSchema } from '../schema/schema.ts'
import { readOpaque, writeOpaque } from './opaque.ts'
import { readScalar, writeScalar } from './scalar.ts'
import { BYTES, END_GROUP, ProtobufError, Reader, ReverseWriter, VARINT } from './wire.ts'

/** Decodes an object in `runtime.RawExtension`, which may be protobuf in an envelope of its own. */
export type ReadEmbedded = (envelope: Uint8Array) => Json

/** Encodes one object as Go does for its type, byte for byte; apiVersion and kind are in the envelope (`envelope.ts`). */
export function encodeMessage(schema: StructSchema, object: JsonObject): Buffer {
  const writer = new ReverseWriter()
  writeObject(schema, object, writer)
  return writer.finish()
}

/** The same into a writer, without its length. */
export function writeObject(schema: StructSchema, object: JsonObject, writer: ReverseWriter): void {
  codecOf(schema).write(object, writer)
}

/**
 * The JSON of a message, with only the fields that it contains: decode it by its schema (`decodeObject`) before use.
 * Throws {@link ProtobufError}.
 */
export function decodeMessage(schema: StructSchema, bytes: Uint8Array, readEmbedded?: ReadEmbedded): JsonObject {
  const out: JsonObject = {}
  codecOf(schema).read(out, new Reader(bytes), { depth: 0, readEmbedded })
  return out
}

interface Reading {
  readonly depth: number
  readonly readEmbedded: ReadEmbedded | undefined
}

/** Depth limit: deeper than any type of Kubernetes, and far less than our stack. */
const MAX_DEPTH = 1000

/** The codec of a struct type. */
interface StructCodec {
  write(object: JsonObject, writer: ReverseWriter): void
  read(into: JsonObject, reader: Reader, reading: Reading): void
}

interface FieldCodec {
  readonly tag: number
  write(object: JsonObject, writer: ReverseWriter): void
  read(into: JsonObject, reader: Reader, wireType: number, reading: Reading): void
}

const codecs = new WeakMap<StructSchema, StructCodec>()

function codecOf(schema: StructSchema): StructCodec {
  let codec = codecs.get(schema)
  if (codec === undefined) {
    codec = structCodec(schema)
    codecs.set(schema, codec)
  }
  return codec
}

function structCodec(schema: StructSchema): StructCodec {
  let fields: readonly FieldCodec[] | undefined
  const byTag = new Map<number, FieldCodec>()
  /** Lazy, because types refer to themselves. */
  const ready = () => {
    if (fields !== undefined) return fields
    const all = [...schema.fields].filter(([, f]) => f.tag > 0 && f.inlineOf === undefined).map(([name, f]) => fieldCodec(name, f))
    for (const { tag, schema: inner } of schema.inlines?.values() ?? []) all.push(inlineCodec(tag, inner))
    fields = all.sort((a, b) => b.tag - a.tag)
    for (const field of fields) byTag.set(field.tag, field)
    return fields
  }
  return {
    write: (object, writer) => {
      for (const field of ready()) field.write(object, writer)
    },
    read: (into, reader, reading) => {
      ready()
      if (reading.depth > MAX_DEPTH) throw new ProtobufError('proto: too deep')
      while (!reader.done) {
        const key = reader.varint()
        const wireType = key % 8
        const tag = Math.floor(key / 8)
        const field = byTag.get(tag)
        if (tag === 0) throw new ProtobufError(`proto: ${schema.name ?? ''}: illegal tag ${tag} (wire type ${wireType})`)
        if (wireType === END_GROUP) throw new ProtobufError(`proto: ${schema.name ?? ''}: wiretype end group for non-group`)
        if (field === undefined) reader.skip(wireType)
        else field.read(into, reader, wireType, reading)
      }
    },
  }
}

/** A struct that Go inlines is a separate message on the wire. */
function inlineCodec(tag: number, schema: StructSchema): FieldCodec {
  return {
    tag,
    write: (object, writer) => writeMessage(writer, tag, () => codecOf(schema).write(object, writer)),
    read: (into, reader, wireType, reading) => {
      expectType(wireType, BYTES, schema.name ?? '')
      codecOf(schema).read(into, reader.message(), deeper(reading))
    },
  }
}

function fieldCodec(name: string, field: Field): FieldCodec {
  const { tag, schema } = field
  const get = (object: JsonObject): Json => object[name] ?? null // names are Kubernetes' own, none is inherited from Object
  if (schema.type === 'list' && schema.wrapped !== true) return listField(name, tag, schema, get)
  if (schema.type === 'map') return mapField(name, tag, schema, get)
  const value = valueCodec(schema)
  const always = field.pointer !== true && isAlwaysWritten(schema)
  return {
    tag,
    write: (object, writer) => {
      const v = get(object)
      if (v === null && !always) return
      value.write(v, writer)
      writer.tag(tag, value.wireType)
    },
    read: (into, reader, wireType, reading) => {
      expectType(wireType, value.wireType, name)
      setOwn(into, name, value.read(reader, reading, get(into)))
    },
  }
}

/** Go writes non-pointers even if they are zero; slices of bytes only if they are present. */
const isAlwaysWritten = (schema: Schema) => !(schema.type === 'list' || (schema.type === 'scalar' && schema.scalar === 'bytes'))

interface ValueCodec {
  readonly wireType: number
  /** The value of a map entry without a value. */
  readonly missing?: Json
  /** Null is the zero value. */
  write(value: Json, writer: ReverseWriter): void
  /** `before` is the value of an earlier field of the same message: structs are merged. */
  read(reader: Reader, reading: Reading, before: Json): Json
}

function valueCodec(schema: Schema): ValueCodec {
  switch (schema.type) {
    case 'scalar':
      return scalarCodec(schema)
    case 'struct':
      return {
        wireType: BYTES,
        write: (value, writer) => {
          const before = writer.length
          codecOf(schema).write(isObject(value) ? value : {}, writer)
          writer.varint(writer.length - before)
        },
        read: (reader, reading, before) => {
          const out = isObject(before) ? before : {}
          codecOf(schema).read(out, reader.message(), deeper(reading))
          return out
        },
      }
    case 'list':
      return wrappedCodec(schema)
    case 'any':
      return anyCodec(schema)
    case 'map':
      throw new Error('Kubernetes has no maps in maps or lists')
  }
}

function scalarCodec(schema: ScalarSchema): ValueCodec {
  const wireType =
    schema.scalar === 'bool' || schema.scalar === 'int32' || schema.scalar === 'int64' ? VARINT : schema.scalar === 'float64' ? 1 : BYTES
  return {
    wireType,
    ...(schema.scalar === 'bytes' ? { missing: '' } : {}),
    write: (value, writer) => writeScalar(schema.scalar, value, writer),
    read: (reader) => readScalar(schema.scalar, reader),
  }
}

/** Go's named slices in maps are messages with the items as field 1. */
function wrappedCodec(schema: ListSchema): ValueCodec {
  const items = listField('items', 1, schema, (object) => object.items ?? null)
  return {
    wireType: BYTES,
    write: (value, writer) => {
      const before = writer.length
      items.write({ items: value }, writer)
      writer.varint(writer.length - before)
    },
    read: (reader, reading) => {
      const into: JsonObject = { items: [] }
      const message = reader.message()
      while (!message.done) {
        const key = message.varint()
        if (Math.floor(key / 8) === 1) items.read(into, message, key % 8, reading)
        else message.skip(key % 8)
      }
      return into.items ?? null
    },
  }
}

function listField(name: string, tag: number, schema: ListSchema, get: (object: JsonObject) => Json): FieldCodec {
  const item = valueCodec(schema.items)
  const add = (into: JsonObject, value: Json) => {
    const list = get(into)
    if (Array.isArray(list)) list.push(value)
    else setOwn(into, name, [value])
  }
  return {
    tag,
    write: (object, writer) => {
      const list = get(object)
      if (!Array.isArray(list)) return
      for (let i = list.length - 1; i >= 0; i--) {
        item.write(list[i] ?? null, writer)
        writer.tag(tag, item.wireType)
      }
    },
    read: (into, reader, wireType, reading) => {
      if (wireType === item.wireType) {
        add(into, item.read(reader, reading, null))
        return
      }
      // Numbers may be packed: many in one field.
      expectType(wireType, BYTES, name)
      const packed = reader.message()
      while (!packed.done) add(into, item.read(packed, reading, null))
    },
  }
}

function mapField(name: string, tag: number, schema: MapSchema, get: (object: JsonObject) => Json): FieldCodec {
  const value = valueCodec(schema.values)
  return {
    tag,
    write: (object, writer) => {
      const map = get(object)
      if (!isObject(map)) return
      for (const key of Object.keys(map).sort(byteOrder).reverse()) {
        writeMessage(writer, tag, () => {
          const item = map[key] ?? null
          if (item !== null || isAlwaysWritten(schema.values)) {
            value.write(item, writer)
            writer.tag(2, value.wireType)
          }
          writer.string(key)
          writer.tag(1, BYTES)
        })
      }
    },
    read: (into, reader, wireType, reading) => {
      expectType(wireType, BYTES, name)
      const known = get(into)
      const map = isObject(known) ? known : {}
      if (map !== known) setOwn(into, name, map)
      readEntry(map, reader.message(), value, reading)
    },
  }
}

function readEntry(map: JsonObject, entry: Reader, value: ValueCodec, reading: Reading) {
  let key = ''
  let item: Json = value.missing ?? null
  while (!entry.done) {
    const tag = entry.varint()
    if (tag === 8 + BYTES) key = entry.string()
    else if (tag === 16 + value.wireType) item = value.read(entry, reading, null)
    else entry.skip(tag % 8)
  }
  setOwn(map, key, item)
}

/** Keys in the order of their bytes, as Go sorts them. */
const byteOrder = (a: string, b: string) =>
  ASCII.test(a) && ASCII.test(b) ? (a < b ? -1 : 1) : Buffer.compare(Buffer.from(a), Buffer.from(b))
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII
const ASCII = /^[\x00-\x7f]*$/

function anyCodec(schema: AnySchema): ValueCodec {
  const { alternative } = schema
  if (alternative === undefined) {
    return { wireType: BYTES, write: writeOpaque, read: (reader, reading) => readOpaque(reader, reading.readEmbedded) }
  }
  const inner = valueCodec(alternative.schema)
  const list =
    alternative.kind === 'bool'
      ? undefined
      : listField('list', 2, { type: 'list', items: alternative.kind === 'schemas' ? alternative.schema : STRING }, (o) => o.list ?? null)
  const schemaTag = alternative.kind === 'bool' ? 2 : 1
  const write = (value: Json, writer: ReverseWriter) => {
    const before = writer.length
    if (list && Array.isArray(value)) list.write({ list: value }, writer)
    if (isObject(value)) {
      inner.write(value, writer)
      writer.tag(schemaTag, BYTES)
    }
    if (alternative.kind === 'bool') {
      writer.varint(value === true || isObject(value) ? 1 : 0)
      writer.tag(1, VARINT)
    }
    writer.varint(writer.length - before)
  }
  const read = (reader: Reader, reading: Reading): Json => {
    const message = reader.message()
    const into: JsonObject = {}
    let out: Json = alternative.kind === 'bool' ? false : null
    while (!message.done) {
      const key = message.varint()
      const tag = Math.floor(key / 8)
      if (tag === schemaTag && key % 8 === BYTES) out = inner.read(message, deeper(reading), null)
      else if (alternative.kind === 'bool' && key === 8) out = message.varint() !== 0 ? (isObject(out) ? out : true) : out
      else if (list && tag === 2) list.read(into, message, key % 8, deeper(reading))
      else message.skip(key % 8)
    }
    return into.list ?? out
  }
  return { wireType: BYTES, write, read }
}

const STRING: ScalarSchema = { type: 'scalar', scalar: 'string' }

function writeMessage(writer: ReverseWriter, tag: number, write: () => void) {
  const before = writer.length
  write()
  writer.varint(writer.length - before)
  writer.tag(tag, BYTES)
}

const deeper = (reading: Reading): Reading => ({ depth: reading.depth + 1, readEmbedded: reading.readEmbedded })

function expectType(found: number, wanted: number, field: string) {
  if (found !== wanted) throw new ProtobufError(`proto: wrong wireType = ${found} for field ${goFieldName(field)}`)
}

const goFieldName = (field: string) => (field === 'metadata' ? 'ObjectMeta' : `${field.charAt(0).toUpperCase()}${field.slice(1)}`)
