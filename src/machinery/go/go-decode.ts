import { isObject, type Json, type JsonObject } from '../object.ts'
import { parseGoDuration } from './go-duration.ts'
import { type GoStruct, type GoType, goTypeName } from './go-type.ts'

export interface GoDecoded {
  /** The members that fit the type; null and other members are left out. */
  readonly value: Json | undefined
  /** The first member that does not fit, in Go's words. */
  readonly fault: string | undefined
  /** Paths of unknown fields, in order. */
  readonly unknown: readonly string[]
}

export interface GoDecodeOptions {
  /** As in `encoding/json`, but not in Kubernetes' own decoder. */
  readonly ignoreCase?: boolean
}

/** Decodes a JSON value into a Go type as `json.Unmarshal` does: the first mismatch is reported and skipped, the rest is decoded. */
export function goDecode(value: Json, type: GoType, options: GoDecodeOptions = {}): GoDecoded {
  const decoder = new Decoder(options.ignoreCase === true)
  const decoded = decoder.read(value, type, { struct: undefined, path: [], shown: '' })
  return { value: decoded, fault: decoder.fault, unknown: decoder.unknown }
}

interface FieldPosition {
  /** The struct of the current field; undefined at the top. */
  readonly struct: GoStruct | undefined
  /** Names of fields from the top, without indices, for errors. */
  readonly path: readonly string[]
  /** The same with indices, for strict errors. */
  readonly shown: string
}

class Decoder {
  fault: string | undefined
  readonly unknown: string[] = []
  readonly #ignoreCase: boolean

  constructor(ignoreCase: boolean) {
    this.#ignoreCase = ignoreCase
  }

  read(value: Json, type: GoType, at: FieldPosition): Json | undefined {
    if (value === null) {
      if (type.kind === 'duration' && type.readsNull === true) this.#note('time: invalid duration ""')
      return undefined
    }
    switch (type.kind) {
      case 'any':
        return value
      case 'list':
        if (!Array.isArray(value)) return this.#mismatch(value, type, at)
        return value.map((item, i) => this.read(item, type.of, { ...at, shown: `${at.shown}[${i}]` }) ?? zero(type.of))
      case 'map':
        return isObject(value) ? this.#readMap(value, type.of, at) : this.#mismatch(value, type, at)
      case 'struct':
        return isObject(value) ? this.#readStruct(value, type, at) : this.#mismatch(value, type, at)
      default:
        return this.#readLiteral(value, type, at)
    }
  }

  #readMap(value: Readonly<JsonObject>, of: GoType, at: FieldPosition): Json {
    const read: Record<string, Json> = Object.create(null)
    for (const [key, item] of Object.entries(value))
      read[key] = this.read(item ?? null, of, { ...at, shown: `${at.shown}.${key}` }) ?? zero(of)
    return read
  }

  #readStruct(value: Readonly<JsonObject>, type: GoStruct, at: FieldPosition): Json {
    const read: Record<string, Json> = {}
    for (const [key, item] of Object.entries(value)) {
      const name = this.#fieldOf(type, key)
      const shown = at.shown === '' ? key : `${at.shown}.${key}`
      const field = name === undefined ? undefined : type.fields[name]
      if (name === undefined || field === undefined) {
        this.unknown.push(shown)
        continue
      }
      const decoded = this.read(item ?? null, field, { struct: type, path: [...at.path, name], shown })
      if (decoded !== undefined) read[name] = decoded
    }
    return read
  }

  #fieldOf({ fields }: GoStruct, key: string): string | undefined {
    if (Object.hasOwn(fields, key)) return key
    if (!this.#ignoreCase) return undefined
    const lower = key.toLowerCase()
    return Object.keys(fields).find((name) => name.toLowerCase() === lower)
  }

  #readLiteral(value: Json, type: GoType, at: FieldPosition): Json | undefined {
    switch (type.kind) {
      case 'string':
        return typeof value === 'string' ? value : this.#mismatch(value, type, at)
      case 'bool':
        return typeof value === 'boolean' ? value : this.#mismatch(value, type, at)
      case 'duration':
        if (typeof value !== 'string') return this.#mismatch(value, type, at)
        if (parseGoDuration(value) === undefined) this.#note(`time: invalid duration ${JSON.stringify(value)}`)
        return value
      case 'bytes':
        if (typeof value !== 'string') return this.#mismatch(value, type, at)
        return this.#base64(value)
      case 'int32':
      case 'int64':
        return isInteger(value, type.kind) ? value : this.#mismatch(value, type, at)
      default:
        return typeof value === 'number' || typeof value === 'bigint' ? value : this.#mismatch(value, type, at)
    }
  }

  #base64(value: string): Json | undefined {
    const wrong = /[^A-Za-z0-9+/=\r\n]/.exec(value)
    if (wrong === null && value.replace(/[\r\n]/g, '').length % 4 === 0) return value
    this.#note(`illegal base64 data at input byte ${wrong?.index ?? value.length - (value.length % 4)}`)
    return undefined
  }

  #mismatch(value: Json, type: GoType, { struct, path }: FieldPosition): undefined {
    const where = struct === undefined ? 'value' : `struct field ${struct.name.replace(/^.*\./, '')}.${path.join('.')}`
    this.#note(`json: cannot unmarshal ${described(value, type)} into Go ${where} of type ${goTypeName(type)}`)
    return undefined
  }

  #note(fault: string): void {
    this.fault ??= fault
  }
}

function isInteger(value: Json, kind: 'int32' | 'int64'): boolean {
  if (typeof value === 'bigint') return kind === 'int64' && BigInt.asIntN(64, value) === value
  return typeof value === 'number' && Number.isInteger(value) && (kind === 'int64' || Math.abs(value) < 2 ** 31 || value === -(2 ** 31))
}

/** Go's description of a value; a number is included if a number was expected. */
function described(value: Json, wanted: GoType): string {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'object') return 'object'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'string') return 'string'
  return /^(int|float)/.test(wanted.kind) ? `number ${value}` : 'number'
}

/** The zero value for a list element that was null or did not fit. */
function zero(type: GoType): Json {
  switch (type.kind) {
    case 'struct':
      return {}
    case 'string':
    case 'bytes':
      return ''
    case 'duration':
      return '0s'
    case 'bool':
      return false
    case 'list':
    case 'map':
    case 'any':
      return null
    default:
      return 0
  }
}
