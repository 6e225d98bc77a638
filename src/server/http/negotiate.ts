import { StatusError } from '../../machinery/status-error.ts'
import type { Encoding } from '../handlers/media-type.ts'

/** How an answer is to be written. */
export interface Format {
  readonly encoding: Encoding
  readonly pretty: boolean
  /** Another form than the object itself. */
  readonly as?: { readonly kind: 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList'; readonly version: string }
}

export const JSON_FORMAT: Format = { encoding: 'json', pretty: false }

interface Clause {
  readonly type: string
  readonly parameters: ReadonlyMap<string, string>
  readonly quality: number
}

/** The clauses of an Accept header, best first. */
export function parseAccept(header: string): Clause[] {
  const clauses: Clause[] = []
  for (const text of header.split(',')) {
    const [type = '', ...rest] = text.split(';').map((part) => part.trim())
    if (type === '') continue
    const parameters = new Map(
      rest.map((p) => [
        p
          .slice(0, Math.max(0, p.indexOf('=')))
          .trim()
          .toLowerCase(),
        p
          .slice(p.indexOf('=') + 1)
          .trim()
          .replace(/^"|"$/g, ''),
      ]),
    )
    const q = parameters.get('q')
    clauses.push({ type: type.toLowerCase(), parameters, quality: q === undefined ? 1 : Number(q) || 0 })
  }
  return clauses.sort((a, b) => b.quality - a.quality)
}

const TYPES: readonly (readonly [string, Encoding])[] = [
  ['application/json', 'json'],
  ['application/yaml', 'yaml'],
  ['application/vnd.kubernetes.protobuf', 'protobuf'],
]

/** What a resource can be shown as. */
export interface Offer {
  readonly tables: boolean
  readonly protobuf: boolean
  readonly streaming: boolean
}

/** The format for an Accept header; throws 406 when nothing that is offered is accepted. */
export function negotiate(header: string | undefined, offer: Offer, pretty: boolean): Format {
  if (header === undefined || header === '') return pretty ? { encoding: 'json', pretty } : JSON_FORMAT
  if (header === 'application/json') return pretty ? { encoding: 'json', pretty } : JSON_FORMAT
  const offered = TYPES.filter(([, encoding]) => encoding !== 'protobuf' || offer.protobuf)
  for (const clause of parseAccept(header)) {
    for (const [type, encoding] of offered) {
      if (!accepts(clause.type, type)) continue
      const as = formOf(clause, offer)
      if (as === 'unknown') continue
      const wantsPretty = pretty || clause.parameters.get('pretty') === '1'
      return as === undefined ? { encoding, pretty: wantsPretty } : { encoding, pretty: wantsPretty, as }
    }
  }
  throw new StatusError({
    code: 406,
    reason: 'NotAcceptable',
    message: `only the following media types are accepted: ${offered.map(([type]) => (offer.streaming ? `${type};stream=watch` : type)).join(', ')}`,
  })
}

const accepts = (wanted: string, type: string) =>
  wanted === type || wanted === '*/*' || (wanted.endsWith('/*') && type.startsWith(wanted.slice(0, -1)))

function formOf(clause: Clause, offer: Offer): Format['as'] | 'unknown' {
  const kind = clause.parameters.get('as')
  if (kind === undefined) return undefined
  if (!offer.tables || clause.parameters.get('g') !== 'meta.k8s.io') return 'unknown'
  const version = clause.parameters.get('v') ?? ''
  if (version !== 'v1' && version !== 'v1beta1') return 'unknown'
  if (kind === 'Table' || kind === 'PartialObjectMetadata' || kind === 'PartialObjectMetadataList') return { kind, version }
  return 'unknown'
}
