import { BYTES, ProtobufError, Reader, ReverseWriter, VARINT } from './wire.ts'

/** A message of proto3, described by its fields' names and numbers: absent fields read as empty, unknown fields are skipped. */
export interface MessageType<T> {
  encode(value: T): Buffer
  /** Throws {@link ProtobufError}. */
  decode(bytes: Uint8Array): T
  /** Writes the message alone, without its length. */
  write(writer: ReverseWriter, value: T): void
  /** Reads to the end. Throws {@link ProtobufError}. */
  read(reader: Reader): T
  /** A message with these fields; the others are empty. */
  of(fields: Partial<T>): T
}

/** The TypeScript type of a message. */
export type MessageOf<M> = M extends MessageType<infer T> ? T : never

interface Field<V> {
  readonly number: number
  empty(): V
  /** Writes the field backwards, as `ReverseWriter` requires. */
  write(writer: ReverseWriter, value: V): void
  read(reader: Reader, wireType: number, before: V): V
}

type Fields<T> = { readonly [K in keyof T]: Field<T[K]> }

/** A message with these fields. */
export function message<T extends object>(fields: Fields<T>): MessageType<T> {
  const entries = Object.entries(fields) as [keyof T & string, Field<unknown>][]
  const byNumber: { readonly name: string; readonly field: Field<unknown> }[] = []
  for (const [name, field] of entries) byNumber[field.number] = { name, field }
  const lastFirst = [...entries].sort(([, a], [, b]) => b.number - a.number)
  const blank = Object.fromEntries(entries.map(([name, field]) => [name, field.empty()]))
  // Lists and maps are filled in place, so each message has its own.
  const own = entries.filter(([name]) => typeof blank[name] === 'object' && blank[name] !== NO_BYTES)
  const empty = () => {
    const made = { ...blank }
    for (const [name, field] of own) made[name] = field.empty()
    return made
  }
  const write = (writer: ReverseWriter, value: T) => {
    for (const [name, field] of lastFirst) field.write(writer, value[name])
  }
  const read = (reader: Reader) => {
    const out = empty()
    while (!reader.done) {
      const key = reader.varint()
      const known = byNumber[Math.floor(key / 8)]
      if (known === undefined) reader.skip(key % 8)
      else out[known.name] = known.field.read(reader, key % 8, out[known.name])
    }
    return out as T
  }
  return {
    of: (given) => ({ ...(empty() as T), ...given }),
    encode(value) {
      const writer = new ReverseWriter(256)
      write(writer, value)
      return writer.finish()
    },
    decode: (bytes) => read(new Reader(bytes)),
    write,
    read,
  }
}

/** Writes a message with its length, and the number of its field. */
function writeNested<T>(writer: ReverseWriter, { type, number, value }: { type: MessageType<T>; number: number; value: T }): void {
  const before = writer.length
  type.write(writer, value)
  writer.varint(writer.length - before)
  writer.tag(number, BYTES)
}

const expect = (number: number, wireType: number, wanted: number) => {
  if (wireType !== wanted) throw new ProtobufError(`proto: field ${number} has wire type ${wireType} in place of ${wanted}`)
}

export const text = (number: number): Field<string> => ({
  number,
  empty: () => '',
  write(writer, value) {
    if (value === '') return
    writer.string(value)
    writer.tag(number, BYTES)
  },
  read(reader, wireType) {
    expect(number, wireType, BYTES)
    return reader.string()
  },
})

export const bytes = (number: number): Field<Uint8Array> => ({
  number,
  empty: () => NO_BYTES,
  write(writer, value) {
    if (value.byteLength === 0) return
    writer.bytes(value)
    writer.tag(number, BYTES)
  },
  read(reader, wireType) {
    expect(number, wireType, BYTES)
    return reader.bytes()
  },
})

const NO_BYTES = new Uint8Array(0)

export const bool = (number: number): Field<boolean> => ({
  number,
  empty: () => false,
  write(writer, value) {
    if (!value) return
    writer.varint(1)
    writer.tag(number, VARINT)
  },
  read(reader, wireType) {
    expect(number, wireType, VARINT)
    return reader.varint() !== 0
  },
})

/** int32 and int64: values beyond 2^53 are rounded. */
export const int = (number: number): Field<number> => ({
  number,
  empty: () => 0,
  write(writer, value) {
    if (value === 0) return
    writer.int(value)
    writer.tag(number, VARINT)
  },
  read(reader, wireType) {
    expect(number, wireType, VARINT)
    return reader.number()
  },
})

export const texts = (number: number): Field<readonly string[]> => ({
  number,
  empty: () => [],
  write(writer, values) {
    for (let i = values.length - 1; i >= 0; i--) {
      writer.string(values[i] ?? '')
      writer.tag(number, BYTES)
    }
  },
  read(reader, wireType, before) {
    expect(number, wireType, BYTES)
    return appended(before, reader.string())
  },
})

/** Packed integers, as in proto3. */
export const ints = (number: number): Field<readonly number[]> => ({
  number,
  empty: () => [],
  write(writer, values) {
    if (values.length === 0) return
    const before = writer.length
    for (let i = values.length - 1; i >= 0; i--) writer.int(values[i] ?? 0)
    writer.varint(writer.length - before)
    writer.tag(number, BYTES)
  },
  read(reader, wireType, before) {
    if (wireType === VARINT) return appended(before, reader.number())
    expect(number, wireType, BYTES)
    const packed = reader.message()
    let out = before
    while (!packed.done) out = appended(out, packed.number())
    return out
  },
})

/** A message in a message; undefined if absent. */
export const one = <T>(number: number, type: MessageType<T>): Field<T | undefined> => ({
  number,
  empty: () => undefined,
  write(writer, value) {
    if (value !== undefined) writeNested(writer, { type, number, value })
  },
  read(reader, wireType) {
    expect(number, wireType, BYTES)
    return type.read(reader.message())
  },
})

export const many = <T>(number: number, type: MessageType<T>): Field<readonly T[]> => ({
  number,
  empty: () => [],
  write(writer, values) {
    for (let i = values.length - 1; i >= 0; i--) writeNested(writer, { type, number, value: values[i] as T })
  },
  read(reader, wireType, before) {
    expect(number, wireType, BYTES)
    return appended(before, type.read(reader.message()))
  },
})

const PAIR = message<{ key: string; value: string }>({ key: text(1), value: text(2) })

/** `map<string, string>`; the order is kept. */
export const textMap = (number: number): Field<ReadonlyMap<string, string>> => ({
  number,
  empty: () => new Map(),
  write(writer, values) {
    for (const [key, value] of [...values].reverse()) writeNested(writer, { type: PAIR, number, value: { key, value } })
  },
  read(reader, wireType, before) {
    expect(number, wireType, BYTES)
    const { key, value } = PAIR.read(reader.message())
    const into = before as Map<string, string>
    return into.set(key, value)
  },
})

/** `map<string, Message>`; the order is kept, of two with one key the last wins. */
export const messageMap = <T>(number: number, type: MessageType<T>): Field<ReadonlyMap<string, T>> => {
  const pair = message<{ key: string; value: T | undefined }>({ key: text(1), value: one(2, type) })
  return {
    number,
    empty: () => new Map(),
    write(writer, values) {
      for (const [key, value] of [...values].reverse()) writeNested(writer, { type: pair, number, value: { key, value } })
    },
    read(reader, wireType, before) {
      expect(number, wireType, BYTES)
      const { key, value } = pair.read(reader.message())
      const into = before as Map<string, T>
      return into.set(key, value ?? type.decode(new Uint8Array()))
    },
  }
}

/** Appends in place, because `empty` created the list for this message: reading stays linear. */
function appended<V>(list: readonly V[], value: V): readonly V[] {
  const own = list as V[]
  own.push(value)
  return own
}
