import { memo } from '../../base/collections/memo.ts'
import { durationText, parseDuration } from '../go/go-duration.ts'
import { TimeError } from '../go/time-error.ts'
import { encodeJson } from '../json/strict-json.ts'
import type { Json } from '../object.ts'
import { parseQuantity, QuantityError } from '../quantity.ts'
import { DecodeError, type DecodeState } from './decode-state.ts'
import { canonicalMicroTime, canonicalTime, isZeroTime } from './go-time.ts'
import type { Scalar } from './schema.ts'

/** Decodes one scalar that is not null. Faults are collected in the state; those of Go types with a decoder of their own are thrown. */
export type ScalarDecoder = (value: Json, state: DecodeState) => Json | undefined

/** The decoder of a scalar whose Go type is `go`. */
export function scalarDecoder(scalar: Scalar, go: string): ScalarDecoder {
  switch (scalar) {
    case 'string':
      return (value, state) => {
        if (typeof value === 'string') return value
        state.typeFault(value, go)
        return undefined
      }
    case 'bool':
      return (value, state) => {
        if (typeof value === 'boolean') return value
        state.typeFault(value, go)
        return undefined
      }
    case 'int32':
      return (value, state) => integer(value, state, INT32, go)
    case 'int64':
    case 'integer':
      return (value, state) => integer(value, state, INT64, go)
    case 'float64':
    case 'number':
      return (value, state) => {
        if (typeof value === 'bigint') return Number(value)
        if (typeof value !== 'number') state.typeFault(value, go)
        else if (Number.isFinite(value)) return value
        else state.numberFault(value, go)
        return undefined
      }
    case 'bytes':
      return (value, state) => bytes(value, state, go)
    case 'time':
      return (value, state) => time(value, state, canonicalTime)
    case 'microtime':
      return (value, state) => time(value, state, canonicalMicroTime)
    case 'duration':
      return (value, state) => ownDecoder(canonicalDuration, text(value, state))
    case 'quantity':
      return quantity
    case 'int-or-string':
      return (value, state) => {
        if (typeof value === 'string') return value
        const number = integer(value, state, INT32, 'int32')
        if (state.fault !== undefined && number === undefined) throw state.fault
        return number
      }
  }
}

/** The zero value of a scalar, as Go writes it. */
export function scalarZero(scalar: Scalar): Json {
  switch (scalar) {
    case 'string':
      return ''
    case 'bool':
      return false
    case 'bytes':
    case 'time':
    case 'microtime':
      return null
    case 'duration':
      return '0s'
    case 'quantity':
      return '0'
    default:
      return 0
  }
}

interface IntegerRange {
  readonly min: number | bigint
  readonly max: number | bigint
}

const INT32: IntegerRange = { min: -2147483648, max: 2147483647 }
const UINT8: IntegerRange = { min: 0, max: 255 }
const INT64: IntegerRange = { min: -(2n ** 63n), max: 2n ** 63n - 1n }

/** Whether a number is written without a fraction and an exponent, and is not one that only rounding brings to the least integer. */
const isWhole = (text: string, min: number | bigint) => /^-?\d+$/.test(text) && (text.length < 20 || BigInt(text) >= min)

function integer(value: Json, state: DecodeState, { min, max }: IntegerRange, go: string): number | bigint | undefined {
  if (typeof value === 'number') {
    const isWithin = Number.isInteger(value) && value >= min && value <= max
    if (isWithin && (state.numbers === undefined || isWhole(state.numberText(value), min))) return value === 0 ? 0 : value
    state.numberFault(value, go)
  } else if (typeof value === 'bigint') {
    if (value >= min && value <= max) return value
    state.numberFault(value, go)
  } else state.typeFault(value, go)
  return undefined
}

/** A Go slice of bytes: base64, or a list of bytes as numbers. The result is canonical base64. */
function bytes(value: Json, state: DecodeState, go: string): string | undefined {
  if (typeof value === 'string') {
    if (CANONICAL_BASE64.test(value) && value.length % 4 === 0 && !/[^AQgw]==$|[^AEIMQUYcgkosw048]=$/.test(value)) return value
    const at = illegalBase64(value)
    if (at >= 0) {
      state.valueFault(`illegal base64 data at input byte ${at}`)
      return undefined
    }
    return Buffer.from(value, 'base64').toString('base64')
  }
  if (!Array.isArray(value)) {
    state.typeFault(value, go)
    return undefined
  }
  const all = value.map((item) => (item === null ? 0 : Number(integer(item, state, UINT8, 'uint8') ?? 0)))
  return Buffer.from(all).toString('base64')
}

const CANONICAL_BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

/** The offset at which Go's base64 decoder fails, or -1. It skips line breaks. */
function illegalBase64(text: string): number {
  const input = Buffer.from(text)
  let at = 0
  const skip = () => {
    while (at < input.length && (input[at] === 10 || input[at] === 13)) at++
  }
  for (;;) {
    for (let j = 0; j < 4; j++) {
      skip()
      if (at === input.length) return j === 0 ? -1 : at - j
      const code = input[at++] ?? 0
      if (isBase64(code)) continue
      if (code !== 61 || j < 2) return at - 1
      if (j === 2) {
        skip()
        if (at === input.length) return input.length
        if (input[at] !== 61) return at
        at++
      }
      skip()
      return at < input.length ? at : -1
    }
  }
}

const isBase64 = (c: number) => (c >= 65 && c <= 90) || (c >= 97 && c <= 122) || (c >= 48 && c <= 57) || c === 43 || c === 47

/** Times and durations are strings on the wire; the inner decoder reports other values, and stops. */
function text(value: Json, state: DecodeState): string {
  if (typeof value === 'string') return value
  state.fault = undefined
  state.typeFault(value, 'string')
  throw state.fault ?? new DecodeError('type', 'not a string')
}

function time(value: Json, state: DecodeState, canonical: (text: string) => string): string | null {
  const written = ownDecoder(canonical, text(value, state))
  return isZeroTime(written) ? null : written
}

function quantity(value: Json, state: DecodeState): string {
  if (typeof value === 'string') return quantityOfText(value)
  const isNumber = typeof value === 'number' || typeof value === 'bigint'
  return ownDecoder(canonicalQuantity, (isNumber ? state.numberText(value) : encodeJson(value)).trim())
}

/** A cluster has few quantities, and each of them many times. */
const quantityOfText = memo((text) => ownDecoder(canonicalQuantity, JSON.stringify(text).slice(1, -1).trim()), {
  most: 1024,
  keeps: (text) => text.length <= 32,
})

const canonicalDuration = (written: string): string => durationText(parseDuration(written))
const canonicalQuantity = (written: string): string => parseQuantity(written).toString()

/**
 * A fault of a Go type's own decoder ends decoding and replaces collected faults. Allocates nothing for a canonical text: there are many
 * times.
 */
function ownDecoder(canonical: (written: string) => string, written: string): string {
  try {
    return canonical(written)
  } catch (error) {
    if (error instanceof TimeError || error instanceof QuantityError) throw new DecodeError('value', error.message)
    throw error
  }
}
