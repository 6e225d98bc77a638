import { goQuote } from '../field-error.ts'
import { isObject, type Json, type JsonObject, setOwn } from '../object.ts'

/** Invalid JSON. The message is Go's: `invalid character 'x' looking for beginning of value`. */
export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError'
  /** `float-range`: a number beyond float64. */
  readonly code: 'syntax' | 'float-range'

  constructor(message: string, code: JsonSyntaxError['code'] = 'syntax') {
    super(message)
    this.code = code
  }
}

/** A text with more values, or an object with more members, than permitted. */
export class JsonTooLargeError extends Error {
  override readonly name = 'JsonTooLargeError'
}

interface Limits {
  readonly maxDepth: number
  /** Merges the objects of a duplicate key. */
  readonly merge: boolean
  /** Most members of one object, counting duplicates twice. */
  readonly maxMembers: number
  /** Notes the order of fields. */
  readonly places: boolean
  /** Numbers beyond float64 become infinite; otherwise they are refused. */
  readonly infinite: boolean
}

/** Go stops reporting duplicate keys after this many. */
const maxDuplicates = 100
/** Paths are as long as their keys: after this many, no duplicates are reported, even of the same few keys. */
const maxDuplicatePaths = 1000
const maxInt64 = 2n ** 63n - 1n

/**
 * The texts of numbers that JavaScript writes differently (`80.0`, `1e3`), by their object or list and their key or index: Go's faults
 * contain them, and its integers reject them.
 */
export type NumberTexts = ReadonlyMap<object, ReadonlyMap<string | number, string>>

/** The earlier values of duplicate members, by object and key. The object itself has the last value. */
export type RepeatedValues = ReadonlyMap<object, ReadonlyMap<string, readonly Json[]>>

/** The order of the fields of a text: numbers that grow from key to key. Go reports unknown and duplicate fields in this order. */
export interface FieldPlaces {
  /** Where each member of an object stands first. */
  readonly fields: ReadonlyMap<object, ReadonlyMap<string, number>>
  /** Where a field stands for the second time, by its path. */
  readonly duplicates: ReadonlyMap<string, number>
}

export interface CarefulJson {
  readonly value: Json
  readonly duplicates: string[]
  readonly places: FieldPlaces
  readonly numbers: NumberTexts
  readonly repeated: RepeatedValues
}

interface Frame {
  readonly container: JsonObject | Json[]
  /** The key of the value that follows; lists use their length instead. */
  key: string
  /** The number of keys read so far. */
  members: number
  /** Duplicate keys of this object that were reported. */
  known: Set<string> | undefined
}

const space = /[ \t\r\n]*/y
const number = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/y
// biome-ignore lint/suspicious/noControlCharactersInRegex: exactly what a string of JSON may hold unescaped
const plainString = /"[^"\\\u0000-\u001f]*"/y

/**
 * A resumable parser: call `read` until it returns true. Its state is not on the call stack, so it can stop anywhere and does not recurse.
 */
export class JsonParser {
  readonly #text: string
  readonly #limits: Limits
  readonly #frames: Frame[] = []
  readonly #duplicates = new Map<string, number>()
  readonly #places = new Map<object, Map<string, number>>()
  #keys = 0
  readonly #numbers = new Map<object, Map<string | number, string>>()
  readonly #repeated = new Map<object, Map<string, Json[]>>()
  #paths = 0
  #at = 0
  #done = false
  #value: Json = null
  /** The text of the last number, if it must be kept. */
  #numberText: string | undefined

  constructor(text: string, limits: Limits) {
    this.#text = text
    this.#limits = limits
  }

  /**
   * Reads at most this many further values; returns true at the end of the text.
   * @throws {JsonSyntaxError}
   * @throws {JsonTooLargeError}
   */
  read(values: number): boolean {
    for (let i = 0; i < values && !this.#done; i++) this.#next()
    return this.#done
  }

  get result(): CarefulJson {
    const places = { fields: this.#places, duplicates: this.#duplicates }
    return { value: this.#value, duplicates: [...this.#duplicates.keys()], places, numbers: this.#numbers, repeated: this.#repeated }
  }

  /** Reads one value: a scalar, an empty list or object, or the beginning of a non-empty one. */
  #next(): void {
    this.#space()
    this.#numberText = undefined
    switch (this.#text[this.#at]) {
      case '{':
        this.#open({})
        break
      case '[':
        this.#open([])
        break
      case '"':
        this.#put(this.#string())
        break
      case 't':
        this.#put(this.#literal('true', true))
        break
      case 'f':
        this.#put(this.#literal('false', false))
        break
      case 'n':
        this.#put(this.#literal('null', null))
        break
      default:
        this.#put(this.#number())
    }
  }

  #open(container: JsonObject | Json[]): void {
    if (this.#frames.length >= this.#limits.maxDepth) this.#fail('exceeded max depth')
    this.#at++
    this.#space()
    if (this.#text[this.#at] === (Array.isArray(container) ? ']' : '}')) {
      this.#at++
      this.#put(container)
      return
    }
    const frame: Frame = { container, key: '', members: 0, known: undefined }
    this.#frames.push(frame)
    if (!Array.isArray(container)) this.#key(frame, container)
  }

  #key(frame: Frame, object: JsonObject): void {
    if (++frame.members > this.#limits.maxMembers)
      throw new JsonTooLargeError(`an object with more than ${this.#limits.maxMembers} members`)
    this.#space()
    if (this.#text[this.#at] !== '"') this.#fail('looking for beginning of object key string')
    frame.key = this.#string()
    this.#space()
    if (this.#text[this.#at] !== ':') this.#fail('after object key')
    this.#at++
    this.#keys++
    if (Object.hasOwn(object, frame.key)) this.#tellDuplicate(frame)
    else if (this.#limits.places) this.#keepPlace(object, frame.key, this.#keys)
  }

  /** Adds a complete value to its container, and closes containers that end after it. */
  #put(whole: Json): void {
    let value = whole
    for (;;) {
      const frame = this.#frames.at(-1)
      if (frame === undefined) {
        this.#space()
        if (this.#at < this.#text.length) this.#fail('after top-level value')
        this.#value = value
        this.#done = true
        return
      }
      const { container } = frame
      if (Array.isArray(container)) {
        this.#keepText(container, container.length)
        container.push(value)
      } else this.#assign(frame, container, value)
      this.#numberText = undefined
      this.#space()
      const c = this.#text[this.#at]
      if (c === ',') {
        this.#at++
        if (!Array.isArray(container)) this.#key(frame, container)
        return
      }
      if (c !== (Array.isArray(container) ? ']' : '}'))
        this.#fail(Array.isArray(container) ? 'after array element' : 'after object key:value pair')
      this.#at++
      this.#frames.pop()
      value = container
    }
  }

  #assign(frame: Frame, object: JsonObject, value: Json): void {
    const { key } = frame
    if (!Object.hasOwn(object, key)) {
      this.#keepText(object, key)
      setOwn(object, key, value)
      return
    }
    const merged = this.#limits.merge ? this.#merge(object[key], value) : value
    if (!this.#limits.merge) this.#keepRepeated(object, key)
    this.#keepText(object, key)
    setOwn(object, key, merged)
  }

  #tellDuplicate(frame: Frame): void {
    if (this.#duplicates.size >= maxDuplicates || this.#paths >= maxDuplicatePaths || frame.known?.has(frame.key)) return
    frame.known ??= new Set()
    frame.known.add(frame.key)
    this.#paths++
    let path = ''
    for (const { container, key } of this.#frames)
      path += Array.isArray(container) ? `[${container.length}]` : path === '' ? key : `.${key}`
    if (!this.#duplicates.has(path)) this.#duplicates.set(path, this.#keys)
  }

  #keepPlace(object: object, key: string, place: number): void {
    const places = this.#places.get(object)
    if (places === undefined) this.#places.set(object, new Map([[key, place]]))
    else if (!places.has(key)) places.set(key, place)
  }

  #keepRepeated(object: JsonObject, key: string): void {
    const values = this.#repeated.get(object) ?? new Map<string, Json[]>()
    this.#repeated.set(object, values)
    const earlier = values.get(key)
    if (earlier === undefined) values.set(key, [object[key] ?? null])
    else earlier.push(object[key] ?? null)
  }

  #keepText(container: object, key: string | number): void {
    const text = this.#numberText
    const texts = this.#numbers.get(container)
    if (text === undefined) texts?.delete(key)
    else if (texts !== undefined) texts.set(key, text)
    else this.#numbers.set(container, new Map([[key, text]]))
  }

  /** Merges the second object into the first, as Go does when it decodes into a struct twice. */
  #merge(old: Json | undefined, value: Json): Json {
    if (!isObject(old) || !isObject(value)) return value
    const texts = this.#numbers.get(value)
    const merged: [JsonObject, JsonObject, typeof texts][] = [[old, value, texts]]
    for (let next = merged.pop(); next !== undefined; next = merged.pop()) {
      const [into, from, fromTexts] = next
      for (const key of Object.keys(from)) {
        const item = from[key]
        const before = Object.hasOwn(into, key) ? into[key] : undefined
        if (isObject(before) && isObject(item)) {
          merged.push([before, item, this.#numbers.get(item)])
          continue
        }
        this.#numberText = fromTexts?.get(key)
        this.#keepText(into, key)
        const place = this.#places.get(from)?.get(key)
        if (place !== undefined) this.#keepPlace(into, key, place)
        setOwn(into, key, item)
      }
    }
    this.#numberText = undefined
    return old
  }

  #string(): string {
    const start = this.#at
    plainString.lastIndex = start
    const plain = plainString.exec(this.#text)
    if (plain !== null) {
      this.#at = plainString.lastIndex
      return plain[0].slice(1, -1).toWellFormed()
    }
    this.#at++
    for (;;) {
      const c = this.#text.charCodeAt(this.#at)
      if (Number.isNaN(c) || c < 0x20) this.#fail('in string literal')
      this.#at++
      if (c === 0x22) return (JSON.parse(this.#text.slice(start, this.#at)) as string).toWellFormed()
      if (c === 0x5c) this.#escape()
    }
  }

  #escape(): void {
    const c = this.#text.charCodeAt(this.#at)
    if (!ESCAPES.has(c)) this.#fail('in string escape code')
    this.#at++
    if (c !== LETTER_U) return
    for (let i = 0; i < 4; i++) {
      if (!isHexDigit(this.#text.charCodeAt(this.#at))) this.#fail('in \\u hexadecimal character escape')
      this.#at++
    }
  }

  #literal<T extends Json>(word: string, value: T): T {
    for (const letter of word) {
      if (this.#text[this.#at] !== letter) this.#fail(`in literal ${word} (expecting '${letter}')`)
      this.#at++
    }
    return value
  }

  #number(): Json {
    number.lastIndex = this.#at
    const match = number.exec(this.#text)
    if (match === null) {
      const sign = this.#text[this.#at] === '-'
      if (sign) this.#at++
      return this.#fail(sign ? 'in numeric literal' : 'looking for beginning of value')
    }
    this.#at = number.lastIndex
    this.#checkNumberEnd(match[1] !== undefined, match[2] !== undefined)
    const value = Number(match[0])
    if (!Number.isFinite(value) && !this.#limits.infinite)
      throw new JsonSyntaxError(`json: cannot unmarshal number ${match[0]} into Go value of type float64`, 'float-range')
    const isInteger = match[1] === undefined && match[2] === undefined
    const result = isInteger && !Number.isSafeInteger(value) ? wholeNumber(match[0], value) : value
    if (String(result) !== match[0]) this.#numberText = match[0]
    return result
  }

  #checkNumberEnd(hasFraction: boolean, hasExponent: boolean): void {
    if (hasExponent) return
    const c = this.#text[this.#at]
    if (c === '.' && !hasFraction) {
      this.#at++
      this.#fail('after decimal point in numeric literal')
    }
    if (c !== 'e' && c !== 'E') return
    this.#at++
    if (this.#text[this.#at] === '+' || this.#text[this.#at] === '-') this.#at++
    this.#fail('in exponent of numeric literal')
  }

  #space(): void {
    space.lastIndex = this.#at
    space.exec(this.#text)
    this.#at = space.lastIndex
  }

  #fail(where: string): never {
    if (this.#at >= this.#text.length) throw new JsonSyntaxError('unexpected end of JSON input')
    throw new JsonSyntaxError(`invalid character ${quoteByte(this.#text, this.#at)} ${where}`)
  }
}

/** An integer that fits an int64 is exact. */
function wholeNumber(text: string, value: number): number | bigint {
  const exact = BigInt(text)
  return exact <= maxInt64 && exact >= -maxInt64 - 1n ? exact : value
}

const ESCAPES: ReadonlySet<number> = new Set([...'"\\/bfnrtu'].map((c) => c.charCodeAt(0)))
const LETTER_U = 0x75
const isHexDigit = (c: number): boolean => (c >= 0x30 && c <= 0x39) || ((c | 0x20) >= 0x61 && (c | 0x20) <= 0x66)

/** Go reads bytes, and shows the first one of a character as if it were Latin-1. */
function quoteByte(text: string, at: number): string {
  const byte = Buffer.from(String.fromCodePoint(text.codePointAt(at) ?? 0))[0] ?? 0
  if (byte === 0x27) return "'\\''"
  if (byte === 0x22) return `'"'`
  if (byte >= 0x7f && byte < 0xa1) return byte === 0x7f ? "'\\x7f'" : `'\\u00${byte.toString(16)}'`
  if (byte === 0xad) return "'\\u00ad'"
  return `'${goQuote(String.fromCharCode(byte)).slice(1, -1)}'`
}
