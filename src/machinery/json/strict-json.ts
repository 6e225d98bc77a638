import { giveTurn } from '../../base/turns.ts'
import { escapeHtml } from '../escape-html.ts'
import { isObject, type Json, type JsonObject } from '../object.ts'
import { type FieldPlaces, JsonParser, JsonSyntaxError, JsonTooLargeError, type NumberTexts, type RepeatedValues } from './json-parser.ts'
import { StringMarks } from './string-marks.ts'

export { JsonSyntaxError, JsonTooLargeError } from './json-parser.ts'

export interface DecodedJson {
  readonly value: Json
  /** The paths of duplicate keys, in Kubernetes' notation: `spec.containers[0].image`. At most a hundred, as in Go. */
  readonly duplicates: readonly string[]
  /** The order of fields; of a text with duplicates, unless it is very large. */
  readonly places?: FieldPlaces
  readonly numbers: NumberTexts
  /** Of a text with duplicates, unless objects are merged. */
  readonly repeated?: RepeatedValues
  /** The nesting depth of lists and objects. */
  readonly depth: number
}

export interface DecodeJsonOptions {
  /** Merges objects of duplicate keys, as Go does when it decodes into a struct. Default: the last one wins. */
  readonly merge?: boolean
  /** Most values (lists, objects, their members and items) of a text. Default: unlimited. */
  readonly maxValues?: number
  /** Most members of one object. Default: unlimited. */
  readonly maxMembers?: number
  /** Numbers beyond float64 become infinite, and `numbers` has their texts. Default: they are refused. */
  readonly infinite?: boolean
}

const none: NumberTexts = new Map()

/** Go's limit of the nesting depth. */
const maxDepth = 10_000

/** Above these counts even `JSON.parse` takes long, and it cannot be interrupted. */
const MANY_KEYS = 20_000
const MANY_VALUES = 100_000

/** Characters scanned in one turn of the event loop, before anything is parsed: some milliseconds, even for cold code. */
const SCANNED_PER_TURN = 256 * 1024

/** Values parsed in one turn of the event loop: some 10 ms. */
const VALUES_PER_TURN = 10_000

/**
 * Decodes JSON by Go's rules: integers beyond 2^53 that fit an int64 become `bigint`, invalid UTF-8 becomes U+FFFD, `__proto__` is an
 * ordinary key. The last value of a duplicate key wins, unless `merge` is set: then objects are merged, as Go does when it decodes into a
 * struct.
 * @throws {JsonSyntaxError} in Go's words
 * @throws {JsonTooLargeError}
 */
export function decodeJson(input: Uint8Array | string, options: DecodeJsonOptions = {}): DecodedJson {
  const text = textOf(input)
  const begun = begin(text, scan(text), options)
  if ('duplicates' in begun) return begun
  begun.parser.read(Number.POSITIVE_INFINITY)
  return resultOf(begun)
}

/** Decodes JSON, yielding to other work. */
export async function decodeJsonInTurns(input: Uint8Array | string, options: DecodeJsonOptions = {}): Promise<DecodedJson> {
  const text = textOf(input)
  // A short text costs no promise.
  return readInTurns(text, text.length <= SCANNED_PER_TURN ? scan(text) : await scanInTurns(text), options)
}

async function readInTurns(text: string, seen: Scanned, options: DecodeJsonOptions): Promise<DecodedJson> {
  const begun = begin(text, seen, options, isMuch(seen))
  if ('duplicates' in begun) return begun
  while (!begun.parser.read(VALUES_PER_TURN)) await giveTurn()
  return resultOf(begun)
}

const isMuch = ({ keys, values }: Scanned): boolean => keys > MANY_KEYS || values > MANY_VALUES

/**
 * Decodes a JSON map that has the same meaning in YAML, and is plain: no duplicate keys, no long numbers or fractions. Undefined for
 * everything else, including invalid texts and those with more than `maxValues` values. Yields to other work.
 * @throws {JsonTooLargeError} for an object of more than `maxMembers` members
 */
export async function decodePlainJson(input: Uint8Array | string, options: DecodeJsonOptions = {}): Promise<JsonObject | undefined> {
  const text = textOf(input)
  if (text[0] !== '{' || notInYaml.test(text)) return undefined
  const seen = await scanInTurns(text)
  if (needsCare(seen) || seen.escapedKeys || seen.values > (options.maxValues ?? Number.POSITIVE_INFINITY)) return undefined
  try {
    const { value, duplicates } = await readInTurns(text, seen, options)
    return isObject(value) && duplicates.length === 0 ? value : undefined
  } catch (error) {
    if (error instanceof JsonTooLargeError) throw error
    return undefined
  }
}

/** Characters that YAML reads differently or rejects, and an escape that not all YAML parsers support. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the very characters
const notInYaml = /[\t\0-\x08\x0b-\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffd-\uffff]|\\\//

/** A text for the resumable parser; `broken`: it is invalid JSON, and the parser explains why. */
interface Careful {
  readonly parser: JsonParser
  readonly broken: boolean
  readonly depth: number
}

function resultOf({ parser, broken, depth }: Careful): DecodedJson {
  if (broken) throw new JsonSyntaxError('unexpected end of JSON input')
  return { ...parser.result, depth }
}

/** Most texts are parsed at once by `JSON.parse`, which is fast; others (and those with `much`) by a parser that can stop. */
function begin(text: string, seen: Scanned, options: DecodeJsonOptions, much = false): DecodedJson | Careful {
  const { merge = false, infinite = false, maxValues = Number.POSITIVE_INFINITY, maxMembers = Number.POSITIVE_INFINITY } = options
  if (seen.values > maxValues) throw new JsonTooLargeError(`more than ${maxValues} values`)
  const limits = { maxDepth, merge, infinite, maxMembers: seen.keys > maxMembers ? maxMembers : Number.POSITIVE_INFINITY }
  const careful = (broken: boolean, places = false) => ({
    parser: new JsonParser(text, { ...limits, places }),
    broken,
    depth: seen.deepest,
  })
  if (seen.deepest > maxDepth) return careful(true)
  if (much || seen.keys > maxMembers) return careful(false)
  let value: Json
  try {
    value = JSON.parse(text) as Json
  } catch {
    return careful(!seen.escapedKeys)
  }
  const repeats = seen.deepest <= DEEP && countKeys(value) !== seen.keys
  if (!needsCare(seen) && !repeats && !(seen.escapedKeys && hasMisreadKey(value)))
    return { value, duplicates: [], numbers: none, depth: seen.deepest }
  return careful(false, repeats)
}

const textOf = (input: Uint8Array | string): string => (typeof input === 'string' ? input.toWellFormed() : toText(input))
const toText = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')

/** The state of the scan: counts of possible keys and values, and anything that `JSON.parse` reads differently from Go. */
interface Scanned {
  /** Where to continue. */
  at: number
  keys: number
  values: number
  depth: number
  deepest: number
  digits: number
  /** Long numbers, fractions, exponents, escaped surrogates. */
  odd: boolean
  /** The last string has an escape: `JSON.parse` may confuse it with another key (see `parseWrittenJson`). */
  escaped: boolean
  escapedKeys: boolean
}

/** Deeper texts are not visited recursively. */
const DEEP = 1000

const needsCare = ({ odd, deepest }: Scanned): boolean => odd || deepest > DEEP

function scan(text: string): Scanned {
  const seen = unseen()
  scanTo(text, seen, text.length)
  return seen
}

async function scanInTurns(text: string): Promise<Scanned> {
  const seen = unseen()
  for (;;) {
    scanTo(text, seen, Math.min(seen.at + SCANNED_PER_TURN, text.length))
    if (seen.at >= text.length) return seen
    await giveTurn()
  }
}

const unseen = (): Scanned => ({
  at: 0,
  keys: 0,
  values: 1,
  depth: 0,
  deepest: 0,
  digits: 0,
  odd: false,
  escaped: false,
  escapedKeys: false,
})

/** In shorter strings each character is looked at: a search costs more than that. */
const LONG_STRING = 64

/** Scans up to `end`, or to the end of the string that is there. */
function scanTo(text: string, seen: Scanned, end: number): void {
  let { keys, values, depth, deepest, digits, odd, escaped, escapedKeys } = seen
  let marks: StringMarks | undefined
  let i = seen.at
  for (; i < end; i++) {
    const c = text.charCodeAt(i)
    if (c >= 0x30 && c <= 0x39) {
      if (++digits > 15) odd = true
      continue
    }
    digits = 0
    if (c === 0x22) {
      escaped = false
      const long = i + LONG_STRING
      for (i++; i < text.length; i++) {
        if (i > long) {
          marks ??= new StringMarks(text)
          i = marks.next(i)
        }
        const s = text.charCodeAt(i)
        if (s === 0x22) break
        if (s === 0x5c) {
          escaped = true
          i++
          if (text.charCodeAt(i) === 0x75 && (text.charCodeAt(i + 1) | 0x20) === 0x64) odd = true
        }
      }
    } else if (c === 0x2c) values++
    else if (c === 0x3a) {
      keys++
      if (escaped) escapedKeys = true
    } else if (c === 0x2e) odd = true
    else if (c === 0x7b || c === 0x5b) {
      values++
      if (++depth > deepest) deepest = depth
    } else if (c === 0x7d || c === 0x5d) depth--
    else if (c === 0x45 || (c === 0x65 && isDigit(text.charCodeAt(i - 1)))) odd = true
  }
  Object.assign(seen, { at: i, keys, values, depth, deepest, digits, odd, escaped, escapedKeys })
}

/**
 * `JSON.parse` for a text that a program wrote: its keys are not repeated. If a key of another object ended in a backslash, V8 (Node 24 and
 * 26) compares a key with an escape with it before it decodes the escape: `JSON.parse('{"a":0,"\\"":1}')` yields the key `\\`.
 */
export function parseWrittenJson(text: string): unknown {
  const value = JSON.parse(text) as Json
  return text.includes('\\') && hasMisreadKey(value) ? decodeJson(text).value : value
}

/**
 * True if a key may be one that V8 confused with another (see `parseWrittenJson`): the other one ends in a backslash, which is rare.
 * Managed fields are full of keys with escapes, and every client sends them.
 */
function hasMisreadKey(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some(hasMisreadKey)
  for (const key in value) if (key.endsWith('\\') || hasMisreadKey(value[key] ?? null)) return true
  return false
}

const isDigit = (c: number): boolean => c >= 0x30 && c <= 0x39

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) if (typeof value[i] === 'object') count += countKeys(value[i])
    return count
  }
  for (const key in value) {
    count++
    const item = (value as Record<string, unknown>)[key]
    if (typeof item === 'object') count += countKeys(item)
  }
  return count
}

export interface EncodeOptions {
  /** Escapes `<`, `>`, `&`, U+2028 and U+2029, as Go's encoder does. Default false. */
  readonly html?: boolean
  /** Spaces per level, each value in a line of its own. Default: no spaces. */
  readonly indent?: number
}

/** Writes JSON. Supports `bigint`. */
export function encodeJson(value: unknown, options: EncodeOptions = {}): string {
  let text: string
  try {
    text = JSON.stringify(value, undefined, options.indent)
  } catch (error) {
    if (!(error instanceof TypeError) || !error.message.includes('BigInt')) throw error
    text = JSON.stringify(value, (_key, item: unknown) => (typeof item === 'bigint' ? rawJson(item.toString()) : item), options.indent)
  }
  return options.html ? escapeHtml(text) : text
}

/** As Kubernetes' responses are written: what may begin markup is escaped. */
export const AS_GO: EncodeOptions = { html: true }

/** A text that is written to JSON unchanged. */
export const rawJson = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON
