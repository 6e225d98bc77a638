import {
  COLLECTION_STYLE,
  DUMP_SCHEMA,
  dump,
  EVENT_ID,
  type Event,
  getScalarValue,
  parseEvents,
  SCALAR_STYLE,
  YAMLException,
} from 'js-yaml'
import { goQuote } from '../field-error.ts'
import { isObject, type Json, type JsonObject, setOwn } from '../object.ts'
import { lineEnds, linesBefore } from './line-ends.ts'
import { explainYaml, YamlError } from './yaml-error.ts'
import { foldYaml } from './yaml-fold.ts'
import { keyText, plainScalar, type YamlScalar } from './yaml-scalar.ts'

export { YamlError } from './yaml-error.ts'

export interface DecodedYaml {
  readonly value: Json
  /** The error of strict decoding, or empty: `yaml: unmarshal errors:\n  line 7: key "k" already set in map`. */
  readonly strictError: string
}

export interface DecodeYamlOptions {
  /** Most values (lists, maps, their members and items) of the document. Default: unlimited. */
  readonly maxValues?: number
}

/** A document with more values than permitted. */
export class YamlTooLargeError extends Error {
  override readonly name = 'YamlTooLargeError'
}

/** The most duplicate keys that are reported. */
const maxRepeated = 100

/** Most nodes added by aliases, so that a small text cannot become a huge object. */
const maxAliasedNodes = 100_000
const maxDepth = 1000

/** An escape of a double-quoted text, with its code point where it has one. */
const ESCAPE = /\\(?:u(?<code>[\da-fA-F]{4})|U(?<long>[\da-fA-F]{8})|.)/gs

/**
 * Decodes the first document of a YAML text into JSON, as Kubernetes' converter does. An empty text is null.
 * @throws {YamlError} with Go's message if the cause can be determined
 * @throws {YamlTooLargeError}
 */
export function decodeYaml(input: Uint8Array | string, options: DecodeYamlOptions = {}): DecodedYaml {
  const text = typeof input === 'string' ? input : Buffer.from(input.buffer, input.byteOffset, input.byteLength).toString('utf8')
  const source = firstDocument(text.startsWith('\ufeff') ? text.slice(1) : text)
  return new Composer(source, eventsOf(source), options.maxValues ?? Number.POSITIVE_INFINITY).compose()
}

function eventsOf(source: string): Event[] {
  try {
    return parseEvents(source, { maxDepth })
  } catch (error) {
    if (error instanceof RangeError) throw new YamlError('yaml: exceeded max depth of 10000')
    if (!(error instanceof YAMLException)) throw error
    const end = error.reason.includes('document separator') ? (error.mark?.position ?? 0) : 0
    if (end === 0 || end >= source.length) throw explainYaml(source, error)
    const events = eventsOf(source.slice(0, end))
    // What follows a block should belong to it; what follows any other value is a second document, and not read.
    const block = rootBlock(events)
    if (block !== undefined) throw explainYaml(source, error, block)
    return events
  }
}

/** The form of the first document, if it is a list or map in block style. */
function rootBlock([, root]: readonly Event[]): 'list' | 'map' | undefined {
  if (root?.type === EVENT_ID.SEQUENCE && root.style === COLLECTION_STYLE.BLOCK) return 'list'
  return root?.type === EVENT_ID.MAPPING && root.style === COLLECTION_STYLE.BLOCK ? 'map' : undefined
}

/** The text up to the second document: the rest is not read. */
function firstDocument(source: string): string {
  let begun = false
  for (let at = 0; at >= 0 && at < source.length; at = nextLine(source, at)) {
    const marker = source.startsWith('---', at) || source.startsWith('...', at)
    if (marker && /^[ \t\r\n]?$/.test(source.charAt(at + 3))) {
      if (begun || source.startsWith('...', at)) return source.slice(0, at)
      begun = true
    } else if (!begun && !isPrologue(source, at)) begun = true
  }
  return source
}

function nextLine(source: string, at: number): number {
  const end = source.indexOf('\n', at)
  return end < 0 ? -1 : end + 1
}

/** True for lines that may precede a document: directives, comments, blanks. */
function isPrologue(source: string, at: number): boolean {
  let i = at
  while (source[i] === ' ' || source[i] === '\t') i++
  const c = source[i]
  return c === undefined || c === '\n' || c === '\r' || c === '#' || (c === '%' && i === at)
}

/** The library writes integers as numbers only. */
const SCHEMA = DUMP_SCHEMA.withTags(
  DUMP_SCHEMA.tags.flatMap((tag) =>
    tag.tagName === 'tag:yaml.org,2002:int' && tag.nodeKind === 'scalar'
      ? { ...tag, identify: (value: unknown) => typeof value === 'bigint' || tag.identify(value) }
      : [],
  ),
)

/** Writes a value as YAML, keys sorted. Supports `bigint`. */
export function encodeYaml(value: unknown): string {
  return foldYaml(dump(value, { schema: SCHEMA, sortKeys: true, noRefs: true, lineWidth: -1, seqNoIndent: true }))
}

interface Anchor {
  readonly value: Json
  readonly nodes: number
}

class Composer {
  readonly #source: string
  readonly #events: readonly Event[]
  readonly #anchors = new Map<string, Anchor | 'open'>()
  readonly #repeated: string[] = []
  readonly #maxNodes: number
  #at = 0
  #nodes = 0
  #aliased = 0
  /** The ends of lines; computed lazily. */
  #lineEnds: number[] | undefined

  constructor(source: string, events: readonly Event[], maxNodes: number) {
    this.#maxNodes = maxNodes
    this.#source = source
    this.#events = events
  }

  compose(): DecodedYaml {
    const [document] = this.#events
    if (document?.type !== EVENT_ID.DOCUMENT) return { value: null, strictError: '' }
    if (document.directives.some((directive) => directive.kind === 'yaml' && directive.version !== '1.1'))
      throw new YamlError('yaml: found incompatible YAML document')
    this.#at = 1
    const value = this.#peek().type === EVENT_ID.POP ? null : this.#node()
    const strictError = this.#repeated.length === 0 ? '' : ['yaml: unmarshal errors:', ...this.#repeated].join('\n  ')
    return { value, strictError }
  }

  #peek(): Event {
    const event = this.#events[this.#at]
    if (event === undefined) throw new YamlError('yaml: unexpected end of events')
    return event
  }

  #node(): Json {
    const event = this.#peek()
    this.#at++
    this.#count(1)
    if (event.type === EVENT_ID.ALIAS) return this.#alias(this.#source.slice(event.anchorStart, event.anchorEnd))
    if (event.type === EVENT_ID.SCALAR) return jsonScalar(this.#keep(event, () => this.#scalar(event)))
    if (event.type === EVENT_ID.SEQUENCE) return this.#keep(event, () => this.#sequence())
    if (event.type === EVENT_ID.MAPPING) return this.#keep(event, () => this.#mapping())
    throw new YamlError('yaml: unexpected event')
  }

  #keep<T extends Json>(event: { anchorStart: number; anchorEnd: number }, read: () => T): T {
    if (event.anchorStart < 0) return read()
    const name = this.#source.slice(event.anchorStart, event.anchorEnd)
    const before = this.#nodes
    this.#anchors.set(name, 'open')
    const value = read()
    this.#anchors.set(name, { value, nodes: this.#nodes - before + 1 })
    return value
  }

  #alias(name: string): Json {
    const anchor = this.#anchors.get(name)
    if (anchor === undefined) throw new YamlError(`yaml: unknown anchor '${name}' referenced`)
    if (anchor === 'open') throw new YamlError(`yaml: anchor '${name}' value contains itself`)
    this.#count(anchor.nodes)
    this.#aliased += anchor.nodes
    if (this.#aliased > maxAliasedNodes) throw new YamlError('yaml: document contains excessive aliasing')
    return anchor.value
  }

  #count(nodes: number): void {
    this.#nodes += nodes
    if (this.#nodes > this.#maxNodes) throw new YamlTooLargeError(`more than ${this.#maxNodes} values`)
  }

  #scalar(event: Event & { type: typeof EVENT_ID.SCALAR }): YamlScalar {
    if (event.style === SCALAR_STYLE.DOUBLE_QUOTED) this.#checkEscapes(event.valueStart, event.valueEnd)
    const text = getScalarValue(this.#source, event)
    const tag = event.tagStart < 0 ? '' : this.#source.slice(event.tagStart, event.tagEnd)
    if (tag === '!!binary') return Buffer.from(text, 'base64').toString('utf8')
    if (tag === '!!float') return Number(plainScalar(text))
    if (isBlock(event)) return event.valueEnd === this.#source.length && !this.#source.endsWith('\n') ? text.replace(/\n$/, '') : text
    if (tag === '' && event.style !== SCALAR_STYLE.PLAIN) return text
    // The tag of another type leaves a text as it is.
    return tag === '' || PLAIN_TAGS.has(tag) ? plainScalar(text) : text
  }

  #sequence(): Json[] {
    const list: Json[] = []
    while (this.#peek().type !== EVENT_ID.POP) list.push(this.#node())
    this.#at++
    return list
  }

  #mapping(): JsonObject {
    const map: JsonObject = {}
    const merged = new Set<string>()
    while (this.#peek().type !== EVENT_ID.POP) {
      const keyEvent = this.#peek()
      const key = this.#key()
      if (key === undefined) {
        this.#merge(map, merged, this.#node())
        continue
      }
      const valueStart = startOf(this.#peek())
      const value = this.#node()
      if (Object.hasOwn(map, key.text) && !merged.has(key.text) && this.#repeated.length < maxRepeated)
        this.#repeated.push(`line ${this.#lineAt(valueStart < 0 ? startOf(keyEvent) : valueStart)}: key ${key.shown} already set in map`)
      merged.delete(key.text)
      setOwn(map, key.text, value)
    }
    this.#at++
    return map
  }

  /** Undefined is the merge key `<<`. */
  #key(): { text: string; shown: string } | undefined {
    const event = this.#peek()
    if (event.type !== EVENT_ID.SCALAR) {
      if (event.type !== EVENT_ID.ALIAS) throw new YamlError(`yaml: invalid map key`)
      const value = this.#node()
      if (typeof value === 'object') throw new YamlError('yaml: invalid map key')
      return { text: String(value), shown: typeof value === 'string' ? goQuote(value) : String(value) }
    }
    this.#at++
    this.#count(1)
    const value = this.#keep(event, () => this.#scalar(event))
    if (value === '<<' && event.style === SCALAR_STYLE.PLAIN) return undefined
    const text = keyText(value)
    if (text === undefined) throw new YamlError('unsupported map key of type: invalid, key: <nil>')
    return { text, shown: typeof value === 'string' ? goQuote(value) : text }
  }

  /** The map's own keys win over merged ones, and earlier sources over later ones. */
  #merge(map: JsonObject, merged: Set<string>, source: Json): void {
    if (typeof source !== 'object' || source === null) throw new YamlError('yaml: map merge requires map or sequence of maps as the value')
    if (Array.isArray(source)) {
      for (const one of source) {
        if (!isObject(one)) throw new YamlError('yaml: map merge requires map or sequence of maps as the value')
        this.#merge(map, merged, one)
      }
      return
    }
    for (const [key, value] of Object.entries(source)) {
      if (++this.#aliased > maxAliasedNodes) throw new YamlError('yaml: document contains excessive aliasing')
      if (Object.hasOwn(map, key)) continue
      setOwn(map, key, value)
      merged.add(key)
    }
  }

  /** Go's parser takes no halves of surrogate pairs, nor what is beyond Unicode. */
  #checkEscapes(start: number, end: number): void {
    const raw = this.#source.slice(start, end)
    if (!raw.includes('\\')) return
    for (const { index, groups } of raw.matchAll(ESCAPE)) {
      const code = Number.parseInt(groups?.code ?? groups?.long ?? '0', 16)
      if ((code < 0xd800 || code > 0xdfff) && code <= 0x10ffff) continue
      const line = this.#lineAt(start + index)
      throw new YamlError(`yaml: ${line === 1 ? '' : `line ${line}: `}found invalid Unicode character escape code`, line)
    }
  }

  #lineAt(offset: number): number {
    this.#lineEnds ??= lineEnds(this.#source)
    return linesBefore(this.#lineEnds, offset) + 1
  }
}

/** Where a node begins; -1 for an empty one. */
function startOf(event: Event): number {
  if (!('anchorStart' in event)) return -1
  if (event.anchorStart >= 0 || !('tagStart' in event)) return event.anchorStart
  if (event.tagStart >= 0) return event.tagStart
  if (!('valueStart' in event)) return event.start
  // A block begins on the line of its indicator.
  return isBlock(event) ? event.valueStart - 1 : event.valueStart
}

/** Tags of types that a plain scalar has without a tag. */
const PLAIN_TAGS: ReadonlySet<string> = new Set(['!!bool', '!!int', '!!null', '!!timestamp'])

const isBlock = ({ style }: { readonly style: number }) => style === SCALAR_STYLE.LITERAL_BLOCK || style === SCALAR_STYLE.FOLDED_BLOCK

function jsonScalar(value: YamlScalar): Json {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new YamlError(`json: unsupported value: ${Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'}`)
  return value
}
