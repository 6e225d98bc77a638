import type { Json } from '../object.ts'
import type { Scalar } from '../schema/schema.ts'
import { BYTES, ProtobufError, type Reader, type ReverseWriter, VARINT } from './wire.ts'

/** Writes a scalar without its tag; null is the zero value. */
export function writeScalar(scalar: Scalar, value: Json, writer: ReverseWriter) {
  switch (scalar) {
    case 'string':
      return writer.string(typeof value === 'string' ? value : '')
    case 'bool':
      return writer.varint(value === true ? 1 : 0)
    case 'int32':
    case 'int64':
    case 'integer':
      return writer.int(toInteger(value))
    case 'float64':
    case 'number':
      return writer.double(Number(value ?? 0))
    case 'bytes':
      return writer.bytes(typeof value === 'string' ? Buffer.from(value, 'base64') : EMPTY)
    case 'quantity':
      return inMessage(writer, () => {
        writer.string(value === null ? '0' : String(value))
        writer.tag(1, BYTES)
      })
    case 'time':
    case 'microtime':
      return writeTime(typeof value === 'string' ? value : undefined, writer)
    case 'duration':
      throw new Error('no served type of Kubernetes has a duration')
    case 'int-or-string':
      return inMessage(writer, () => {
        writer.string(typeof value === 'string' ? value : '')
        writer.tag(3, BYTES)
        writer.int(typeof value === 'string' ? 0 : toInteger(value))
        writer.tag(2, VARINT)
        writer.varint(typeof value === 'string' ? 1 : 0)
        writer.tag(1, VARINT)
      })
  }
}

/** Reads a scalar after its tag. */
export function readScalar(scalar: Scalar, reader: Reader): Json {
  switch (scalar) {
    case 'string':
      return reader.string()
    case 'bool':
      return reader.varint() !== 0
    case 'int32':
      return Number(BigInt.asIntN(32, BigInt(reader.int())))
    case 'int64':
    case 'integer':
      return reader.int()
    case 'float64':
    case 'number':
      return reader.double()
    case 'bytes':
      return reader.bytes().toString('base64')
    case 'quantity':
      return readQuantity(reader)
    case 'time':
    case 'microtime':
      return readTime(reader, scalar === 'microtime')
    case 'duration':
      throw new ProtobufError('proto: no served type of Kubernetes has a duration')
    case 'int-or-string':
      return readIntOrString(reader)
  }
}

const EMPTY = Buffer.alloc(0)

function toInteger(value: Json): number | bigint {
  return typeof value === 'bigint' || typeof value === 'number' ? value : 0
}

function inMessage(writer: ReverseWriter, write: () => void) {
  const before = writer.length
  write()
  writer.varint(writer.length - before)
}

/** Seconds and nanoseconds since 1970; the zero time is an empty message. */
function writeTime(text: string | undefined, writer: ReverseWriter) {
  const before = writer.length
  if (text !== undefined) {
    writer.varint(nanosecondsIn(text))
    writer.tag(2, VARINT)
    writer.int(Date.parse(`${text.slice(0, 19)}Z`) / 1000)
    writer.tag(1, VARINT)
  }
  writer.varint(writer.length - before)
}

function nanosecondsIn(time: string): number {
  if (!time.includes('.')) return 0
  const fraction = /\.(\d+)/.exec(time)?.[1] ?? ''
  return Number(fraction.slice(0, 9).padEnd(9, '0'))
}

function readTime(reader: Reader, micro: boolean): string | null {
  const message = reader.message()
  if (message.done) return null
  const { 1: seconds = 0, 2: nanos = 0 } = integers(message)
  const at = Number(seconds)
  if (!(at >= -62_135_596_800 && at <= 253_402_300_799)) throw new ProtobufError('proto: time out of range')
  const whole = new Date(at * 1000).toISOString().slice(0, 19)
  return micro ? `${whole}.${String(Math.floor(Number(nanos) / 1000)).padStart(6, '0')}Z` : `${whole}Z`
}

function readQuantity(reader: Reader): string {
  const message = reader.message()
  let text = '0'
  while (!message.done) {
    const key = message.varint()
    if (key === 8 + BYTES) text = message.string()
    else message.skip(key % 8)
  }
  return text
}

function readIntOrString(reader: Reader): Json {
  const message = reader.message()
  const numbers: Record<number, number | bigint> = {}
  let text = ''
  while (!message.done) {
    const key = message.varint()
    if (key === 24 + BYTES) text = message.string()
    else if (key % 8 === VARINT) numbers[Math.floor(key / 8)] = message.int()
    else message.skip(key % 8)
  }
  return Number(numbers[1] ?? 0) === 1 ? text : Number(numbers[2] ?? 0)
}

function integers(message: Reader): Record<number, number | bigint> {
  const found: Record<number, number | bigint> = {}
  while (!message.done) {
    const key = message.varint()
    if (key % 8 === VARINT) found[Math.floor(key / 8)] = message.int()
    else message.skip(key % 8)
  }
  return found
}
