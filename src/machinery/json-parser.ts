import { goQuote } from './field-error.ts'
import { type Json, type JsonObject, setOwn } from './object.ts'

/** A text that is no JSON. The message is Go's: `invalid character 'x' looking for beginning of value`. */
export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError'
}

interface Limits {
  readonly maxDepth: number
  /** Merges the objects of a key that stands twice. */
  readonly merge: boolean
}

const maxDuplicates = 100
const maxInt64 = 2n ** 63n - 1n

/** What is wrong with a text that could not be parsed. */
export function explainJson(text: string, maxDepth: number): JsonSyntaxError {
  try {
    new JsonParser(text, { maxDepth, merge: false }).parse()
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error
    if (error instanceof RangeError) return new JsonSyntaxError("invalid character '[' exceeded max depth")
    throw error
  }
  return new JsonSyntaxError('unexpected end of JSON input')
}

/**
 * The careful way: keeps long integers, names duplicate keys, repairs lone surrogates.
 * @throws {JsonSyntaxError}
 */
export function parseJsonSlowly(text: string, limits: Limits): { value: Json; duplicates: string[]; numbers: Map<string, string> } {
  const parser = new JsonParser(text, limits)
  try {
    return { value: parser.parse(), duplicates: [...parser.duplicates], numbers: parser.numbers }
  } catch (error) {
    if (error instanceof RangeError) throw new JsonSyntaxError("invalid character '[' exceeded max depth")
    throw error
  }
}

const space = /[ \t\r\n]*/y
const number = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/y
// biome-ignore lint/suspicious/noControlCharactersInRegex: exactly what a string of JSON may hold unescaped
const plainString = /"[^"\\\u0000-\u001f]*"/y

class JsonParser {
  readonly duplicates = new Set<string>()
  readonly numbers = new Map<string, string>()
  readonly #text: string
  readonly #limits: Limits
  #at = 0
  #depth = 0

  constructor(text: string, limits: Limits) {
    this.#text = text
    this.#limits = limits
  }

  parse(): Json {
    const value = this.#value('')
    this.#space()
    if (this.#at < this.#text.length) this.#fail('after top-level value')
    return value
  }

  #value(path: string): Json {
    this.#space()
    switch (this.#text[this.#at]) {
      case '{':
        return this.#object(path)
      case '[':
        return this.#list(path)
      case '"':
        return this.#string()
      case 't':
        return this.#literal('true', true)
      case 'f':
        return this.#literal('false', false)
      case 'n':
        return this.#literal('null', null)
      default:
        return this.#number(path)
    }
  }

  #object(path: string): Json {
    this.#enter()
    const result: JsonObject = {}
    this.#space()
    if (this.#text[this.#at] === '}') return this.#leave(result)
    for (;;) {
      this.#space()
      if (this.#text[this.#at] !== '"') this.#fail('looking for beginning of object key string')
      const key = this.#string()
      this.#space()
      if (this.#text[this.#at] !== ':') this.#fail('after object key')
      this.#at++
      const name = path === '' ? key : `${path}.${key}`
      const value = this.#value(name)
      if (Object.hasOwn(result, key)) {
        if (this.duplicates.size < maxDuplicates) this.duplicates.add(name)
        setOwn(result, key, this.#limits.merge ? mergeValues(result[key], value) : value)
      } else setOwn(result, key, value)
      this.#space()
      if (this.#text[this.#at] === '}') return this.#leave(result)
      if (this.#text[this.#at] !== ',') this.#fail('after object key:value pair')
      this.#at++
    }
  }

  #list(path: string): Json {
    this.#enter()
    const result: Json[] = []
    this.#space()
    if (this.#text[this.#at] === ']') return this.#leave(result)
    for (;;) {
      result.push(this.#value(`${path}[${result.length}]`))
      this.#space()
      if (this.#text[this.#at] === ']') return this.#leave(result)
      if (this.#text[this.#at] !== ',') this.#fail('after array element')
      this.#at++
    }
  }

  #enter(): void {
    if (++this.#depth > this.#limits.maxDepth) this.#fail('exceeded max depth')
    this.#at++
  }

  #leave(value: Json): Json {
    this.#depth--
    this.#at++
    return value
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
    const c = this.#text[this.#at] ?? ''
    if (c === '' || !'"\\/bfnrtu'.includes(c)) this.#fail('in string escape code')
    this.#at++
    if (c !== 'u') return
    for (let i = 0; i < 4; i++) {
      if (!/^[0-9a-fA-F]$/.test(this.#text[this.#at] ?? '')) this.#fail('in \\u hexadecimal character escape')
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

  #number(path: string): Json {
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
    if ((match[1] !== undefined || match[2] !== undefined) && String(value) !== match[0]) this.numbers.set(path, match[0])
    if (!Number.isFinite(value)) throw new JsonSyntaxError(`json: cannot unmarshal number ${match[0]} into Go value of type float64`)
    if (match[1] !== undefined || match[2] !== undefined || Number.isSafeInteger(value)) return value
    const exact = BigInt(match[0])
    return exact <= maxInt64 && exact >= -maxInt64 - 1n ? exact : value
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

/** Go looks at bytes, and shows the first one of a character as if it were Latin-1. */
function quoteByte(text: string, at: number): string {
  const byte = Buffer.from(String.fromCodePoint(text.codePointAt(at) ?? 0))[0] ?? 0
  if (byte === 0x27) return "'\\''"
  if (byte === 0x22) return `'"'`
  if (byte >= 0x7f && byte < 0xa1) return byte === 0x7f ? "'\\x7f'" : `'\\u00${byte.toString(16)}'`
  if (byte === 0xad) return "'\\u00ad'"
  return `'${goQuote(String.fromCharCode(byte)).slice(1, -1)}'`
}

function mergeValues(old: Json | undefined, value: Json): Json {
  if (!isObject(old) || !isObject(value)) return value
  for (const [key, item] of Object.entries(value))
    if (item !== undefined) setOwn(old, key, mergeValues(Object.hasOwn(old, key) ? old[key] : undefined, item))
  return old
}

const isObject = (value: Json | undefined): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value)
