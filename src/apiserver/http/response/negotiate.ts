import type { IncomingHttpHeaders } from 'node:http'
import { StatusError } from '../../../machinery/status-error.ts'
import type { Encoding } from '../../handlers/body/media-type.ts'
import type { Query } from '../../request/query.ts'

export type FormKind = 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList'

/** The negotiated encoding and form of a response. */
export interface Format {
  readonly encoding: Encoding
  readonly pretty: boolean
  /** A form other than the object itself: Table or PartialObjectMetadata. */
  readonly as?: { readonly kind: FormKind; readonly version: string }
  /** Why the stream of a watch cannot be written in it; Kubernetes opens the watch first, and its refusals come before. */
  readonly notStreamed?: StatusError
}

export const JSON_FORMAT: Format = { encoding: 'json', pretty: false }
export const PRETTY: Format = { encoding: 'json', pretty: true }

/** True if JSON is to be indented: the query says so, or the client is one that people read (curl, Wget, browsers). */
export function wantsPretty(query: Query, headers: IncomingHttpHeaders): boolean {
  const requested = query.get('pretty')
  if (requested !== undefined && requested !== '') return /^(1|t|true)$/i.test(requested)
  return /^(curl|Wget|Mozilla\/5\.0)/.test(headers['user-agent'] ?? '')
}

/** The formats that a path supports. */
export interface Offer {
  /** `metadata`: only of the metadata of objects, which custom resources have in protobuf. */
  readonly protobuf: boolean | 'metadata'
  /** Lists and watches share a path, so a refusal names both. */
  readonly collection: boolean
  /** True for a watch, which has no YAML. */
  readonly streaming: boolean
  /** Kubernetes serves the path without a router. Refusals then name all types, also those that the path does not have. */
  readonly unrouted?: boolean
  /** Supported forms: Table and PartialObjectMetadata of stored objects (default), metadata only for computed ones, none for discovery. */
  readonly forms?: 'metadata' | 'none' | undefined
  /** A type that only the handler of the path writes (`text/plain` of logs): the router lets it through, and it is refused later. */
  readonly routed?: string | undefined
}

const JSON_TYPE = 'application/json'
const YAML_TYPE = 'application/yaml'
export const PROTOBUF_TYPE = 'application/vnd.kubernetes.protobuf'
const TYPES: readonly string[] = [JSON_TYPE, YAML_TYPE, PROTOBUF_TYPE]
const ENCODINGS: Readonly<Record<string, Encoding>> = { [JSON_TYPE]: 'json', [YAML_TYPE]: 'yaml', [PROTOBUF_TYPE]: 'protobuf' }

/** The format for an Accept header; throws 406 if no supported format is accepted. */
export function negotiate(header: string | undefined, offer: Offer, pretty: boolean): Format {
  if (takesJson(header)) return pretty ? PRETTY : JSON_FORMAT
  requireRoute(header, offer)
  const types = typesOf(offer)
  const format = choose(header, offer, offer.streaming ? streamed(types) : types)
  if (format !== undefined) return { ...format, pretty: pretty || format.pretty }
  const asList = offer.streaming ? choose(header, offer, types) : undefined
  const named = offer.unrouted === true ? TYPES : types
  // A watch is refused as a list first.
  const accepted = asList === undefined ? named : streamed(named).map((type) => `${type};stream=watch`)
  const message = `only the following media types are accepted: ${accepted.join(', ')}`
  const refusal = new StatusError({ code: 406, reason: 'NotAcceptable', message })
  if (asList !== undefined) return { ...asList, pretty: pretty || asList.pretty, notStreamed: refusal }
  throw refusal
}

/** What most clients ask for, and every path has. */
const takesJson = (header: string | undefined): header is undefined | '' | typeof JSON_TYPE | '*/*' =>
  header === undefined || header === '' || header === JSON_TYPE || header === '*/*'

const typesOf = ({ protobuf }: Offer): readonly string[] => (protobuf === false ? [JSON_TYPE, YAML_TYPE] : TYPES)

const streamed = (types: readonly string[]) => types.filter((type) => type !== YAML_TYPE)

/** Throws 406 if Kubernetes' router would not let the request through to the handler of a path. */
export function requireRoute(header: string | undefined, offer: Offer): void {
  if (takesJson(header) || offer.unrouted === true) return
  const types = typesOf(offer)
  const routed = offer.routed === undefined ? types : [offer.routed, ...types]
  if (!routeProduces(header, routed)) throw notProduced(offer, routed)
}

/** The first of these types that the client wants; undefined if it accepts none of them. */
function choose(header: string, offer: Offer, types: readonly string[]): Format | undefined {
  for (const clause of parseAccept(header)) {
    for (const type of types) {
      if (!accepts(clause.type, type)) continue
      const as = formOf(clause, type)
      if (as === 'unknown' || (as !== undefined && !hasForm(offer, as.kind))) continue
      if (as === undefined && type === PROTOBUF_TYPE && offer.protobuf === 'metadata') continue
      const format: Format = { encoding: ENCODINGS[type] ?? 'json', pretty: clause.parameters.get('pretty') === '1' }
      return as === undefined ? format : { ...format, as }
    }
  }
  return undefined
}

/** The aggregated form of discovery. */
export interface AggregatedFormat {
  readonly encoding: Encoding
  /** The media type of the answer. */
  readonly type: string
  /** Without what other servers of the cluster serve. */
  readonly withoutPeers: boolean
}

/** The aggregated form of discovery, if an Accept header names it anywhere; of several the preferred one. */
export function aggregatedFormat(header: string): AggregatedFormat | undefined {
  for (const { type: wanted, parameters } of parseAccept(header)) {
    const type = TYPES.find((offered) => accepts(wanted, offered))
    if (type === undefined) continue
    const [group, version, kind] = ['g', 'v', 'as'].map((name) => parameters.get(name))
    if (group !== 'apidiscovery.k8s.io' || version !== 'v2' || kind !== 'APIGroupDiscoveryList') continue
    return {
      encoding: ENCODINGS[type] ?? 'json',
      type: `${type};g=${group};v=${version};as=${kind}`,
      withoutPeers: parameters.get('profile') === 'nopeer',
    }
  }
  return undefined
}

/** For paths that always write the one type: throws 406 if the router would not let the request through to them. */
export function requireProduced(header: string | undefined, type: string): void {
  if (header === undefined || header === '' || routeProduces(header, [type])) return
  throw notProduced({ collection: false }, [type])
}

/** Kubernetes' router checks first: it compares literal names, and its only wildcard is the one for all types. */
function routeProduces(header: string, types: readonly string[]): boolean {
  for (const part of header.split(',')) {
    const type = (part.split(';')[0] ?? '').trim()
    if (type === '*/*' || types.includes(type)) return true
  }
  return false
}

function notProduced(offer: Pick<Offer, 'collection'>, types: readonly string[]): StatusError {
  const streams = offer.collection ? types.filter((t) => t !== YAML_TYPE).map((t) => `${t};stream=watch`) : []
  const message = `406: Not Acceptable\n\nAvailable representations: ${[...types, ...streams].join(', ')}`
  return new StatusError({ code: 406, reason: 'NotAcceptable', message, details: {} })
}

interface Clause {
  readonly type: string
  readonly parameters: ReadonlyMap<string, string>
  readonly quality: number
}

/** The clauses of an Accept header, by descending preference. */
function parseAccept(header: string): Clause[] {
  const clauses: Clause[] = []
  for (const text of header.split(',')) {
    const [type = '', ...rest] = text.split(';').map((part) => part.trim())
    if (type === '') continue
    const parameters = new Map(rest.map(parameter).filter(([, value]) => value !== ''))
    const q = parameters.get('q')
    clauses.push({ type, parameters, quality: q === undefined ? 1 : Number(q) || 0 })
  }
  return clauses.sort((a, b) => b.quality - a.quality)
}

function parameter(text: string): [string, string] {
  const at = text.indexOf('=')
  return at < 0 ? [text, ''] : [text.slice(0, at).trim(), text.slice(at + 1).trim()]
}

const accepts = (wanted: string, type: string) =>
  wanted === type || wanted === '*/*' || (wanted.endsWith('/*') && type.startsWith(wanted.slice(0, -1)))

const hasForm = ({ forms }: Offer, kind: FormKind) => forms === undefined || (forms === 'metadata' && kind !== 'Table')

const FORMS: readonly string[] = ['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList']

function formOf({ parameters }: Clause, type: string): Format['as'] | 'unknown' {
  const stream = parameters.get('stream')
  if (stream !== undefined && stream !== 'watch') return 'unknown'
  const kind = parameters.get('as')
  if (kind === undefined && !parameters.has('g') && !parameters.has('v')) return undefined
  const version = parameters.get('v') ?? ''
  if (parameters.get('g') !== 'meta.k8s.io' || (version !== 'v1' && version !== 'v1beta1')) return 'unknown'
  if (kind === undefined || !FORMS.includes(kind)) return 'unknown'
  if (kind === 'Table' && type === PROTOBUF_TYPE) return 'unknown'
  return { kind: kind as FormKind, version }
}

/** The format of an error: one that the client accepts for an object as it is, else indented JSON. */
export function errorFormat(header: string | undefined, pretty: boolean): Format | undefined {
  try {
    return negotiate(header, { protobuf: true, collection: false, streaming: false, forms: 'none', unrouted: true }, pretty)
  } catch {
    return undefined
  }
}
