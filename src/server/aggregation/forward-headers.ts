import { byKey } from '../../base/by-text.ts'
import { LruMap } from '../../base/collections/lru-map.ts'
import type { UserInfo } from '../../machinery/resource/user.ts'
import type { AggregationOptions } from '../options/aggregation.ts'
import { HOP_BY_HOP, namedByConnection } from './hop-by-hop.ts'

/** The parts of a forwarded request that determine its headers. */
export interface Forwarded {
  readonly method: string
  /** The client's headers, by lower-case name. */
  readonly headers: Readonly<Record<string, readonly string[]>>
  readonly user: UserInfo
  readonly remoteAddress: string
  readonly auditId: string
  /** `host:port` of the delegate. */
  readonly host: string
  /** Percent-encoded. */
  readonly path: string
  readonly upgrade: boolean
}

export type HeaderMap = Record<string, string | readonly string[]>

/** Whether a header (by its lower-case name) carries the user's identity: such headers of the client are dropped. */
export type IsIdentity = (name: string) => boolean

/** Includes the headers of front proxies: a delegate may be configured to trust them. */
export function identityNames(frontProxy: AggregationOptions['frontProxy']): IsIdentity {
  if (frontProxy === undefined) return isIdentity
  const { userHeaders, uidHeaders, groupHeaders, extraPrefixes } = frontProxy
  const names = new Set([...userHeaders, ...uidHeaders, ...groupHeaders].map(lower))
  const prefixes = extraPrefixes.map(lower).filter((prefix) => prefix !== '')
  return (name) => isIdentity(name) || names.has(name) || prefixes.some((prefix) => name.startsWith(prefix))
}

const lower = (name: string) => name.toLowerCase()

/** Headers with credentials or impersonation: the delegate gets the resulting identity instead. */
export const isIdentity: IsIdentity = (name) =>
  name === 'authorization' ||
  name === 'x-remote-user' ||
  name === 'x-remote-uid' ||
  name === 'x-remote-group' ||
  name.startsWith('x-remote-extra-') ||
  name === 'impersonate-user' ||
  name === 'impersonate-uid' ||
  name === 'impersonate-group' ||
  name.startsWith('impersonate-extra-')

/** The headers of a request to a delegate, in Go's spelling. */
export function forwardHeaders(request: Forwarded, dropped: IsIdentity): HeaderMap {
  const { headers, upgrade } = request
  const out: HeaderMap = {}
  const hop = namedByConnection(headers.connection ?? [])
  for (const name in headers) {
    const values = headers[name]
    if (values === undefined || values.length === 0 || name.startsWith(':') || name === 'host' || name === 'expect' || dropped(name))
      continue
    if (HOP_BY_HOP.has(name) || hop.has(name)) continue
    const kept = name === 'sec-websocket-protocol' ? withoutToken(values) : values
    if (kept.length > 0) out[canonical(name)] = one(kept)
  }
  if (upgrade) {
    // Overwritten, because the client's `Connection` could name headers for the delegate to drop, even the user's name.
    out.Connection = 'Upgrade'
    out.Upgrade = one(headers.upgrade ?? [])
  } else {
    if ((headers.te ?? []).some((value) => /(?:^|,)\s*trailers\s*(?:,|$)/i.test(value))) out.Te = 'trailers'
    // Go's client requests gzip, and unpacks the response, if the client did not ask for it.
    if (asksForGzip(request)) out['Accept-Encoding'] = 'gzip'
    out['X-Forwarded-Uri'] = request.path
    out['X-Forwarded-Host'] = request.host
    out['X-Forwarded-Proto'] = 'https'
  }
  const from = headers['x-forwarded-for'] ?? []
  if (request.remoteAddress !== '') out['X-Forwarded-For'] = [...from, request.remoteAddress].join(', ')
  out['Audit-Id'] = request.auditId
  return { ...out, ...identityHeaders(request.user) }
}

/** Whether the client set no Accept-Encoding: then this side requests gzip, and unpacks it. */
export const asksForGzip = ({ method, headers }: Pick<Forwarded, 'method' | 'headers'>): boolean =>
  headers['accept-encoding'] === undefined && headers.range === undefined && method !== 'HEAD'

/** The headers with the user's identity. */
export function identityHeaders(user: UserInfo): HeaderMap {
  const out: HeaderMap = { 'X-Remote-User': user.name }
  if (user.uid !== undefined && user.uid !== '') out['X-Remote-Uid'] = user.uid
  if (user.groups.length > 0) out['X-Remote-Group'] = one(user.groups)
  for (const [key, values] of Object.entries(user.extra ?? {}))
    if (values.length > 0) out[canonical(`x-remote-extra-${escapeKey(key)}`)] = one(values)
  return asBytes(out)
}

/** Values are UTF-8 on the wire, but Node sends one byte per character. */
function asBytes(headers: HeaderMap): HeaderMap {
  const bytes = (value: string) => Buffer.from(value.replace(/[\r\n]+/g, ' ')).toString('latin1')
  for (const name in headers) {
    const value = headers[name] ?? ''
    headers[name] = typeof value === 'string' ? bytes(value) : value.map(bytes)
  }
  return headers
}

const one = (values: readonly string[]): string | readonly string[] => (values.length === 1 ? (values[0] ?? '') : values)

/** Encodes a key for a header's name: invalid characters and the percent sign are percent-encoded. */
export function escapeKey(key: string): string {
  let out = ''
  for (const byte of Buffer.from(key.toLowerCase())) {
    const char = String.fromCharCode(byte)
    out += TOKEN.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return out
}

const TOKEN = /^[A-Za-z0-9!#$&'*+\-.^_`|~]$/

/** `x-remote-user` → `X-Remote-User`. */
export function canonical(name: string): string {
  let known = KNOWN.get(name)
  if (known === undefined) {
    known = name
      .toLowerCase()
      .split('-')
      .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
      .join('-')
    KNOWN.set(name, known)
  }
  return known
}

const KNOWN = new LruMap<string, string>(1000)

const TOKEN_PROTOCOL = 'base64url.bearer.authorization.k8s.io.'

/** The subprotocols without the one that carries a token. */
function withoutToken(values: readonly string[]): readonly string[] {
  if (!values.some((value) => value.includes(TOKEN_PROTOCOL))) return values
  const kept = values
    .flatMap((value) => value.split(','))
    .map((word) => word.trim())
    .filter((word) => word !== '' && !word.startsWith(TOKEN_PROTOCOL))
  return kept.length === 0 ? [] : [kept.join(',')]
}

/** The path with Go's escapes. */
export function escapePath(path: string): string {
  if (PLAIN_PATH.test(path)) return path
  let out = ''
  for (const byte of Buffer.from(path)) {
    const char = String.fromCharCode(byte)
    out += PATH_CHAR.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return out
}

const PLAIN_PATH = /^[A-Za-z0-9\-_.~$&+,/:;=@!'()*]*$/
const PATH_CHAR = /[A-Za-z0-9\-_.~$&+,/:;=@]/

/** The query in Go's encoding: decoded, sorted by name, encoded; invalid pairs are dropped. */
export function sortedQuery(search: string): string {
  if (search === '') return ''
  const pairs: [name: string, value: string][] = []
  for (const part of search.split('&')) {
    if (part === '' || part.includes(';')) continue
    const at = part.indexOf('=')
    const name = unescaped(at < 0 ? part : part.slice(0, at))
    const value = at < 0 ? '' : unescaped(part.slice(at + 1))
    if (name !== undefined && value !== undefined) pairs.push([name, value])
  }
  pairs.sort(byKey)
  return pairs.map(([name, value]) => `${escapeQuery(name)}=${escapeQuery(value)}`).join('&')
}

/** The decoded bytes of an escaped text, one per character; undefined if an escape is invalid. */
function unescaped(text: string): string | undefined {
  if (!/[%+]/.test(text)) return Buffer.from(text).toString('latin1')
  if (/%(?![0-9A-Fa-f]{2})/.test(text)) return undefined
  return Buffer.from(text.replaceAll('+', ' '))
    .toString('latin1')
    .replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

const escapeQuery = (bytes: string): string =>
  bytes.replace(/[^A-Za-z0-9\-_.~]/g, (char) => (char === ' ' ? '+' : `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`))
